// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"

#include <algorithm>
#include <bit>

namespace core {

void expandMask(const std::uint64_t* mask, std::int64_t elements, std::uint8_t* bytes)
{
    for (std::int64_t i = 0; i < elements; ++i)
        bytes[i] = static_cast<std::uint8_t>(mask[i / 64] >> (i % 64) & 1);
}

std::int64_t countMask(const std::uint64_t* mask, std::int64_t words)
{
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < words; ++i)
        count += std::popcount(mask[i]);
    return count;
}

void listHot(const std::uint64_t* mask, std::int64_t words, std::uint32_t base, std::span<std::uint32_t> offsets)
{
    std::size_t next = 0;
    for (std::int64_t i = 0; i < words; ++i)
        for (std::uint64_t word = mask[i]; word; word &= word - 1)
            offsets[next++] = base + static_cast<std::uint32_t>(i * 64 + std::countr_zero(word));
}

void writeRows(std::span<const std::uint32_t> offsets, const RowPattern& pattern, std::int64_t* rows)
{
    const int rank = pattern.rank();
    for (const std::uint32_t offset : offsets) {
        std::int64_t* end = std::copy(pattern.prefix.begin(), pattern.prefix.end(), rows);
        if (!pattern.onlyColumn)
            *end++ = offset / pattern.width;
        *end = pattern.onlyColumn ? offset : offset % pattern.width;
        rows += rank;
    }
}

void writeColumns(std::span<const std::uint32_t> offsets, const RowPattern& pattern, std::int64_t* columns,
                  std::int64_t columnStride)
{
    for (const std::uint32_t offset : offsets) {
        std::int64_t* column = columns++;
        for (const std::int64_t index : pattern.prefix) {
            *column = index;
            column += columnStride;
        }
        if (!pattern.onlyColumn) {
            *column = offset / pattern.width;
            column += columnStride;
        }
        *column = pattern.onlyColumn ? offset : offset % pattern.width;
    }
}

void widenFloat8(DType dtype, const std::byte* values, std::int64_t n, float* widened)
{
    for (std::int64_t i = 0; i < n; ++i)
        widened[i] = float8ToFloat(dtype, std::to_integer<std::uint8_t>(values[i]));
}

} // namespace core
