// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/coordinates.h"

#include "core/engine/statistics.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace core {
namespace {

constexpr std::int64_t segmentElements = 65536;
constexpr std::size_t maskSlot = 2;
constexpr std::size_t offsetSlot = 3;
/// Segments for each thread that are listed before the sink gets them in order.
constexpr std::int64_t segmentsAhead = 8;

template <class Seen>
Seen loadSeen(const std::byte* values, std::int64_t index)
{
    Seen value;
    std::memcpy(&value, values + index * static_cast<std::int64_t>(sizeof value), sizeof value);
    return value;
}

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

template <class Seen>
Scalar scalarOf(Seen value)
{
    return toScalar(toCompare(value));
}

template Scalar scalarOf(std::uint8_t);
template Scalar scalarOf(std::int8_t);
template Scalar scalarOf(std::uint16_t);
template Scalar scalarOf(std::int16_t);
template Scalar scalarOf(std::uint32_t);
template Scalar scalarOf(std::int32_t);
template Scalar scalarOf(std::uint64_t);
template Scalar scalarOf(std::int64_t);
template Scalar scalarOf(Half);
template Scalar scalarOf(BFloat16);
template Scalar scalarOf(float);
template Scalar scalarOf(double);

std::int64_t channelRun(const Shape& shape, const Selection& selection)
{
    const int channel = selection.layout.axis(AxisRole::channel);
    std::int64_t run = 1;
    for (std::size_t axis = static_cast<std::size_t>(channel + 1); channel >= 0 && axis < shape.size(); ++axis)
        run *= selection.fixed[axis] ? 1 : shape[axis];
    return run;
}

Scalar valueAt(DType dtype, const std::byte* element)
{
    if (isComplex(dtype))
        return ComplexView{}.see(dtype, element);
    if (isFloat8(dtype))
        return static_cast<double>(float8ToFloat(dtype, std::to_integer<std::uint8_t>(*element)));
    return withSeenType(dtype, [&](auto seen) { return scalarOf(loadSeen<decltype(seen)>(element, 0)); });
}

Scalar valueAt(const Tensor& tensor, std::span<const std::int64_t> indices)
{
    bool isInside = indices.size() == tensor.shape().size();
    for (std::size_t axis = 0; isInside && axis < indices.size(); ++axis)
        isInside = indices[axis] >= 0 && indices[axis] < tensor.shape()[axis];
    if (!isInside)
        throw Error(fmt::format("indices {} lie outside shape {}", shapeText(indices), shapeText(tensor.shape())));
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < indices.size(); ++axis)
        offset += indices[axis] * tensor.strides()[axis];
    return valueAt(tensor.dtype(), tensor.data() + offset * itemSize(tensor.dtype()));
}

IndexWriter::IndexWriter(const Shape& shape, const Selection& selection)
{
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        m_axes.push_back({selection.fixed[axis] ? 1 : shape[axis], selection.fixed[axis].value_or(0)});
}

void IndexWriter::write(std::int64_t position, std::int64_t* row) const
{
    for (std::size_t axis = m_axes.size(); axis-- > 0;) {
        row[axis] = m_axes[axis].first + position % m_axes[axis].extent;
        position /= m_axes[axis].extent;
    }
}

void IndexWriter::write(std::int64_t base, std::span<const std::uint32_t> offsets, std::int64_t* rows) const
{
    const std::size_t rank = m_axes.size();
    const bool hasImages = rank >= 2 && m_axes[rank - 1].first == 0 && m_axes[rank - 2].first == 0;
    const std::int64_t width = hasImages ? m_axes[rank - 1].extent : 1;
    const std::int64_t image = hasImages ? m_axes[rank - 2].extent * width : 1;
    if (!hasImages || image > std::int64_t{1} << 31) {
        for (std::size_t i = 0; i < offsets.size(); ++i)
            write(base + offsets[i], rows + i * rank);
        return;
    }
    std::vector<std::int64_t> first(rank);
    std::array<std::uint32_t, 1024> inImage;
    for (std::size_t i = 0; i < offsets.size();) {
        const std::int64_t begin = (base + offsets[i]) / image * image;
        write(begin, first.data());
        std::size_t n = 0;
        while (n < inImage.size() && i + n < offsets.size() && base + offsets[i + n] < begin + image) {
            inImage[n] = static_cast<std::uint32_t>(base + offsets[i + n] - begin);
            ++n;
        }
        writeRows(std::span<const std::uint32_t>(inImage.data(), n), {std::span(first).first(rank - 2), width, false},
                  rows + i * rank);
        i += n;
    }
}

std::int64_t IndexWriter::position(std::span<const std::int64_t> indices) const
{
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis)
        position = position * m_axes[axis].extent + (indices[axis] - m_axes[axis].first);
    return position;
}

struct RowScanner::Segment
{
    std::int64_t first = 0;
    std::int64_t elements = 0;
    std::int64_t rows = 0;
    std::vector<std::int64_t> indices;
    std::vector<Scalar> values;
};

RowScanner::RowScanner(const PlaneGrid& grid, const HotTest& test, const Shape& shape, const Selection& selection)
    : m_grid(grid), m_test(test), m_reader(grid, test.complexView()), m_indices(shape, selection),
      m_channelRun(channelRun(shape, selection))
{
}

void RowScanner::cut(std::int64_t position, std::int64_t end, std::int64_t most, bool byPlane,
                     std::vector<Segment>& segments) const
{
    const std::int64_t planeElements = m_grid.extents.planeElements();
    std::size_t used = 0;
    for (; position < end && static_cast<std::int64_t>(used) < most; ++used) {
        if (segments.size() == used)
            segments.emplace_back();
        Segment& segment = segments[used];
        segment.first = position;
        segment.elements = std::min(segmentElements, end - position);
        if (byPlane)
            segment.elements = std::min(segment.elements, planeElements - position % planeElements);
        position += segment.elements;
    }
    segments.resize(used);
}

void RowScanner::mark(Segment& segment, Scratch& scratch, const std::byte*& values, std::uint64_t*& words) const
{
    values = m_reader.readOwn(segment.first, segment.elements, scratch);
    words = scratch.take<std::uint64_t>(maskSlot, maskWords(segment.elements));
    segment.rows = withSeenType(m_grid.dtype, [&](auto seen) {
        using Seen = decltype(seen);
        if (m_test.isPerChannel())
            return markRuns<Seen>(values, segment.first, segment.elements, m_test, m_channelRun, m_grid.extents.channels,
                                  words);
        return markHot<Seen>(values, segment.elements, m_test.predicate<Seen>(0), words);
    });
}

void RowScanner::list(Segment& segment, bool values, Scratch& scratch) const
{
    const std::byte* seenValues = nullptr;
    std::uint64_t* words = nullptr;
    mark(segment, scratch, seenValues, words);
    const std::span<std::uint32_t> offsets(scratch.take<std::uint32_t>(offsetSlot, segment.rows),
                                           static_cast<std::size_t>(segment.rows));
    listHot(words, maskWords(segment.elements), 0, offsets);
    segment.indices.resize(offsets.size() * static_cast<std::size_t>(m_indices.rank()));
    m_indices.write(segment.first, offsets, segment.indices.data());
    if (!values)
        return;
    segment.values.resize(offsets.size());
    withSeenType(m_grid.dtype, [&](auto seen) {
        for (std::size_t i = 0; i < offsets.size(); ++i)
            segment.values[i] = scalarOf(loadSeen<decltype(seen)>(seenValues, offsets[i]));
    });
}

void RowScanner::stream(bool values, const std::function<bool(const RowBlock&)>& sink, const Workers& workers,
                        const Job& job) const
{
    std::int64_t position = 0;
    std::vector<Segment> segments;
    while (position < m_grid.own.elements()) {
        cut(position, m_grid.own.elements(), workers.threads() * segmentsAhead, false, segments);
        workers.forEach(static_cast<std::int64_t>(segments.size()), {job.stop, {}}, [&](std::int64_t item, Scratch& scratch) {
            list(segments[static_cast<std::size_t>(item)], values, scratch);
        });
        for (const Segment& segment : segments)
            if (segment.rows > 0 && !sink({segment.indices, segment.values, segment.rows}))
                return;
        position = segments.back().first + segments.back().elements;
        job.report(static_cast<double>(position) / static_cast<double>(m_grid.own.elements()));
    }
}

bool RowScanner::isGuided(const RowGuide& guide) const
{
    // Smaller planes are not worth the while.
    constexpr std::int64_t leastPlane = 4096;
    return m_grid.isOwnOrder && m_grid.extents.planeElements() >= leastPlane && (guide.plan || guide.zones);
}

template <class Use>
void RowScanner::forHotZones(std::int64_t plane, std::int64_t first, std::int64_t n, const ZoneMap* zones, Use use) const
{
    withSeenType(m_grid.dtype, [&](auto seen) {
        using Seen = decltype(seen);
        const auto predicate = m_test.predicate<Seen>(plane % m_grid.extents.channels);
        if (!zones || predicate.invert || predicate.nanHot)
            return use(first, n);
        const auto ranges = zones->plane<CompareOf<Seen>>(plane);
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

std::int64_t RowScanner::countGuided(const Segment& segment, const RowGuide& guide, Scratch& scratch) const
{
    const std::int64_t planeElements = m_grid.extents.planeElements();
    const std::int64_t number = segment.first / planeElements;
    const PlaneIndex plane{number / m_grid.extents.channels, number % m_grid.extents.channels};
    auto* const words = scratch.take<std::uint64_t>(maskSlot, maskWords(segment.elements));
    std::int64_t rows = 0;
    forHotZones(number, segment.first % planeElements, segment.elements, guide.zones, [&](std::int64_t first, std::int64_t n) {
        if (guide.plan) {
            rows += markRunByCodes(m_grid, m_test, plane, *guide.plan, first, n, scratch, words);
            return;
        }
        const ValueBlock block = m_reader.read({plane.batch, plane.channel, 1, first, n}, scratch);
        rows += withSeenType(m_grid.dtype, [&](auto seen) {
            using Seen = decltype(seen);
            return countHot<Seen>(block.values, n, m_test.predicate<Seen>(plane.channel));
        });
    });
    return rows;
}

Coordinates RowScanner::window(const RowWindow& window, const RowGuide& guide, const Workers& workers, const Job& job) const
{
    Coordinates out;
    out.firstRow = window.first;
    out.rank = m_indices.rank();
    std::int64_t rowsBefore = 0;
    if (m_grid.own.elements() == 0)
        return out;
    if (!m_grid.isOwnOrder || guide.counts.empty()) {
        search(0, m_grid.own.elements(), window, guide, workers, job, rowsBefore, out);
        return out;
    }
    // Pieces that end before the window, and those without rows, are skipped by their counts.
    const std::int64_t planeElements = m_grid.extents.planeElements();
    std::int64_t position = 0;
    for (std::size_t piece = 0; piece < guide.counts.size() && out.rows() < window.count; ++piece) {
        const std::int64_t end = position + std::min(guide.pieceElements, planeElements - position % planeElements);
        if (guide.counts[piece] > 0 && rowsBefore + guide.counts[piece] > window.first)
            search(position, end, window, guide, workers, job, rowsBefore, out);
        else
            rowsBefore += guide.counts[piece];
        position = end;
    }
    return out;
}

void RowScanner::search(std::int64_t position, std::int64_t end, const RowWindow& window, const RowGuide& guide,
                        const Workers& workers, const Job& job, std::int64_t& rowsBefore, Coordinates& out) const
{
    const bool guided = isGuided(guide);
    Scratch scratch;
    std::vector<Segment> segments;
    // Few at first: the window is near where the counts are known.
    std::int64_t ahead = 2;
    while (position < end && out.rows() < window.count) {
        cut(position, end, workers.threads() * ahead, guided, segments);
        ahead = segmentsAhead;
        const auto count = [&](std::int64_t item, Scratch& threadScratch) {
            Segment& segment = segments[static_cast<std::size_t>(item)];
            const std::byte* values = nullptr;
            std::uint64_t* words = nullptr;
            if (guided)
                segment.rows = countGuided(segment, guide, threadScratch);
            else
                mark(segment, threadScratch, values, words);
        };
        workers.forEach(static_cast<std::int64_t>(segments.size()), {job.stop, {}}, count);
        position = segments.back().first + segments.back().elements;
        for (Segment& segment : segments) {
            const std::int64_t from = std::max(window.first - rowsBefore, std::int64_t{0});
            const std::int64_t rows = std::min(segment.rows - from, window.count - out.rows());
            rowsBefore += segment.rows;
            if (rows <= 0)
                continue;
            list(segment, true, scratch);
            out.indices.insert(out.indices.end(), segment.indices.begin() + from * out.rank,
                               segment.indices.begin() + (from + rows) * out.rank);
            out.values.insert(out.values.end(), segment.values.begin() + from, segment.values.begin() + from + rows);
        }
    }
}

} // namespace core
