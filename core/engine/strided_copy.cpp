// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace core {
namespace {

template <int size>
void copyElements(const StridedPiece& piece, std::byte* to, std::int64_t toStride)
{
    // Blocks of columns, so that the rows of a transposed copy stay in the cache.
    constexpr std::int64_t block = 64;
    for (std::int64_t begin = 0; begin < piece.columns; begin += block) {
        const std::int64_t end = std::min(begin + block, piece.columns);
        for (std::int64_t row = 0; row < piece.rows; ++row) {
            const std::byte* source = piece.first + (row * piece.rowStride + begin * piece.columnStride) * size;
            std::byte* target = to + (row * toStride + begin) * size;
            for (std::int64_t column = begin; column < end; ++column) {
                std::memcpy(target, source, size);
                source += piece.columnStride * size;
                target += size;
            }
        }
    }
}

} // namespace

void copyPiece(const StridedPiece& piece, int itemSize, std::byte* to, std::int64_t toStride)
{
    if (piece.columnStride == 1 || piece.columns == 1) {
        for (std::int64_t row = 0; row < piece.rows; ++row)
            std::memcpy(to + row * toStride * itemSize, piece.first + row * piece.rowStride * itemSize,
                        static_cast<std::size_t>(piece.columns * itemSize));
        return;
    }
    switch (itemSize) {
    case 1:
        return copyElements<1>(piece, to, toStride);
    case 2:
        return copyElements<2>(piece, to, toStride);
    case 4:
        return copyElements<4>(piece, to, toStride);
    case 8:
        return copyElements<8>(piece, to, toStride);
    default:
        return copyElements<16>(piece, to, toStride);
    }
}

} // namespace core
