// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/coordinates.h"

#include "core/engine/statistics.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

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

/// Elements whose marks are kept until all of them are listed.
constexpr std::int64_t mostMarked = std::int64_t{1} << 28;

/// A grid whose planes are stretches of own order, and whose channels are the steps along the axis that is nearest in memory;
/// where they are few, its batch items, and the next axis' steps its channels. Nothing where stretches are short or near by
/// themselves.
std::optional<PlaneGrid> stretchesOf(const PlaneGrid& grid)
{
    const auto axes = grid.own.axes();
    std::size_t near = 0;
    for (std::size_t i = 1; i < axes.size(); ++i)
        if (axes[i].stride != 0 && (axes[near].stride == 0 || std::abs(axes[i].stride) < std::abs(axes[near].stride)))
            near = i;
    // A segment holds several of them otherwise.
    constexpr std::int64_t shortest = segmentElements / 16;
    const auto elementsWithin = [&](std::size_t axis) {
        return axis + 1 < axes.size() ? elementsOf(axes.subspan(axis + 1)) : 1;
    };
    if (elementsWithin(near) <= shortest || grid.own.elements() == 0)
        return std::nullopt;
    PlaneGrid stretches = grid;
    stretches.extents = {};
    const bool hasTwo = axes[near].extent * itemSize(grid.dtype) < 64 && elementsWithin(near + 1) > shortest &&
                        axes[near].extent * elementsWithin(near) <= mostMarked;
    stretches.batchStride = hasTwo ? axes[near].stride : 0;
    stretches.extents.batches = hasTwo ? axes[near].extent : 1;
    near += hasTwo ? 1 : 0;
    stretches.channelStride = axes[near].stride;
    stretches.extents.channels = axes[near].extent;
    const auto within = axes.subspan(near + 1);
    stretches.plane = StridedOrder({within.begin(), within.end()});
    stretches.extents.width = stretches.plane.elements();
    return stretches;
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

PlaneOrder::PlaneOrder(const PlaneGrid& grid, const Shape& shape, const Selection& selection)
{
    constexpr std::string_view planeOrder = "DHW";
    std::size_t lastPixelAxis = 0;
    bool havePixels = false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (selection.fixed[axis] || shape[axis] == 1)
            continue;
        const AxisRole role = selection.layout.roles[axis];
        if (role == AxisRole::batch || role == AxisRole::channel) {
            (havePixels ? m_inner : m_outer).push_back({shape[axis], role == AxisRole::batch ? grid.extents.channels : 1});
            (havePixels ? m_innerPlanes : m_outerPlanes) *= shape[axis];
            continue;
        }
        // Pixels before and after a plane's number are in no order that is known here.
        const auto place = planeOrder.find(static_cast<char>(role == AxisRole::tokens ? AxisRole::column : role));
        m_hasPixelsInOrder = m_hasPixelsInOrder && m_inner.empty() && place >= lastPixelAxis;
        lastPixelAxis = place;
        havePixels = true;
    }
}

std::int64_t PlaneOrder::numberOf(const std::vector<Axis>& axes, std::int64_t place)
{
    std::int64_t number = 0;
    for (std::size_t i = axes.size(); i-- > 0; place /= axes[i].extent)
        number += place % axes[i].extent * axes[i].step;
    return number;
}

struct RowScanner::Segment
{
    std::int64_t first = 0;
    std::int64_t elements = 0;
    std::int64_t rows = 0;
    /// Its elements as kernels see them; null: not read.
    const std::byte* seen = nullptr;
    std::vector<std::int64_t> indices;
    std::vector<Scalar> values;
};

RowScanner::RowScanner(const PlaneGrid& grid, const HotTest& test, const Shape& shape, const Selection& selection)
    : m_grid(grid), m_test(test), m_reader(grid, test.complexView()), m_indices(shape, selection),
      m_planes(grid, shape, selection), m_channelRun(channelRun(shape, selection))
{
}

std::int64_t RowScanner::pixelsOfSegment() const
{
    // Codes are read by whole words of a mask.
    return std::max(segmentElements / m_planes.innerPlanes() / 64, std::int64_t{1}) * 64;
}

void RowScanner::cut(std::int64_t position, std::int64_t end, std::int64_t most, bool byPixels,
                     std::vector<Segment>& segments) const
{
    const std::int64_t inner = m_planes.innerPlanes();
    const std::int64_t outerElements = m_grid.extents.planeElements() * inner;
    std::int64_t length = segmentElements;
    if (byPixels) {
        length = pixelsOfSegment() * inner;
        // Each inner plane's codes are a stretch of their own: longer ones at first.
        constexpr std::int64_t coarse = 8;
        if (inner > 1 && end - position > coarse * length)
            length *= coarse;
    }
    std::size_t used = 0;
    for (; position < end && static_cast<std::int64_t>(used) < most; ++used) {
        if (segments.size() == used)
            segments.emplace_back();
        Segment& segment = segments[used];
        segment.first = position;
        segment.elements = std::min(length, end - position);
        if (byPixels)
            segment.elements = std::min(segment.elements, outerElements - position % outerElements);
        position += segment.elements;
    }
    segments.resize(used);
}

std::int64_t RowScanner::mark(const std::byte* values, std::int64_t first, std::int64_t n, std::uint64_t* words) const
{
    return withSeenType(m_grid.dtype, [&](auto seen) {
        using Seen = decltype(seen);
        if (m_test.isPerChannel())
            return markRuns<Seen>(values, first, n, m_test, m_channelRun, m_grid.extents.channels, words);
        return markHot<Seen>(values, n, m_test.predicate<Seen>(0), words);
    });
}

std::uint64_t* RowScanner::markSegment(Segment& segment, Scratch& scratch) const
{
    segment.seen = m_reader.readOwn(segment.first, segment.elements, scratch);
    auto* const words = scratch.take<std::uint64_t>(maskSlot, maskWords(segment.elements));
    segment.rows = mark(segment.seen, segment.first, segment.elements, words);
    return words;
}

void RowScanner::list(Segment& segment, const std::uint64_t* words, std::int64_t from, std::int64_t rows, bool values,
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

bool RowScanner::deliver(std::vector<Segment>& segments, bool values, const std::function<bool(const RowBlock&)>& sink,
                         const Workers& workers, const Job& job,
                         const std::function<const std::uint64_t*(Segment&, Scratch&)>& words) const
{
    workers.forEach(std::ssize(segments), {job.stop, {}}, [&](std::int64_t item, Scratch& scratch) {
        Segment& segment = segments[static_cast<std::size_t>(item)];
        const std::uint64_t* const marked = words(segment, scratch);
        list(segment, marked, 0, segment.rows, values, scratch);
    });
    for (const Segment& segment : segments)
        if (segment.rows > 0 && !sink({segment.indices, segment.values, segment.rows}))
            return false;
    return true;
}

void RowScanner::stream(bool values, const std::function<bool(const RowBlock&)>& sink, const Workers& workers,
                        const Job& job) const
{
    if (const auto stretches = stretchesOf(m_grid))
        return streamTogether(*stretches, values, sink, workers, job);
    const auto words = [this](Segment& segment, Scratch& scratch) { return markSegment(segment, scratch); };
    std::int64_t position = 0;
    std::vector<Segment> segments;
    while (position < m_grid.own.elements()) {
        cut(position, m_grid.own.elements(), workers.threads() * segmentsAhead, false, segments);
        if (!deliver(segments, values, sink, workers, job, words))
            return;
        position = segments.back().first + segments.back().elements;
        job.report(static_cast<double>(position) / static_cast<double>(m_grid.own.elements()));
    }
}

void RowScanner::streamTogether(const PlaneGrid& stretches, bool values, const std::function<bool(const RowBlock&)>& sink,
                                const Workers& workers, const Job& job) const
{
    const std::int64_t length = stretches.extents.planeElements();
    const std::int64_t words = maskWords(length);
    const std::int64_t planes = stretches.extents.planes();
    const std::int64_t all = m_grid.own.elements() / length;
    std::vector<std::uint64_t> marked;
    std::vector<Segment> segments;
    for (std::int64_t place = 0; place < all;) {
        // The next steps along the nearest axis.
        PlaneGrid here = stretches;
        const std::int64_t batch = place % planes / here.extents.channels;
        const std::int64_t channel = place % here.extents.channels;
        here.base +=
            (m_grid.own.offsetOf(place / planes * planes * length) + batch * here.batchStride + channel * here.channelStride) *
            itemSize(here.dtype);
        if (here.extents.batches == 1)
            here.extents.channels -= channel;
        const BlockReader reader(here, m_test.complexView());
        const BlockPlan plan = reader.plan();
        if (here.extents.batches == 1)
            here.extents.channels =
                std::min(here.extents.channels, std::clamp(mostMarked / length, std::int64_t{1}, plan.channels));
        const std::int64_t n = here.extents.planes();
        marked.resize(static_cast<std::size_t>(n * words));
        forEachPlace(reader, plan, workers, {job.stop, {}}, [&](const BlockPlace& block, Scratch& scratch) {
            const ValueBlock found = reader.read(block, scratch);
            for (std::int64_t b = 0; b < block.batches; ++b)
                for (std::int64_t c = 0; c < block.channels; ++c) {
                    const std::int64_t stretch = (block.batch + b) * here.extents.channels + block.channel + c;
                    mark(found.values + found.at(b, c) * seenSize(here.dtype), (place + stretch) * length + block.first,
                         block.elements, marked.data() + stretch * words + block.first / 64);
                }
        });
        const auto wordsOf = [&, begin = place](Segment& segment, Scratch&) {
            const std::uint64_t* const at =
                marked.data() + (segment.first / length - begin) * words + segment.first % length / 64;
            segment.seen = nullptr;
            segment.rows = countMask(at, maskWords(segment.elements));
            return at;
        };
        for (const std::int64_t end = place + n; place < end; ++place)
            for (std::int64_t position = place * length; position < (place + 1) * length;) {
                cut(position, (place + 1) * length, workers.threads() * segmentsAhead, false, segments);
                if (!deliver(segments, values, sink, workers, job, wordsOf))
                    return;
                position = segments.back().first + segments.back().elements;
            }
        job.report(static_cast<double>(place) / static_cast<double>(all));
    }
}

bool RowScanner::isGuided(const RowGuide& guide) const
{
    // Smaller planes are not worth the while.
    constexpr std::int64_t leastPlane = 4096;
    return m_planes.hasPixelsInOrder() && m_grid.extents.planeElements() >= leastPlane && (guide.plan || guide.zones);
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

bool RowScanner::isCold(const Segment& segment, const ZoneMap* zones) const
{
    const std::int64_t inner = m_planes.innerPlanes();
    const std::int64_t outerElements = m_grid.extents.planeElements() * inner;
    bool isCold = zones != nullptr;
    for (std::int64_t i = 0; isCold && i < inner; ++i)
        forHotZones(m_planes.plane(segment.first / outerElements, i), segment.first % outerElements / inner,
                    segment.elements / inner, zones, [&](std::int64_t, std::int64_t) { isCold = false; });
    return isCold;
}

std::int64_t RowScanner::countGuided(Segment& segment, const RowGuide& guide, Scratch& scratch) const
{
    if (!guide.plan && m_planes.innerPlanes() > 1) {
        // Values of all inner planes lie together.
        if (isCold(segment, guide.zones))
            return 0;
        markSegment(segment, scratch);
        return segment.rows;
    }
    const std::int64_t inner = m_planes.innerPlanes();
    const std::int64_t outerElements = m_grid.extents.planeElements() * inner;
    const std::int64_t pixels = segment.elements / inner;
    const std::int64_t firstPixel = segment.first % outerElements / inner;
    auto* const words = scratch.take<std::uint64_t>(maskSlot, maskWords(pixels));
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < inner; ++i) {
        const std::int64_t number = m_planes.plane(segment.first / outerElements, i);
        const PlaneIndex plane{number / m_grid.extents.channels, number % m_grid.extents.channels};
        const auto count = [&](std::int64_t first, std::int64_t n) {
            if (guide.plan) {
                rows += markRunByCodes(m_grid, m_test, plane, *guide.plan, first, n, scratch, words);
                return;
            }
            const ValueBlock block = m_reader.read({plane.batch, plane.channel, 1, first, n}, scratch);
            rows += withSeenType(m_grid.dtype, [&](auto seen) {
                using Seen = decltype(seen);
                return countHot<Seen>(block.values, n, m_test.predicate<Seen>(plane.channel));
            });
        };
        forHotZones(number, firstPixel, pixels, guide.zones, count);
    }
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
    if (guide.counts.empty()) {
        search(0, m_grid.own.elements(), window, guide, workers, job, rowsBefore, out);
        return out;
    }
    // Pieces that end before the window, and those without rows, are skipped by their counts.
    const std::int64_t pixels = m_grid.extents.planeElements();
    const std::int64_t pieces = (pixels + guide.pieceElements - 1) / guide.pieceElements;
    // Pieces that are stretches of own order by themselves, or all of them as one.
    const std::int64_t steps = m_planes.hasPixelsInOrder() ? pieces : 1;
    std::int64_t position = 0;
    for (std::int64_t i = 0; i < m_planes.outerPlanes() * steps && out.rows() < window.count; ++i) {
        const std::int64_t first = i % steps;
        const std::int64_t last = steps == pieces ? first + 1 : pieces;
        std::int64_t rows = 0;
        for (std::int64_t inner = 0; inner < m_planes.innerPlanes(); ++inner)
            for (std::int64_t piece = first; piece < last; ++piece)
                rows += guide.counts[static_cast<std::size_t>(m_planes.plane(i / steps, inner) * pieces + piece)];
        const std::int64_t end =
            position + (std::min(last * guide.pieceElements, pixels) - first * guide.pieceElements) * m_planes.innerPlanes();
        if (rows > 0 && rowsBefore + rows > window.first)
            search(position, end, window, guide, workers, job, rowsBefore, out);
        else
            rowsBefore += rows;
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
            if (guided)
                segment.rows = countGuided(segment, guide, threadScratch);
            else
                markSegment(segment, threadScratch);
        };
        workers.forEach(static_cast<std::int64_t>(segments.size()), {job.stop, {}}, count);
        position = segments.back().first + segments.back().elements;
        for (Segment& segment : segments) {
            const std::int64_t from = std::max(window.first - rowsBefore, std::int64_t{0});
            const std::int64_t rows = std::min(segment.rows - from, window.count - out.rows());
            if (rows > 0 && guided && segment.elements > pixelsOfSegment() * m_planes.innerPlanes()) {
                search(segment.first, segment.first + segment.elements, window, guide, workers, job, rowsBefore, out);
                continue;
            }
            rowsBefore += segment.rows;
            if (rows <= 0)
                continue;
            list(segment, marks(segment, guided ? guide.plan : nullptr, scratch), from, rows, true, scratch);
            out.indices.insert(out.indices.end(), segment.indices.begin(), segment.indices.end());
            out.values.insert(out.values.end(), segment.values.begin(), segment.values.end());
        }
    }
}

const std::uint64_t* RowScanner::marks(Segment& segment, const CodePlan* plan, Scratch& scratch) const
{
    if (!plan || m_planes.innerPlanes() > 1)
        return markSegment(segment, scratch);
    // Values far apart in memory are then left alone but for those of the window.
    const std::int64_t pixels = m_grid.extents.planeElements();
    const std::int64_t number = m_planes.plane(segment.first / pixels, 0);
    const PlaneIndex plane{number / m_grid.extents.channels, number % m_grid.extents.channels};
    auto* const words = scratch.take<std::uint64_t>(maskSlot, maskWords(segment.elements));
    markRunByCodes(m_grid, m_test, plane, *plan, segment.first % pixels, segment.elements, scratch, words);
    segment.seen = nullptr;
    return words;
}

} // namespace core
