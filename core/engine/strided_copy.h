// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace core {

/// One axis of a box of elements that is copied. Strides are in elements, of any sign; none of `toStride` is 0.
struct CopyAxis
{
    std::int64_t extent = 1;
    std::int64_t fromStride = 0;
    std::int64_t toStride = 0;
};

/// Most axes of a box: those of a tensor, a batch and a channel.
inline constexpr std::size_t mostCopyAxes = 72;

/// Copies a box of `itemSize`-byte elements (1, 2, 4, 8 or 16) between any two orders of its axes: whole lines of the cache are
/// read, and blocks of a transposed box turned in registers. Any alignment; `from` and `to` do not overlap.
void copyBox(const std::byte* from, std::byte* to, std::span<const CopyAxis> axes, int itemSize);

} // namespace core
