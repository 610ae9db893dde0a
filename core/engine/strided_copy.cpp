// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

namespace core {
namespace {

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

    template <int... i>
    static Vector reverse(Vector a, std::integer_sequence<int, i...>)
    {
        return __builtin_shufflevector(a, a, (side - 1 - i)...);
    }

    /// Every second element of two vectors that follow each other.
    template <int... i>
    static Vector even(Vector a, Vector b, std::integer_sequence<int, i...>)
    {
        return __builtin_shufflevector(a, b, (2 * i)...);
    }

    static Vector load(const std::byte* from)
    {
        Vector vector;
        std::memcpy(&vector, from, sizeof vector);
        return vector;
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

struct Bytes16
{
    std::uint64_t halves[2];
};

/// Elements of type T copied along one axis or two.
template <class T>
class Copier
{
    static constexpr std::int64_t size = sizeof(T);
    static constexpr bool hasVectors = sizeof(T) <= 8;
    static constexpr std::int64_t line = 64 / size;

public:
    /// Along one axis.
    static void row(const std::byte* from, std::byte* to, const CopyAxis& axis)
    {
        std::int64_t done = 0;
        if constexpr (hasVectors)
            if (axis.toStride == -1 && axis.fromStride == 1)
                done = backwards(from, to, axis.extent);
        if (axis.toStride == 1) {
            if (axis.fromStride == 1) {
                std::memcpy(to, from, static_cast<std::size_t>(axis.extent * size));
                return;
            }
            if (axis.fromStride == 0) {
                fill(from, to, axis.extent);
                return;
            }
            if constexpr (hasVectors)
                done = vectors(from, to, axis);
        }
        elements(from + done * axis.fromStride * size, to + done * axis.toStride * size,
                 {axis.extent - done, axis.fromStride, axis.toStride});
    }

    /// Along two axes: `near` has neighbours in `from`, `packed` in `to`.
    static void plane(const std::byte* from, std::byte* to, const CopyAxis& near, const CopyAxis& packed)
    {
        if constexpr (hasVectors)
            if (packed.toStride == 1) {
                // Steps of large powers of two meet in one set of the cache, where lines do not last from block to block.
                const bool meets = packed.fromStride * size % 4096 == 0 && near.extent * size >= 64;
                if (near.fromStride == 1 && !meets)
                    return transposed<true>(from, to, near, packed);
                return gathered(from, to, near, packed);
            }
        // Few lines at a time, for the same reason.
        blocks(from, to, near, packed, 8);
    }

private:
    static void copyOne(const std::byte* from, std::byte* to) { std::memcpy(to, from, sizeof(T)); }

    static void elements(const std::byte* from, std::byte* to, const CopyAxis& axis)
    {
        const std::int64_t fromStep = axis.fromStride * size;
        const std::int64_t toStep = axis.toStride * size;
        // Steps over lines are too long for the processor to foresee.
        constexpr std::int64_t ahead = 16;
        const bool isFar = std::abs(fromStep) >= 64;
        for (std::int64_t i = 0; i < axis.extent; ++i, from += fromStep, to += toStep) {
            if (isFar)
                __builtin_prefetch(from + ahead * fromStep);
            copyOne(from, to);
        }
    }

    static void fill(const std::byte* from, std::byte* to, std::int64_t n)
    {
        T value;
        std::memcpy(&value, from, sizeof value);
        for (std::int64_t i = 0; i < n; ++i)
            std::memcpy(to + i * size, &value, sizeof value);
    }

    /// Whole vectors of a row that is written backwards; returns how many elements.
    static std::int64_t backwards(const std::byte* from, std::byte* to, std::int64_t n)
    {
        constexpr std::int64_t step = size == 1 ? 8 : Block<T>::side;
        std::int64_t i = 0;
        for (; i + step <= n; i += step)
            if constexpr (size == 1) {
                std::uint64_t bytes = 0;
                std::memcpy(&bytes, from + i, sizeof bytes);
                bytes = __builtin_bswap64(bytes);
                std::memcpy(to - i - 7, &bytes, sizeof bytes);
            } else {
                const auto vector =
                    Block<T>::reverse(Block<T>::load(from + i * size), std::make_integer_sequence<int, Block<T>::side>());
                std::memcpy(to - (i + step - 1) * size, &vector, sizeof vector);
            }
        return i;
    }

    /// Whole vectors of a row of which every second element is taken; returns how many elements.
    static std::int64_t vectors(const std::byte* from, std::byte* to, const CopyAxis& axis)
    {
        using B = Block<T>;
        constexpr std::make_integer_sequence<int, B::side> all;
        std::int64_t i = 0;
        if (axis.fromStride == 2)
            // What follows the last element may not be there.
            for (; i + B::side < axis.extent; i += B::side) {
                const auto vector = B::even(B::load(from + 2 * i * size), B::load(from + (2 * i + B::side) * size), all);
                std::memcpy(to + i * size, &vector, sizeof vector);
            }
        return i;
    }

    /// Element by element, `width` of `packed` at a time.
    static void blocks(const std::byte* from, std::byte* to, const CopyAxis& near, const CopyAxis& packed, std::int64_t width)
    {
        for (std::int64_t begin = 0; begin < packed.extent; begin += width) {
            const std::int64_t n = std::min(width, packed.extent - begin);
            const std::byte* source = from + begin * packed.fromStride * size;
            std::byte* target = to + begin * packed.toStride * size;
            for (std::int64_t i = 0; i < near.extent; ++i) {
                for (std::int64_t k = 0; k < n; ++k)
                    copyOne(source + k * packed.fromStride * size, target + k * packed.toStride * size);
                source += near.fromStride * size;
                target += near.toStride * size;
            }
        }
    }

    /// The same by way of a buffer in which what is needed at once lies together.
    static void gathered(const std::byte* from, std::byte* to, const CopyAxis& near, const CopyAxis& packed)
    {
        constexpr std::int64_t chunk = 256 / size;
        constexpr std::int64_t pitch = chunk + 16 / size;
        alignas(64) std::byte buffer[line * pitch * size];
        const std::int64_t chunkBytes = std::min(chunk, near.extent) * std::abs(near.fromStride) * size;
        const std::int64_t ahead = line * packed.fromStride * size;
        for (std::int64_t begin = 0; begin < packed.extent; begin += line) {
            const std::int64_t n = std::min(line, packed.extent - begin);
            for (std::int64_t at = 0; at < near.extent; at += chunk) {
                const std::int64_t m = std::min(chunk, near.extent - at);
                const std::byte* source = from + (begin * packed.fromStride + at * near.fromStride) * size;
                for (std::int64_t k = 0; k < n; ++k, source += packed.fromStride * size) {
                    for (std::int64_t b = 0; b < std::min(chunkBytes, std::int64_t{512}); b += 64)
                        __builtin_prefetch(source + ahead + b);
                    row(source, buffer + k * pitch * size, {m, near.fromStride, 1});
                }
                transposed<false>(buffer, to + (at * near.toStride + begin) * size, {m, 1, near.toStride}, {n, pitch, 1});
            }
        }
    }

    /// Whole lines of the cache are read and written.
    template <bool fetchesAhead>
    static void transposed(const std::byte* from, std::byte* to, const CopyAxis& near, const CopyAxis& packed)
    {
        constexpr std::int64_t side = Block<T>::side;
        const std::int64_t rows = near.extent / side * side;
        const CopyAxis rest{near.extent - rows, near.fromStride, near.toStride};
        for (std::int64_t begin = 0; begin < packed.extent; begin += line) {
            const std::int64_t n = std::min(line, packed.extent - begin);
            const std::int64_t columns = n / side * side;
            const std::byte* const source = from + begin * packed.fromStride * size;
            std::byte* const target = to + begin * size;
            for (std::int64_t row = 0; row < rows; row += side)
                for (std::int64_t column = 0; column < columns; column += side)
                    turn<fetchesAhead>(source + (column * packed.fromStride + row) * size,
                                       target + (row * near.toStride + column) * size, packed.fromStride * size,
                                       near.toStride * size);
            if (columns < n)
                blocks(source + columns * packed.fromStride * size, target + columns * size, {rows, 1, near.toStride},
                       {n - columns, packed.fromStride, 1}, line);
            if (rest.extent > 0)
                blocks(source + rows * size, target + rows * near.toStride * size, rest, {n, packed.fromStride, 1}, line);
        }
    }

    /// One block; steps in bytes from one of its rows to the next.
    template <bool fetchesAhead>
    static void turn(const std::byte* from, std::byte* to, std::int64_t fromStep, std::int64_t toStep)
    {
        using B = Block<T>;
        typename B::Vector block[B::side];
#pragma GCC unroll 16
        for (int i = 0; i < B::side; ++i) {
            // The steps are too long for the processor to foresee.
            if constexpr (fetchesAhead)
                __builtin_prefetch(from + (i + line) * fromStep);
            block[i] = B::load(from + i * fromStep);
        }
        B::transpose(block);
#pragma GCC unroll 16
        for (int i = 0; i < B::side; ++i)
            std::memcpy(to + i * toStep, &block[i], sizeof block[i]);
    }
};

/// A box with as few axes as can be, those that are not copied along at last left out.
class Box
{
public:
    Box(const std::byte* from, std::byte* to, std::span<const CopyAxis> axes) : m_from(from), m_to(to)
    {
        for (const CopyAxis& axis : axes) {
            m_isEmpty = m_isEmpty || axis.extent == 0;
            if (axis.extent > 1)
                m_axes[m_count++] = axis;
        }
        std::stable_sort(m_axes.begin(), end(),
                         [](const CopyAxis& a, const CopyAxis& b) { return std::abs(a.toStride) > std::abs(b.toStride); });
        merge();
        if (m_count == 0)
            m_axes[m_count++] = {1, 1, 1};
    }

    void copy(int itemSize)
    {
        if (m_isEmpty)
            return;
        switch (itemSize) {
        case 1:
            return copy<std::uint8_t>();
        case 2:
            return copy<std::uint16_t>();
        case 4:
            return copy<std::uint32_t>();
        case 8:
            return copy<std::uint64_t>();
        default:
            return copy<Bytes16>();
        }
    }

private:
    using Axes = std::array<CopyAxis, mostCopyAxes>;

    Axes::iterator end() { return m_axes.begin() + static_cast<std::ptrdiff_t>(m_count); }

    void merge()
    {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < m_count; ++i) {
            const CopyAxis axis = m_axes[i];
            if (kept > 0 && m_axes[kept - 1].fromStride == axis.extent * axis.fromStride &&
                m_axes[kept - 1].toStride == axis.extent * axis.toStride)
                m_axes[kept - 1] = {m_axes[kept - 1].extent * axis.extent, axis.fromStride, axis.toStride};
            else
                m_axes[kept++] = axis;
        }
        m_count = kept;
    }

    template <class T>
    void copy()
    {
        CopyAxis packed = take(end() - 1);
        // Repeated elements are near wherever they go.
        const auto step = [](const CopyAxis& axis) {
            return axis.fromStride == 0 ? std::numeric_limits<std::int64_t>::max() : std::abs(axis.fromStride);
        };
        const auto nearest =
            std::min_element(m_axes.begin(), end(), [&](const CopyAxis& a, const CopyAxis& b) { return step(a) < step(b); });
        const bool isTurned = nearest != end() && packed.fromStride != 0 && step(*nearest) < step(packed);
        CopyAxis near;
        if (isTurned) {
            near = take(nearest);
            turnRound<T>(near, near.fromStride < 0);
            turnRound<T>(packed, packed.toStride < 0);
        }
        std::stable_sort(m_axes.begin(), end(),
                         [](const CopyAxis& a, const CopyAxis& b) { return std::abs(a.fromStride) > std::abs(b.fromStride); });
        if (isTurned)
            return forOuter(0, m_from, m_to, sizeof(T),
                            [&](const std::byte* from, std::byte* to) { Copier<T>::plane(from, to, near, packed); });
        // Memory is read forwards.
        turnRound<T>(packed, packed.fromStride < 0);
        // The beginning of the next row would be waited for.
        constexpr std::int64_t size = sizeof(T);
        const std::int64_t next = m_count > 0 ? m_axes[m_count - 1].fromStride * size : 0;
        const std::int64_t ahead = std::min(packed.extent * packed.fromStride * size, std::int64_t{512});
        forOuter(0, m_from, m_to, size, [&](const std::byte* from, std::byte* to) {
            for (std::int64_t b = 0; b < ahead; b += 64)
                __builtin_prefetch(from + next + b);
            Copier<T>::row(from, to, packed);
        });
    }

    CopyAxis take(Axes::iterator at)
    {
        const CopyAxis axis = *at;
        std::copy(at + 1, end(), at);
        --m_count;
        return axis;
    }

    template <class T>
    void turnRound(CopyAxis& axis, bool really)
    {
        constexpr std::int64_t size = sizeof(T);
        if (!really)
            return;
        m_from += (axis.extent - 1) * axis.fromStride * size;
        m_to += (axis.extent - 1) * axis.toStride * size;
        axis.fromStride = -axis.fromStride;
        axis.toStride = -axis.toStride;
    }

    template <class Use>
    void forOuter(std::size_t axis, const std::byte* from, std::byte* to, std::int64_t size, const Use& use) const
    {
        if (axis == m_count)
            return use(from, to);
        for (std::int64_t i = 0; i < m_axes[axis].extent; ++i)
            forOuter(axis + 1, from + i * m_axes[axis].fromStride * size, to + i * m_axes[axis].toStride * size, size, use);
    }

    Axes m_axes;
    std::size_t m_count = 0;
    const std::byte* m_from;
    std::byte* m_to;
    bool m_isEmpty = false;
};

} // namespace

void copyBox(const std::byte* from, std::byte* to, std::span<const CopyAxis> axes, int itemSize)
{
    Box(from, to, axes).copy(itemSize);
}

} // namespace core
