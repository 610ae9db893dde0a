// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cast.h"

#include "core/error.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace core {

namespace {

/// An element as a C++ arithmetic type: small floats widened, exactly.
template <class Stored>
auto widened(Stored value)
{
    if constexpr (std::is_arithmetic_v<Stored>)
        return value;
    else
        return toFloat(value);
}

template <class To, class Wide>
To narrowed(Wide value)
{
    if constexpr (std::is_same_v<To, bool>) {
        return value != 0;
    } else if constexpr (std::is_same_v<To, Half>) {
        return toHalf(static_cast<float>(value));
    } else if constexpr (std::is_same_v<To, BFloat16>) {
        return toBFloat16(static_cast<float>(value));
    } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Wide>) {
        if (std::isnan(value))
            return 0;
        // Both bounds are powers of two (or 0), which every float holds.
        const auto beyond = std::ldexp(Wide(1), std::numeric_limits<To>::digits);
        if (value >= beyond)
            return std::numeric_limits<To>::max();
        if (value < static_cast<Wide>(std::numeric_limits<To>::min()))
            return std::numeric_limits<To>::min();
        return static_cast<To>(value);
    } else {
        return static_cast<To>(value);
    }
}

/// Calls `use` with a value of the C++ type that stores `dtype`; 8-bit floats and complex have none here.
template <class Use>
void withStoredType(DType dtype, Use use)
{
    switch (dtype) {
    case DType::boolean:
        return use(bool{});
    case DType::u8:
        return use(std::uint8_t{});
    case DType::i8:
        return use(std::int8_t{});
    case DType::u16:
        return use(std::uint16_t{});
    case DType::i16:
        return use(std::int16_t{});
    case DType::u32:
        return use(std::uint32_t{});
    case DType::i32:
        return use(std::int32_t{});
    case DType::u64:
        return use(std::uint64_t{});
    case DType::i64:
        return use(std::int64_t{});
    case DType::f16:
        return use(Half{});
    case DType::bf16:
        return use(BFloat16{});
    case DType::f32:
        return use(float{});
    case DType::f64:
        return use(double{});
    default:
        throw Error(fmt::format("{} values cannot be turned into another dtype here", dtypeName(dtype)));
    }
}

Tensor widenedFloat8(const Tensor& tensor)
{
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = float8ToFloat(tensor.dtype(), static_cast<std::uint8_t>(tensor.data()[i]));
    return Tensor::fromValues(DType::f32, tensor.shape(), values);
}

} // namespace

Tensor cast(const Tensor& tensor, DType dtype)
{
    if (tensor.dtype() == dtype)
        return tensor;
    auto source = tensor.toContiguous();
    if (isFloat8(source.dtype()))
        source = widenedFloat8(source);
    if (source.dtype() == dtype)
        return source;
    std::vector<std::byte> bytes(static_cast<std::size_t>(checkedProduct(source.elements(), itemSize(dtype))));
    withStoredType(source.dtype(), [&]<class From>(From) {
        withStoredType(dtype, [&]<class To>(To) {
            for (std::int64_t i = 0; i < source.elements(); ++i) {
                From from;
                if constexpr (std::is_same_v<From, bool>)
                    from = source.data()[i] != std::byte{0};
                else
                    std::memcpy(&from, source.data() + i * static_cast<std::int64_t>(sizeof(From)), sizeof(From));
                const To to = narrowed<To>(widened(from));
                std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(To)), &to, sizeof(To));
            }
        });
    });
    return Tensor::contiguous(dtype, source.shape(), Storage::fromVector(std::move(bytes)));
}

} // namespace core
