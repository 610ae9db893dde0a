// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/row_search.h"

#include "core/engine/kernels.h"

#include <algorithm>

namespace core {

RowSearch::RowSearch(const RowLister& lister, const PlaneOrder& planes, const RowGuide& guide, const Workers& workers,
                     const Job& job)
    : m_lister(lister), m_planes(planes), m_guide(guide), m_workers(workers), m_job(job), m_extents(lister.grid().extents),
      m_isGuided(isGuided())
{
}

bool RowSearch::isGuided() const
{
    // Smaller planes are not worth the while.
    constexpr std::int64_t leastPlane = 4096;
    return m_planes.hasPixelsInOrder() && m_extents.planeElements() >= leastPlane && (m_guide.plan || m_guide.zones);
}

std::int64_t RowSearch::pixelsOfSegment() const
{
    // Codes are read by whole words of a mask.
    return std::max(segmentElements / m_planes.innerPlanes() / 64, std::int64_t{1}) * 64;
}

PlaneIndex RowSearch::planeAt(std::int64_t number) const
{
    return {number / m_extents.channels, number % m_extents.channels};
}

Coordinates RowSearch::find(const RowWindow& window)
{
    Coordinates out;
    out.firstRow = window.first;
    out.rank = m_lister.rank();
    const std::int64_t elements = m_lister.grid().own.elements();
    if (elements == 0)
        return out;
    if (m_guide.counts.empty()) {
        search(0, elements, window, out);
        return out;
    }
    // Pieces that end before the window, and those without rows, are skipped by their counts.
    const std::int64_t pixels = m_extents.planeElements();
    const std::int64_t pieces = (pixels + m_guide.pieceElements - 1) / m_guide.pieceElements;
    // Pieces that are stretches of own order by themselves, or all of them as one.
    const std::int64_t steps = m_planes.hasPixelsInOrder() ? pieces : 1;
    std::int64_t position = 0;
    for (std::int64_t i = 0; i < m_planes.outerPlanes() * steps && out.rows() < window.count; ++i) {
        const std::int64_t first = i % steps;
        const std::int64_t last = steps == pieces ? first + 1 : pieces;
        std::int64_t rows = 0;
        for (std::int64_t inner = 0; inner < m_planes.innerPlanes(); ++inner)
            for (std::int64_t piece = first; piece < last; ++piece)
                rows += m_guide.counts[static_cast<std::size_t>(m_planes.plane(i / steps, inner) * pieces + piece)];
        const std::int64_t end = position + (std::min(last * m_guide.pieceElements, pixels) - first * m_guide.pieceElements) *
                                                m_planes.innerPlanes();
        if (rows > 0 && m_rowsBefore + rows > window.first)
            search(position, end, window, out);
        else
            m_rowsBefore += rows;
        position = end;
    }
    return out;
}

void RowSearch::cut(std::int64_t position, std::int64_t end, std::int64_t most, std::vector<RowSegment>& segments) const
{
    if (!m_isGuided)
        return cutSegments(position, end, segmentElements, most, segments);
    const std::int64_t inner = m_planes.innerPlanes();
    const std::int64_t outerElements = m_extents.planeElements() * inner;
    std::int64_t length = pixelsOfSegment() * inner;
    // Each inner plane's codes are a stretch of their own: longer ones at first.
    constexpr std::int64_t coarse = 8;
    if (inner > 1 && end - position > coarse * length)
        length *= coarse;
    cutSegments(position, std::min(end, position - position % outerElements + outerElements), length, most, segments);
}

void RowSearch::search(std::int64_t position, std::int64_t end, const RowWindow& window, Coordinates& out)
{
    Scratch scratch;
    std::vector<RowSegment> segments;
    // Few at first: the window is near where the counts are known.
    std::int64_t ahead = 2;
    while (position < end && out.rows() < window.count) {
        cut(position, end, m_workers.threads() * ahead, segments);
        ahead = segmentsAhead;
        m_workers.forEach(std::ssize(segments), {m_job.stop, {}}, [&](std::int64_t item, Scratch& threadScratch) {
            RowSegment& segment = segments[static_cast<std::size_t>(item)];
            if (m_isGuided)
                segment.rows = count(segment, threadScratch);
            else
                m_lister.markSegment(segment, threadScratch);
        });
        position = segments.back().first + segments.back().elements;
        for (RowSegment& segment : segments) {
            const std::int64_t from = std::max(window.first - m_rowsBefore, std::int64_t{0});
            const std::int64_t rows = std::min(segment.rows - from, window.count - out.rows());
            if (rows > 0 && m_isGuided && segment.elements > pixelsOfSegment() * m_planes.innerPlanes()) {
                search(segment.first, segment.first + segment.elements, window, out);
                continue;
            }
            m_rowsBefore += segment.rows;
            if (rows <= 0)
                continue;
            m_lister.list(segment, marks(segment, scratch), from, rows, true, scratch);
            out.indices.insert(out.indices.end(), segment.indices.begin(), segment.indices.end());
            out.values.insert(out.values.end(), segment.values.begin(), segment.values.end());
        }
    }
}

template <class Use>
void RowSearch::forHotZones(std::int64_t plane, std::int64_t first, std::int64_t n, Use use) const
{
    withSeenType(m_lister.grid().dtype, [&](auto seen) {
        using Seen = decltype(seen);
        const auto predicate = m_lister.test().predicate<Seen>(planeAt(plane).channel);
        if (!m_guide.zones || predicate.invert || predicate.nanHot)
            return use(first, n);
        const auto ranges = m_guide.zones->plane<CompareOf<Seen>>(plane);
        const auto isCold = [&](std::int64_t element) {
            const auto& range = ranges[static_cast<std::size_t>(element / zoneElements)];
            return !(range.highest >= predicate.lo && range.lowest <= predicate.hi);
        };
        const std::int64_t end = first + n;
        for (std::int64_t begin = first; begin < end;) {
            const std::int64_t next = std::min(end, begin / zoneElements * zoneElements + zoneElements);
            std::int64_t last = next;
            if (isCold(begin)) {
                begin = next;
                continue;
            }
            while (last < end && !isCold(last))
                last = std::min(end, last + zoneElements);
            use(begin, last - begin);
            begin = last;
        }
    });
}

bool RowSearch::isCold(const RowSegment& segment) const
{
    const std::int64_t inner = m_planes.innerPlanes();
    const std::int64_t outerElements = m_extents.planeElements() * inner;
    bool isCold = m_guide.zones != nullptr;
    for (std::int64_t i = 0; isCold && i < inner; ++i)
        forHotZones(m_planes.plane(segment.first / outerElements, i), segment.first % outerElements / inner,
                    segment.elements / inner, [&](std::int64_t, std::int64_t) { isCold = false; });
    return isCold;
}

std::int64_t RowSearch::count(RowSegment& segment, Scratch& scratch) const
{
    const std::int64_t inner = m_planes.innerPlanes();
    if (!m_guide.plan && inner > 1) {
        // Values of all inner planes lie together.
        if (isCold(segment))
            return 0;
        m_lister.markSegment(segment, scratch);
        return segment.rows;
    }
    const std::int64_t outerElements = m_extents.planeElements() * inner;
    const std::int64_t pixels = segment.elements / inner;
    const std::int64_t firstPixel = segment.first % outerElements / inner;
    auto* const words = RowLister::words(pixels, scratch);
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < inner; ++i) {
        const std::int64_t number = m_planes.plane(segment.first / outerElements, i);
        const PlaneIndex plane = planeAt(number);
        forHotZones(number, firstPixel, pixels, [&](std::int64_t first, std::int64_t n) {
            if (m_guide.plan) {
                rows += markRunByCodes(m_lister.grid(), m_lister.test(), plane, *m_guide.plan, first, n, scratch, words);
                return;
            }
            const ValueBlock block = m_lister.reader().read({plane.batch, plane.channel, 1, first, n}, scratch);
            rows += withSeenType(m_lister.grid().dtype, [&](auto seen) {
                using Seen = decltype(seen);
                return countHot<Seen>(block.values, n, m_lister.test().predicate<Seen>(plane.channel));
            });
        });
    }
    return rows;
}

const std::uint64_t* RowSearch::marks(RowSegment& segment, Scratch& scratch) const
{
    if (!m_isGuided || !m_guide.plan || m_planes.innerPlanes() > 1)
        return m_lister.markSegment(segment, scratch);
    // Values far apart in memory are then left alone but for those of the window.
    const std::int64_t pixels = m_extents.planeElements();
    const PlaneIndex plane = planeAt(m_planes.plane(segment.first / pixels, 0));
    auto* const words = RowLister::words(segment.elements, scratch);
    markRunByCodes(m_lister.grid(), m_lister.test(), plane, *m_guide.plan, segment.first % pixels, segment.elements, scratch,
                   words);
    segment.seen = nullptr;
    return words;
}

} // namespace core
