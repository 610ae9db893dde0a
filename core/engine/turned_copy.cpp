// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/turned_copy.h"

#include "core/engine/kernels_turn.h"
#include "core/engine/row_copy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace core {
namespace {

constexpr std::int64_t lineBytes = 64;
/// Lines so far apart meet in one set of the first cache.
constexpr std::int64_t pageBytes = 4096;
/// Rows that are taken at once, and are fetched ahead: fewer do not cover the way from memory.
constexpr std::int64_t leastRows = 32;
constexpr std::int64_t mostRows = 256;
/// What is taken at once, so that it lasts in the first cache, together with where it goes.
constexpr std::int64_t goalBytes = 8192;
constexpr std::int64_t mostColumns = 128;
/// What is read in one go is fetched so far ahead.
constexpr std::int64_t aheadBytes = 4096;

/// Has lines of the cache come that hold bytes, each `step` bytes apart.
void fetch(const std::byte* from, std::int64_t bytes, std::int64_t step = lineBytes)
{
    // To the second-level cache: the first one has too few requests under way, and too few lines for steps that meet there.
    for (std::int64_t b = -(reinterpret_cast<std::intptr_t>(from) & (lineBytes - 1)); b < bytes; b += step)
        __builtin_prefetch(from + b, 0, 2);
}

/// Some bytes, by whole words that may overlap.
void copyWords(const std::byte* from, std::byte* to, std::int64_t n)
{
    const auto ends = [&]<class Word>(Word) {
        Word first;
        Word last;
        std::memcpy(&first, from, sizeof first);
        std::memcpy(&last, from + n - sizeof last, sizeof last);
        std::memcpy(to, &first, sizeof first);
        std::memcpy(to + n - sizeof last, &last, sizeof last);
    };
    if (n >= 64)
        std::memcpy(to, from, static_cast<std::size_t>(n));
    else if (n >= 16) {
        constexpr auto word = static_cast<std::int64_t>(sizeof(Bytes16));
        for (std::int64_t i = word; i < n - word; i += word)
            std::memcpy(to + i, from + i, sizeof(Bytes16));
        ends(Bytes16());
    } else if (n >= 8)
        ends(std::uint64_t());
    else if (n >= 4)
        ends(std::uint32_t());
    else
        for (std::int64_t i = 0; i < n; ++i)
            to[i] = from[i];
}

template <class T>
class TurnedCopy
{
    static constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    static constexpr std::int64_t side = 16 / size;
    /// Rows that fill lines where they go.
    static constexpr std::int64_t fewestRows = std::max(leastRows, lineBytes / size);

public:
    explicit TurnedCopy(const TurnedBox& box) : m_box(box), m_kernels(turnKernels(static_cast<int>(size)))
    {
        for (const CopyAxis& axis : box.run)
            m_columns *= axis.extent;
        m_step = box.run.front().fromStride;
    }

    void copy()
    {
        const std::int64_t rowStep = std::abs(m_box.packed.fromStride) * size;
        if (m_columns <= side && rowStep < lineBytes)
            return copyNarrow();
        const std::int64_t most = std::min(m_columns, goalBytes / fewestRows / size);
        const std::int64_t rows = std::clamp(goalBytes / (most * size) / fewestRows * fewestRows, fewestRows, mostRows);
        for (std::int64_t at = 0; at < m_columns; at += most) {
            const std::int64_t n = std::min(most, m_columns - at);
            m_next = at + n < m_columns ? m_box.from + (at + n) * m_step * size : m_box.next;
            copyChunk(m_box.from + at * m_step * size, at, n, rows);
        }
    }

private:
    /// `n` columns of all rows.
    void copyChunk(const std::byte* from, std::int64_t at, std::int64_t n, std::int64_t together)
    {
        alignas(64) std::byte buffer[goalBytes * 2 + mostRows * lineBytes];
        setOffsets(at, n);
        const CopyAxis& packed = m_box.packed;
        const std::int64_t step = packed.fromStride * size;
        const std::int64_t bytes = n * m_step * size;
        const std::int64_t fetched = std::max(lineBytes, m_step * size);
        // Rows that begin at different sets of the cache.
        const std::int64_t pitch = n * size <= 32 ? (n * size + 15) / 16 * 16 : (n * size + 63) / 64 * 64 + 64;
        const std::int64_t ahead = std::max(together, leastRows);
        const std::int64_t direct = directRows(n);
        for (std::int64_t row = 0; row < packed.extent; row += together) {
            const std::int64_t count = std::min(together, packed.extent - row);
            for (std::int64_t k = row; k < row + count; ++k) {
                if (k + ahead < packed.extent)
                    fetch(from + (k + ahead) * step, bytes, fetched);
                else if (m_next)
                    fetch(m_next + (k + ahead - packed.extent) * step, bytes, fetched);
                if (row + count > direct)
                    gather(from + k * step, buffer + (k - row) * pitch, n);
            }
            const TurnedRows rows = row + count > direct ? TurnedRows{buffer, pitch} : TurnedRows{from + row * step, step};
            m_kernels.turn({rows.rows, rows.pitch, count, n, m_box.to + row * size, m_offsets.data()});
        }
    }

    /// How many rows of `n` columns need no buffer: what is read past their ends is there.
    std::int64_t directRows(std::int64_t n) const
    {
        const std::int64_t step = m_box.packed.fromStride * size;
        const std::int64_t past = (16 - n * size % 16) % 16;
        if (m_step != 1 || n * size > lineBytes || std::gcd(step, pageBytes) > 4 * lineBytes)
            return 0;
        if (past == 0)
            return m_box.packed.extent;
        return step > 0 ? m_box.packed.extent - (past + step - 1) / step : 0;
    }

    void gather(const std::byte* from, std::byte* to, std::int64_t n) const
    {
        if (m_step == 1)
            copyWords(from, to, n * size);
        else if ((sizeof(T) <= 2 && m_step == 2) || m_step == 3)
            m_kernels.thin(from, to, n, m_step);
        else
            copyRow<T>(from, to, {n, m_step, 1});
    }

    /// Few columns of rows that share lines.
    void copyNarrow()
    {
        setOffsets(0, m_columns);
        const auto width = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(m_columns)));
        const CopyAxis& packed = m_box.packed;
        const bool isDense = m_step == 1 && width == m_columns && packed.fromStride == width;
        alignas(64) std::byte buffer[goalBytes];
        const std::int64_t together = goalBytes / (width * size);
        for (std::int64_t row = 0; row < packed.extent; row += together) {
            const std::int64_t count = std::min(together, packed.extent - row);
            const std::byte* rows = m_box.from + row * packed.fromStride * size;
            fetch((packed.fromStride > 0 ? rows : rows + (count - 1) * packed.fromStride * size) +
                      (packed.fromStride > 0 ? aheadBytes : -aheadBytes),
                  count * std::abs(packed.fromStride) * size);
            if (!isDense) {
                padRows(rows, buffer, count, width);
                rows = buffer;
            }
            m_kernels.deal({rows, width * size, count, m_columns, m_box.to + row * size, m_offsets.data()});
        }
    }

    /// Brings rows to a power of two of elements.
    void padRows(const std::byte* from, std::byte* to, std::int64_t count, std::int64_t width) const
    {
        const std::int64_t step = m_box.packed.fromStride;
        const auto one = [&](std::int64_t k) {
            const std::byte* const row = from + k * step * size;
            std::byte* const target = to + k * width * size;
            for (std::int64_t i = 0; i < m_columns; ++i)
                std::memcpy(target + i * size, row + i * m_step * size, sizeof(T));
        };
        // The others' neighbours are there to be read.
        const std::int64_t last =
            m_step != 1 ? count : std::min(count, (width - m_columns + std::abs(step) - 1) / std::abs(step));
        const std::int64_t begin = step > 0 ? 0 : last;
        const std::int64_t end = step > 0 ? count - last : count;
        const auto whole = [&]<class Word>(Word word) {
            for (std::int64_t k = begin; k < end; ++k) {
                std::memcpy(&word, from + k * step * size, sizeof word);
                std::memcpy(to + k * static_cast<std::int64_t>(sizeof word), &word, sizeof word);
            }
        };
        switch (width * size) {
        case 2:
            whole(std::uint16_t());
            break;
        case 4:
            whole(std::uint32_t());
            break;
        case 8:
            whole(std::uint64_t());
            break;
        default:
            whole(Bytes16());
        }
        for (std::int64_t k = 0; k < begin; ++k)
            one(k);
        for (std::int64_t k = end; k < count; ++k)
            one(k);
    }

    /// Where columns [at, at + n) go.
    void setOffsets(std::int64_t at, std::int64_t n)
    {
        std::int64_t rest = at;
        std::int64_t offset = 0;
        std::array<std::int64_t, mostCopyAxes> index;
        for (std::size_t i = 0; i < m_box.run.size(); ++i) {
            const CopyAxis& axis = m_box.run[i];
            index[i] = rest % axis.extent;
            rest /= axis.extent;
            offset += index[i] * axis.toStride;
        }
        for (std::int64_t column = 0; column < n; ++column) {
            m_offsets[static_cast<std::size_t>(column)] = offset * size;
            for (std::size_t i = 0; i < m_box.run.size(); ++i) {
                const CopyAxis& axis = m_box.run[i];
                offset += axis.toStride;
                if (++index[i] < axis.extent)
                    break;
                offset -= axis.extent * axis.toStride;
                index[i] = 0;
            }
        }
    }

    const TurnedBox& m_box;
    const TurnKernels& m_kernels;
    std::int64_t m_columns = 1;
    /// Elements from one column to the next in `from`.
    std::int64_t m_step = 1;
    const std::byte* m_next = nullptr;
    std::array<std::int64_t, mostColumns> m_offsets;
};

} // namespace

void copyTurned(const TurnedBox& box, int itemSize)
{
    switch (itemSize) {
    case 1:
        return TurnedCopy<std::uint8_t>(box).copy();
    case 2:
        return TurnedCopy<std::uint16_t>(box).copy();
    case 4:
        return TurnedCopy<std::uint32_t>(box).copy();
    default:
        return TurnedCopy<std::uint64_t>(box).copy();
    }
}

} // namespace core
