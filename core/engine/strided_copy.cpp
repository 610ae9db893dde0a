// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

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

/// Vectors of 16 bytes, of as many elements as a block has rows and columns.
template <class T>
struct Block
{
    static constexpr int side = 16 / sizeof(T);
    using Vector __attribute__((vector_size(16))) = T;

    /// The lower halves of two vectors, or their upper ones, element by element in turn.
    template <int first, int... i>
    static Vector interleave(Vector a, Vector b, std::integer_sequence<int, i...>)
    {
        return __builtin_shufflevector(a, b, ((i % 2) * side + first + i / 2)...);
    }

    /// Rows become columns: after log2(side) times taking the first half and the second in turn.
    static void transpose(Vector (&rows)[side])
    {
        constexpr std::make_integer_sequence<int, side> all;
        for (int step = 1; step < side; step *= 2) {
            Vector next[side];
#pragma GCC unroll 8
            for (int i = 0; i < side / 2; ++i) {
                next[2 * i] = interleave<0>(rows[i], rows[i + side / 2], all);
                next[2 * i + 1] = interleave<side / 2>(rows[i], rows[i + side / 2], all);
            }
#pragma GCC unroll 16
            for (int i = 0; i < side; ++i)
                rows[i] = next[i];
        }
    }
};

/// A piece whose rows are neighbours (a channels-last tensor): whole lines of the cache are read and written.
template <class T>
void transposeElements(const StridedPiece& piece, std::byte* to, std::int64_t toStride)
{
    constexpr std::int64_t side = Block<T>::side;
    constexpr std::int64_t line = 64 / sizeof(T);
    constexpr int size = sizeof(T);
    const std::int64_t rows = piece.rows / side * side;
    const std::int64_t columns = piece.columns / line * line;
    for (std::int64_t begin = 0; begin < columns; begin += line)
        for (std::int64_t row = 0; row < rows; row += side)
            for (std::int64_t column = begin; column < begin + line; column += side) {
                typename Block<T>::Vector block[side];
#pragma GCC unroll 16
                for (int i = 0; i < side; ++i) {
                    const std::byte* const from = piece.first + ((column + i) * piece.columnStride + row) * size;
                    // The steps are too long for the processor to foresee.
                    __builtin_prefetch(from + line * piece.columnStride * size);
                    std::memcpy(&block[i], from, sizeof block[i]);
                }
                Block<T>::transpose(block);
#pragma GCC unroll 16
                for (int i = 0; i < side; ++i)
                    std::memcpy(to + ((row + i) * toStride + column) * size, &block[i], sizeof block[i]);
            }
    StridedPiece rest = piece;
    rest.first = piece.first + columns * piece.columnStride * size;
    rest.rows = rows;
    rest.columns = piece.columns - columns;
    copyElements<size>(rest, to + columns * size, toStride);
    rest.first = piece.first + rows * size;
    rest.rows = piece.rows - rows;
    rest.columns = piece.columns;
    copyElements<size>(rest, to + rows * toStride * size, toStride);
}

template <class T>
void copyStrided(const StridedPiece& piece, std::byte* to, std::int64_t toStride)
{
    if (piece.rowStride == 1 && piece.rows >= Block<T>::side)
        transposeElements<T>(piece, to, toStride);
    else
        copyElements<sizeof(T)>(piece, to, toStride);
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
        return copyStrided<std::uint8_t>(piece, to, toStride);
    case 2:
        return copyStrided<std::uint16_t>(piece, to, toStride);
    case 4:
        return copyStrided<std::uint32_t>(piece, to, toStride);
    case 8:
        return copyStrided<std::uint64_t>(piece, to, toStride);
    default:
        return copyElements<16>(piece, to, toStride);
    }
}

} // namespace core
