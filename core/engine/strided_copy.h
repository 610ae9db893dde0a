// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace core {

/// A two-dimensional strided piece of memory. Strides are in elements.
struct StridedPiece
{
    const std::byte* first = nullptr;
    std::int64_t rows = 1;
    std::int64_t rowStride = 0;
    std::int64_t columns = 1;
    std::int64_t columnStride = 1;
};

/// Copies a piece of `itemSize`-byte elements (1, 2, 4, 8 or 16) so that each row is contiguous, `toStride` elements from one
/// row to the next. Any alignment.
void copyPiece(const StridedPiece& piece, int itemSize, std::byte* to, std::int64_t toStride);

} // namespace core
