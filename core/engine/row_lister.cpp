// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/row_lister.h"

#include "core/engine/element_value.h"
#include "core/engine/kernels.h"
#include "core/engine/plane_order.h"
#include "core/engine/statistics.h"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t maskSlot = 2;
constexpr std::size_t offsetSlot = 3;

template <class Seen>
std::int64_t markRuns(const std::byte* values, std::int64_t first, std::int64_t n, const HotTest& test, std::int64_t run,
                      std::int64_t channels, std::uint64_t* words)
{
    std::fill_n(words, maskWords(n), 0);
    std::vector<std::optional<Predicate<CompareOf<Seen>>>> hot(static_cast<std::size_t>(channels));
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n;) {
        const std::int64_t channel = (first + i) / run % channels;
        const std::int64_t end = std::min(n, i + run - (first + i) % run);
        auto& predicate = hot[static_cast<std::size_t>(channel)];
        if (!predicate)
            predicate = test.predicate<Seen>(channel);
        for (; i < end; ++i) {
            const bool isHot = (*predicate)(toCompare(loadSeen<Seen>(values, i)));
            words[i / 64] |= std::uint64_t{isHot} << (i % 64);
            count += isHot;
        }
    }
    return count;
}
} // namespace

void cutSegments(std::int64_t position, std::int64_t end, std::int64_t length, std::int64_t most,
                 std::vector<RowSegment>& segments)
{
    const std::int64_t n = std::min((end - position + length - 1) / length, most);
    segments.resize(static_cast<std::size_t>(n));
    for (RowSegment& segment : segments) {
        segment.first = position;
        segment.elements = std::min(length, end - position);
        position += segment.elements;
    }
}

RowLister::RowLister(const PlaneGrid& grid, const HotTest& test, const Shape& shape, const Selection& selection)
    : m_grid(grid), m_test(test), m_reader(grid, test.complexView()), m_indices(shape, selection),
      m_channelRun(channelRun(shape, selection))
{
}

std::uint64_t* RowLister::words(std::int64_t n, Scratch& scratch)
{
    return scratch.take<std::uint64_t>(maskSlot, maskWords(n));
}

std::int64_t RowLister::mark(const std::byte* values, std::int64_t first, std::int64_t n, std::uint64_t* words) const
{
    return withSeenType(m_grid.dtype, [&](auto seen) {
        using Seen = decltype(seen);
        if (m_test.isPerChannel())
            return markRuns<Seen>(values, first, n, m_test, m_channelRun, m_grid.extents.channels, words);
        return markHot<Seen>(values, n, m_test.predicate<Seen>(0), words);
    });
}

std::uint64_t* RowLister::markSegment(RowSegment& segment, Scratch& scratch) const
{
    segment.seen = m_reader.readOwn(segment.first, segment.elements, scratch);
    auto* const marked = words(segment.elements, scratch);
    segment.rows = mark(segment.seen, segment.first, segment.elements, marked);
    return marked;
}

void RowLister::list(RowSegment& segment, const std::uint64_t* words, std::int64_t from, std::int64_t rows, bool values,
                     Scratch& scratch) const
{
    const auto all = static_cast<std::size_t>(segment.rows);
    std::span<std::uint32_t> offsets(scratch.take<std::uint32_t>(offsetSlot, segment.rows), all);
    listHot(words, maskWords(segment.elements), 0, offsets);
    offsets = offsets.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(rows));
    segment.indices.resize(offsets.size() * static_cast<std::size_t>(m_indices.rank()));
    m_indices.write(segment.first, offsets, segment.indices.data());
    if (!values)
        return;
    segment.values.resize(offsets.size());
    withSeenType(m_grid.dtype, [&](auto seen) {
        using Seen = decltype(seen);
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            const std::byte* const at = segment.seen ? segment.seen + offsets[i] * static_cast<std::int64_t>(sizeof(Seen))
                                                     : m_reader.readOwn(segment.first + offsets[i], 1, scratch);
            segment.values[i] = scalarOf(loadSeen<Seen>(at, 0));
        }
    });
}

} // namespace core
