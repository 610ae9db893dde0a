// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"

#include <algorithm>
#include <array>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_rows.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_ROWS_ONCE
#define ACTISCOPE_KERNELS_ROWS_ONCE
namespace core {
namespace {

/// Row by row where vectors do not pay.
class RowSplitter
{
public:
    explicit RowSplitter(const RowPattern& pattern) : m_pattern(pattern) {}

    std::int64_t at(std::uint32_t offset, std::size_t axis) const
    {
        if (axis < m_pattern.prefix.size())
            return m_pattern.prefix[axis];
        if (m_pattern.onlyColumn)
            return offset;
        return axis == m_pattern.prefix.size() ? offset / m_pattern.width : offset % m_pattern.width;
    }

private:
    const RowPattern& m_pattern;
};

/// Positions of the set bits of every byte, lowest first.
struct BytePositions
{
    std::uint8_t positions[256][8];

    constexpr BytePositions() : positions{}
    {
        for (unsigned byte = 0; byte < 256; ++byte) {
            int next = 0;
            for (unsigned bit = 0; bit < 8; ++bit)
                if (byte >> bit & 1)
                    positions[byte][next++] = static_cast<std::uint8_t>(bit);
        }
    }
};
constexpr BytePositions bytePositions;

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

HWY_INLINE std::uint32_t* listBits(std::uint64_t word, std::uint32_t base, std::uint32_t* next)
{
    for (; word; word &= word - 1)
        *next++ = base + static_cast<std::uint32_t>(__builtin_ctzll(word));
    return next;
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

/// Writes up to 16 entries past the last.
HWY_INLINE std::uint32_t* listDense(std::uint64_t word, std::uint32_t base, std::uint32_t* next)
{
    const __m512i steps = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (std::uint32_t q = 0; q < 64; q += 16) {
        const auto bits = static_cast<__mmask16>(word >> q);
        const __m512i offsets = _mm512_add_epi32(steps, _mm512_set1_epi32(static_cast<int>(base + q)));
        // Merge-masked: the zero-masked form is slow on Zen, as is compressing into memory.
        _mm512_storeu_si512(next, _mm512_mask_compress_epi32(offsets, bits, offsets));
        next += __builtin_popcount(bits);
    }
    return next;
}

#elif ACTISCOPE_PLAIN

HWY_INLINE std::uint32_t* listDense(std::uint64_t word, std::uint32_t base, std::uint32_t* next)
{
    return listBits(word, base, next);
}

#else

HWY_INLINE std::uint32_t* listDense(std::uint64_t word, std::uint32_t base, std::uint32_t* next)
{
    const hn::CappedTag<std::uint32_t, 8> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const hn::Rebind<std::uint8_t, decltype(d)> bytes;
    for (std::uint32_t q = 0; q < 64; q += 8) {
        const std::uint64_t byte = word >> q & 255;
        for (std::size_t i = 0; i < 8; i += lanes) {
            const auto positions = hn::LoadU(bytes, bytePositions.positions[byte] + i);
            hn::StoreU(hn::Add(hn::PromoteTo(d, positions), hn::Set(d, base + q)), d, next + i);
        }
        next += __builtin_popcountll(byte);
    }
    return next;
}

#endif

void listWords(const std::uint64_t* mask, std::int64_t words, std::uint32_t base, std::span<std::uint32_t> offsets)
{
    constexpr int sparse = 4;
    constexpr std::ptrdiff_t overrun = 16;
    std::uint32_t* next = offsets.data();
    const std::uint32_t* const end = next + offsets.size();
    for (std::int64_t i = 0; i < words; ++i, base += 64) {
        const std::uint64_t word = mask[i];
        if (!word)
            continue;
        const int bits = __builtin_popcountll(word);
        if (bits <= sparse || end - next < bits + overrun)
            next = listBits(word, base, next);
        else
            next = listDense(word, base, next);
    }
}

std::int64_t countWords(const std::uint64_t* mask, std::int64_t words)
{
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < words; ++i)
        count += __builtin_popcountll(mask[i]);
    return count;
}

#if ACTISCOPE_PLAIN

void expandWords(const std::uint64_t* mask, std::int64_t elements, std::uint8_t* bytes)
{
    for (std::int64_t i = 0; i < elements; ++i)
        bytes[i] = static_cast<std::uint8_t>(mask[i / 64] >> (i % 64) & 1);
}

std::size_t splitRows(std::span<const std::uint32_t>, const RowPattern&, std::int64_t*)
{
    return 0;
}

std::size_t splitColumns(std::span<const std::uint32_t>, const RowPattern&, std::int64_t*, std::int64_t)
{
    return 0;
}

#else

void expandWords(const std::uint64_t* mask, std::int64_t elements, std::uint8_t* bytes)
{
    const hn::ScalableTag<std::uint8_t> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const auto one = hn::Set(d, std::uint8_t{1});
    const auto* bits = reinterpret_cast<const std::uint8_t*>(mask);
    std::int64_t i = 0;
    for (; i + lanes <= elements; i += lanes)
        hn::StoreU(hn::IfThenElseZero(hn::LoadMaskBits(d, bits + i / 8), one), d, bytes + i);
    for (; i < elements; ++i)
        bytes[i] = static_cast<std::uint8_t>(mask[i / 64] >> (i % 64) & 1);
}

using DI = hn::ScalableTag<std::int64_t>;

/// Rows and columns of a vector of offsets.
class Divider
{
public:
    explicit Divider(std::int64_t width)
        : m_width(hn::Set(DD(), static_cast<double>(width))), m_inverse(hn::Set(DD(), 1.0 / static_cast<double>(width)))
    {
    }

    HWY_INLINE void split(const std::uint32_t* offsets, hn::Vec<DI>& row, hn::Vec<DI>& column) const
    {
        const DD dd;
        const auto offset = loadDouble<std::uint32_t>(dd, reinterpret_cast<const std::byte*>(offsets));
        // (offset + 1/2) / width is at least 1/2 / width away from every integer, far more than its rounding error.
        const auto quotient = hn::Floor(hn::Mul(hn::Add(offset, hn::Set(dd, 0.5)), m_inverse));
        row = toInteger(quotient);
        column = toInteger(hn::Sub(offset, hn::Mul(quotient, m_width)));
    }

private:
    using DD = hn::ScalableTag<double>;

    /// Of a whole number in [0, 2^52).
    static HWY_INLINE hn::Vec<DI> toInteger(hn::Vec<DD> whole)
    {
        const auto magic = hn::Set(DD(), 0x1p52);
        return hn::BitCast(DI(), hn::Xor(hn::Add(whole, magic), magic));
    }

    hn::Vec<DD> m_width;
    hn::Vec<DD> m_inverse;
};

/// Writes the first rows, as many as whole vectors hold; returns how many.
std::size_t splitRows(std::span<const std::uint32_t> offsets, const RowPattern& pattern, std::int64_t* rows)
{
    const std::size_t prefix = pattern.prefix.size();
    if (pattern.onlyColumn || prefix > 2)
        return 0;
    const DI d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const Divider divider(pattern.width);
    const auto first = hn::Set(d, prefix > 0 ? pattern.prefix[0] : 0);
    const auto second = hn::Set(d, prefix > 1 ? pattern.prefix[1] : 0);
    std::size_t i = 0;
    for (; i + lanes <= offsets.size(); i += lanes) {
        auto row = first;
        auto column = first;
        divider.split(offsets.data() + i, row, column);
        if (prefix == 0)
            hn::StoreInterleaved2(row, column, d, rows + i * 2);
        else if (prefix == 1)
            hn::StoreInterleaved3(first, row, column, d, rows + i * 3);
        else
            hn::StoreInterleaved4(first, second, row, column, d, rows + i * 4);
    }
    return i;
}

std::size_t splitColumns(std::span<const std::uint32_t> offsets, const RowPattern& pattern, std::int64_t* columns,
                         std::int64_t columnStride)
{
    if (pattern.onlyColumn)
        return 0;
    const DI d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const Divider divider(pattern.width);
    std::int64_t* const rowAxis = columns + static_cast<std::int64_t>(pattern.prefix.size()) * columnStride;
    const std::size_t whole = offsets.size() / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes) {
        auto row = hn::Zero(d);
        auto column = hn::Zero(d);
        divider.split(offsets.data() + i, row, column);
        hn::StoreU(row, d, rowAxis + i);
        hn::StoreU(column, d, rowAxis + columnStride + i);
    }
    for (std::size_t axis = 0; axis < pattern.prefix.size(); ++axis)
        std::fill_n(columns + static_cast<std::int64_t>(axis) * columnStride, whole, pattern.prefix[axis]);
    return whole;
}

#endif

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(listWords);
HWY_EXPORT(countWords);
HWY_EXPORT(expandWords);
HWY_EXPORT(splitRows);
HWY_EXPORT(splitColumns);

void expandMask(const std::uint64_t* mask, std::int64_t elements, std::uint8_t* bytes)
{
    HWY_DYNAMIC_DISPATCH(expandWords)(mask, elements, bytes);
}

std::int64_t countMask(const std::uint64_t* mask, std::int64_t words)
{
    return HWY_DYNAMIC_DISPATCH(countWords)(mask, words);
}

void listHot(const std::uint64_t* mask, std::int64_t words, std::uint32_t base, std::span<std::uint32_t> offsets)
{
    HWY_DYNAMIC_DISPATCH(listWords)(mask, words, base, offsets);
}

void writeRows(std::span<const std::uint32_t> offsets, const RowPattern& pattern, std::int64_t* rows)
{
    const RowSplitter splitter(pattern);
    const auto rank = static_cast<std::size_t>(pattern.rank());
    for (std::size_t i = HWY_DYNAMIC_DISPATCH(splitRows)(offsets, pattern, rows); i < offsets.size(); ++i)
        for (std::size_t axis = 0; axis < rank; ++axis)
            rows[i * rank + axis] = splitter.at(offsets[i], axis);
}

void writeColumns(std::span<const std::uint32_t> offsets, const RowPattern& pattern, std::int64_t* columns,
                  std::int64_t columnStride)
{
    const RowSplitter splitter(pattern);
    const auto rank = static_cast<std::size_t>(pattern.rank());
    std::size_t i = HWY_DYNAMIC_DISPATCH(splitColumns)(offsets, pattern, columns, columnStride);
    for (; i < offsets.size(); ++i)
        for (std::size_t axis = 0; axis < rank; ++axis)
            columns[static_cast<std::int64_t>(axis) * columnStride + static_cast<std::int64_t>(i)] =
                splitter.at(offsets[i], axis);
}

void widenFloat8(DType dtype, const std::byte* values, std::int64_t n, float* widened)
{
    std::array<float, 256> table;
    for (std::size_t bits = 0; bits < table.size(); ++bits)
        table[bits] = float8ToFloat(dtype, static_cast<std::uint8_t>(bits));
    for (std::int64_t i = 0; i < n; ++i)
        widened[i] = table[std::to_integer<std::size_t>(values[i])];
}

} // namespace core
#endif
