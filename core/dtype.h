// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// Element types, kept as the file stores them. 8-bit floats are read through a table that widens them to float32.
enum class DType : std::uint8_t {
    boolean,
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    u64,
    i64,
    f8e4m3fn,
    f8e5m2,
    f8e4m3fnuz,
    f8e5m2fnuz,
    f16,
    bf16,
    f32,
    f64,
    c64,
    c128,
};
inline constexpr int dtypeCount = 19;

/// IEEE 754 binary16 as stored bits.
struct Half
{
    std::uint16_t bits;
};
/// bfloat16 as stored bits: the upper half of a float32.
struct BFloat16
{
    std::uint16_t bits;
};
/// An 8-bit float as stored bits; its DType says which kind.
struct Float8
{
    std::uint8_t bits;
};

/// Bytes of one element.
int itemSize(DType dtype);
/// PyTorch's name without "torch.": "float32", "bool", "uint8", "bfloat16", "float8_e4m3fn", "complex64" ...
std::string_view dtypeName(DType dtype);
/// The dtype of a PyTorch name, if there is one.
std::optional<DType> dtypeFromName(std::string_view name);
/// float8 kinds, float16, bfloat16, float32, float64.
bool isFloating(DType dtype);
bool isFloat8(DType dtype);
/// u8 ... i64; not bool.
bool isInteger(DType dtype);
bool isSigned(DType dtype);
bool isComplex(DType dtype);

/// Widening without loss. NaN payloads are kept.
float toFloat(Half value);
float toFloat(BFloat16 value);
/// One element of an 8-bit float dtype (OCP 8-bit floating point specification; the fnuz kinds as in PyTorch).
float float8ToFloat(DType dtype, std::uint8_t bits);
/// Rounding to nearest, ties to even, as PyTorch does.
Half toHalf(float value);
BFloat16 toBFloat16(float value);
/// The same to the bits of an 8-bit float dtype: beyond the largest number infinity, or NaN where the dtype has none.
std::uint8_t toFloat8(DType dtype, float value);
/// float64 to float16 the way c10::Half(static_cast<float>(x)) goes: through float32.
Half toHalf(double value);

} // namespace core
