// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sparse_loaded.h"

#include "core/engine/dense_scan.h"
#include "core/engine/element_value.h"
#include "core/engine/plane_check.h"
#include "core/engine/sparse_scan.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

namespace core {
namespace {

/// Lists of all planes are not longer.
constexpr std::int64_t mostPlanes = 1 << 22;

} // namespace

void checkPlanes(const Shape& shape, const Selection& selection, const Extents& extents)
{
    if (extents.planes() > mostPlanes)
        throw Error(
            fmt::format("layout {} makes {} planes of the sparse tensor of shape {}, and at most {} can be listed; give "
                        "the long axes the letters H and W, or choose one --batch or --channel",
                        selection.layout.letters(), extents.planes(), shapeText(shape), mostPlanes));
}

SparseLoaded::SparseLoaded(const SparseTensor& tensor, Selection selection, std::shared_ptr<const Workers> workers,
                           const Job& job)
    : m_shape(tensor.shape), m_selection(std::move(selection)), m_workers(std::move(workers)),
      m_canonical(canonicalise(tensor, job)), m_entries(selectEntries(m_canonical, m_shape, m_selection, tensor.dtype(), job)),
      m_seen(m_entries, {}), m_planes(scanEntries(m_entries, m_seen, false, job))
{
    m_extents = m_entries.extents;
    for (std::size_t i = 0; i < m_entries.filled.size(); ++i)
        m_byChannel.push_back(i);
    std::stable_sort(m_byChannel.begin(), m_byChannel.end(),
                     [&](std::size_t a, std::size_t b) { return m_entries.channelOf(a) < m_entries.channelOf(b); });
    m_all = statisticsOf({}, m_planes, false);
    m_all.ordered = !isComplex(dtype());
    m_all.sum.isInteger = !isFloating(dtype()) && !isComplex(dtype());
}

const std::vector<Statistics>& SparseLoaded::planeStatistics(const Job&) const
{
    checkPlanes(m_shape, m_selection, m_extents);
    std::call_once(m_listed, [&] {
        m_statistics.assign(static_cast<std::size_t>(m_extents.planes()),
                            statisticsOfZeros(dtype(), m_extents.planeElements()).values);
        for (std::size_t i = 0; i < m_planes.size(); ++i)
            m_statistics[static_cast<std::size_t>(m_entries.filled[i])] = m_planes[i].values;
    });
    return m_statistics;
}

Statistics SparseLoaded::statistics(const Job&) const
{
    return m_all;
}

std::vector<std::size_t> SparseLoaded::filledOf(const PlaneChoice& planes) const
{
    if (planes.channel) {
        const auto isBefore = [&](std::size_t i, std::int64_t channel) { return m_entries.channelOf(i) < channel; };
        const auto first = std::lower_bound(m_byChannel.begin(), m_byChannel.end(), *planes.channel, isBefore);
        const auto last = std::lower_bound(first, m_byChannel.end(), *planes.channel + 1, isBefore);
        std::vector<std::size_t> found(first, last);
        std::erase_if(found, [&](std::size_t i) {
            return planes.batch.value_or(m_entries.filled[i] / m_extents.channels) != m_entries.filled[i] / m_extents.channels;
        });
        return found;
    }
    const std::size_t first = planes.batch ? m_entries.filledFrom(*planes.batch * m_extents.channels) : 0;
    const std::size_t last =
        planes.batch ? m_entries.filledFrom((*planes.batch + 1) * m_extents.channels) : m_entries.filled.size();
    std::vector<std::size_t> found(last - first);
    std::iota(found.begin(), found.end(), first);
    return found;
}

Statistics SparseLoaded::statisticsOf(const PlaneChoice& planes, const std::vector<PlaneStatistics>& filled,
                                      bool storedOnly) const
{
    const std::vector<std::size_t> found = filledOf(planes);
    std::vector<const PlaneStatistics*> parts;
    for (const std::size_t i : found)
        parts.push_back(&filled[i]);
    const std::int64_t chosen = (planes.batch ? 1 : m_extents.batches) * (planes.channel ? 1 : m_extents.channels);
    const std::int64_t empty = chosen - static_cast<std::int64_t>(found.size());
    const PlaneStatistics rest = statisticsOfZeros(dtype(), storedOnly ? 0 : empty * m_extents.planeElements());
    if (rest.values.elements > 0 || parts.empty())
        parts.push_back(&rest);
    return combine(parts).values;
}

ValueSet SparseLoaded::values(const PlaneChoice& planes, bool storedOnly, const Job& job) const
{
    if (storedOnly) {
        const std::lock_guard lock(m_storedMutex);
        if (m_stored.size() != m_planes.size())
            m_stored = scanEntries(m_entries, m_seen, true, job);
    }
    ValueSet set;
    set.dtype = dtype();
    set.statistics = statisticsOf(planes, storedOnly ? m_stored : m_planes, storedOnly);
    std::int64_t stored = 0;
    std::vector<EntryRange> ranges;
    for (const std::size_t i : filledOf(planes)) {
        const EntryRange range = m_entries.ofFilled(i);
        stored += range.count();
        // Small planes that lie one after the other are handed over together.
        constexpr std::int64_t enough = 1 << 16;
        if (!ranges.empty() && ranges.back().end == range.begin && ranges.back().count() < enough)
            ranges.back().end = range.end;
        else
            ranges.push_back(range);
    }
    set.zeros = storedOnly ? 0 : set.statistics.elements - stored;
    set.forEach = [this, ranges = std::move(ranges)](const Job& inner, const ValueSet::Visit& visit) {
        m_workers->forEach(static_cast<std::int64_t>(ranges.size()), inner, [&](std::int64_t item, Scratch&) {
            const EntryRange& range = ranges[static_cast<std::size_t>(item)];
            visit(m_seen.data() + range.begin * seenSize(dtype()), range.count());
        });
    };
    return set;
}

HotTest SparseLoaded::makeTest(const Where& where, const Job& job) const
{
    const auto valuesOf = [&](std::optional<std::int64_t> channel) {
        return values({std::nullopt, channel}, where.storedOnly, job);
    };
    TestMaker::Channels channels;
    for (const std::size_t i : m_byChannel)
        if (channels.own.empty() || channels.own.back() != m_entries.channelOf(i))
            channels.own.push_back(m_entries.channelOf(i));
    // The first gap, or the channel behind the last.
    std::int64_t other = 0;
    while (static_cast<std::size_t>(other) < channels.own.size() && channels.own[static_cast<std::size_t>(other)] == other)
        ++other;
    if (other < m_extents.channels)
        channels.other = other;
    return m_tests.make(where, dtype(), channels, valuesOf, job);
}

std::vector<Threshold> SparseLoaded::thresholdsOf(const HotTest& test) const
{
    const std::vector<Threshold> own = test.thresholds();
    if (!test.isPerChannel() || m_extents.channels > mostPlanes)
        return own;
    std::vector<Threshold> all;
    for (std::int64_t channel = 0; channel < m_extents.channels; ++channel)
        all.push_back(own[test.conditionOf(channel)]);
    return all;
}

Result SparseLoaded::run(const Query& query, const Job& job) const
{
    if (query.counts || query.hotSums)
        checkPlanes(m_shape, m_selection, m_extents);
    const auto begin = std::chrono::steady_clock::now();
    const HotTest test = makeTest(query.where, job);
    const SparseMarks marks(m_entries, m_seen, test, query.where.storedOnly, job);
    Result result;
    result.thresholds = thresholdsOf(test);
    if (query.counts)
        result.counts = marks.counts(job);
    result.count = marks.count(job);
    if (query.hotSums)
        result.hotSums = marks.hotSums(job);
    const HotTest everything = HotTest::everything(dtype());
    for (const HeatMapQuery& map : query.heatMaps) {
        if (map.batch)
            checkBatch(*this, *map.batch);
        if (map.allValues)
            result.heatMaps.push_back(SparseMarks(m_entries, m_seen, everything, false, job).heatMap(map, job));
        else
            result.heatMaps.push_back(marks.heatMap(map, job));
    }
    for (const PlaneIndex& plane : query.masks) {
        checkPlane(*this, plane);
        result.masks.push_back(thinned(marks.mask(plane, job), query.maskStep));
    }
    if (query.rows)
        result.rows = SparseRows(marks, m_shape, m_selection).window(*query.rows, job);
    result.elapsedMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

void SparseLoaded::coordinates(const Where& where, bool values, const std::function<bool(const RowBlock&)>& sink,
                               const Job& job) const
{
    const HotTest test = makeTest(where, job);
    const SparseMarks marks(m_entries, m_seen, test, where.storedOnly, job);
    SparseRows(marks, m_shape, m_selection).stream(values, sink, job);
}

Tensor SparseLoaded::plane(PlaneIndex plane) const
{
    checkPlane(*this, plane);
    checkPictureSize(m_extents);
    const int size = itemSize(dtype());
    std::vector<std::byte> bytes(static_cast<std::size_t>(m_extents.planeElements() * size));
    const std::int64_t index = plane.batch * m_extents.channels + plane.channel;
    const EntryRange range = m_entries.ofPlane(index);
    for (std::int64_t entry = range.begin; entry < range.end; ++entry)
        std::memcpy(bytes.data() + m_entries.inPlane[static_cast<std::size_t>(entry)] * size, m_entries.value(entry),
                    static_cast<std::size_t>(size));
    return Tensor::contiguous(dtype(), planeShape(m_extents), Storage::fromVector(std::move(bytes)));
}

Scalar SparseLoaded::value(std::span<const std::int64_t> indices) const
{
    bool isInside = indices.size() == m_shape.size();
    const Strides strides = contiguousStrides(m_shape);
    std::int64_t position = 0;
    for (std::size_t axis = 0; isInside && axis < indices.size(); ++axis) {
        isInside = indices[axis] >= 0 && indices[axis] < m_shape[axis];
        position += indices[axis] * strides[axis];
    }
    if (!isInside)
        throw Error(fmt::format("indices {} lie outside shape {}", shapeText(indices), shapeText(m_shape)));
    const auto found = std::lower_bound(m_canonical.positions.begin(), m_canonical.positions.end(), position);
    if (found == m_canonical.positions.end() || *found != position) {
        const std::vector<std::byte> zero(static_cast<std::size_t>(itemSize(dtype())));
        return valueAt(dtype(), zero.data());
    }
    return valueAt(dtype(), m_canonical.values.data() + (found - m_canonical.positions.begin()) * itemSize(dtype()));
}

void SparseLoaded::buildIndex(const Job&) const {}

double SparseLoaded::nearestStop(double value) const
{
    return value;
}

double SparseLoaded::stepStop(double value, std::int64_t steps) const
{
    return stepByRange(m_all, value, steps);
}

Histogram SparseLoaded::histogram(std::optional<PlaneIndex> plane, int bins, const Job& job) const
{
    if (!plane)
        return histogramOf(bins, values({}, false, job), job);
    checkPlane(*this, *plane);
    return histogramOf(bins, values({plane->batch, plane->channel}, false, job), job);
}

} // namespace core
