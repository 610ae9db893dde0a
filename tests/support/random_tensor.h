// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout.h"
#include "core/tensor.h"

#include <random>
#include <string>

namespace support {

/// How a generated tensor lies in memory.
enum class Strides { contiguous, permuted, everySecond, reversed, expanded, channelsLast, unaligned };
inline constexpr Strides allStrides[] = {Strides::contiguous, Strides::permuted,     Strides::everySecond, Strides::reversed,
                                         Strides::expanded,   Strides::channelsLast, Strides::unaligned};
const char* stridesName(Strides strides);

inline constexpr core::DType allDTypes[] = {
    core::DType::boolean, core::DType::u8,         core::DType::i8,         core::DType::u16, core::DType::i16,
    core::DType::u32,     core::DType::i32,        core::DType::u64,        core::DType::i64, core::DType::f8e4m3fn,
    core::DType::f8e5m2,  core::DType::f8e4m3fnuz, core::DType::f8e5m2fnuz, core::DType::f16, core::DType::bf16,
    core::DType::f32,     core::DType::f64,        core::DType::c64,        core::DType::c128};

using Random = std::mt19937_64;

/// A tensor with many equal small values around zero, and the special values of its dtype (NaN, infinities, -0, denormals, ends
/// of the range) in about one element in twenty; `special` false leaves NaN and infinities out.
core::Tensor randomTensor(core::DType dtype, const core::Shape& shape, Strides strides, Random& random, bool special = true);

/// Real part of an element, without loss (an x87 long double holds int64, uint64 and float64).
long double realPart(core::DType dtype, const std::byte* element);
/// Imaginary part, 0 for real dtypes.
long double imaginaryPart(core::DType dtype, const std::byte* element);

/// Address of an element.
const std::byte* elementAt(const core::Tensor& tensor, const std::vector<std::int64_t>& indices);

/// Calls visit(indices) for all indices of a shape in row-major order.
template <class Visit>
void forIndices(const core::Shape& shape, Visit visit)
{
    std::vector<std::int64_t> indices(shape.size(), 0);
    for (const std::int64_t extent : shape)
        if (extent == 0)
            return;
    while (true) {
        visit(static_cast<const std::vector<std::int64_t>&>(indices));
        std::size_t axis = shape.size();
        while (axis > 0 && ++indices[axis - 1] == shape[axis - 1])
            indices[--axis] = 0;
        if (axis == 0)
            return;
    }
}

} // namespace support
