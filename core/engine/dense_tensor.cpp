// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dense_tensor.h"

#include "core/engine/dense_scan.h"
#include "core/engine/element_value.h"
#include "core/engine/indexed_values.h"
#include "core/engine/plane_check.h"
#include "core/engine/row_search.h"
#include "core/engine/row_stream.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace core {
namespace {

std::vector<const PlaneStatistics*> pointers(const std::vector<PlaneStatistics>& planes, std::size_t first, std::size_t step)
{
    std::vector<const PlaneStatistics*> out;
    for (std::size_t i = first; i < planes.size(); i += step)
        out.push_back(&planes[i]);
    return out;
}

double millisecondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Every plane has a row of statistics, so that a hostile shape without elements could ask for any memory.
void checkPlaneCount(const Extents& extents, const Selection& selection)
{
    constexpr std::int64_t mostPlanes = std::int64_t{1} << 27;
    if (extents.planes() > mostPlanes)
        throw Error(
            fmt::format("layout {} makes {} planes (batch items x channels), at most {} can be listed: choose a layout with "
                        "fewer, or hold an axis at one index with '-'",
                        selection.layout.letters(), extents.planes(), mostPlanes));
}

} // namespace

DenseTensor::DenseTensor(Tensor tensor, Selection selection, std::shared_ptr<const Workers> workers, const Job& job)
    : m_tensor(std::move(tensor)), m_selection(std::move(selection)), m_workers(std::move(workers)),
      m_grid(m_tensor, m_selection)
{
    m_extents = m_grid.extents;
    checkPlaneCount(m_extents, m_selection);
    m_tensor.storage().verify();
    // The map of one picture at least: its pages are not touched anew at every step.
    constexpr std::int64_t leastKept = std::int64_t{64} << 20;
    constexpr std::int64_t mostKept = std::int64_t{256} << 20;
    const std::int64_t pixels = std::min(m_extents.planeElements(), mostKept);
    m_pool = std::make_shared<BufferPool>(static_cast<std::size_t>(
        std::clamp(pixels * static_cast<std::int64_t>(sizeof(double)) + (4 << 20), leastKept, mostKept)));
    m_memory = planMemory(m_grid, memoryLimit(m_tensor));
    m_memory.index.pool = m_pool;
    m_scan = scanFirst(BlockReader(m_grid), m_memory.scan, m_pool, *m_workers, job);
    m_ownCodes = ownCodes(m_grid);
    m_tensor.storage().verify();
    for (const PlaneStatistics& plane : m_scan.planes)
        m_statistics.push_back(plane.values);
    m_all = combine(pointers(m_scan.planes, 0, 1)).values;
    m_all.ordered = !isComplex(dtype());
    m_all.sum.isInteger = !isFloating(dtype()) && !isComplex(dtype());
}

const std::vector<Statistics>& DenseTensor::planeStatistics(const Job&) const
{
    return m_statistics;
}

Statistics DenseTensor::statistics(const Job&) const
{
    return m_all;
}

HotTest DenseTensor::makeTest(const Where& where, const Job& job) const
{
    const BlockReader reader(m_grid);
    const auto values = [&](std::optional<std::int64_t> channel) {
        Statistics statistics = m_all;
        if (channel)
            statistics = combine(pointers(m_scan.planes, static_cast<std::size_t>(*channel),
                                          static_cast<std::size_t>(m_extents.channels)))
                             .values;
        return valuesOf(reader, {std::nullopt, channel}, statistics);
    };
    return m_tests.make(where, dtype(), m_extents.channels, values, job);
}

ValueSet DenseTensor::valuesOf(const BlockReader& reader, const PlaneChoice& planes, const Statistics& statistics) const
{
    ValueSet values = denseValues(reader, *m_workers, planes, statistics);
    setBins(values, planes, index(), reader, m_scan.zones, *m_workers);
    return values;
}

Result DenseTensor::run(const Query& query, const Job& job) const
{
    const auto begin = std::chrono::steady_clock::now();
    m_tensor.storage().verify();
    const HotTest test = makeTest(query.where, job);
    Result result;
    result.thresholds = test.thresholds();
    const auto known = index();
    std::vector<std::int64_t> chunks;
    const ValueCodes* const codes = m_ownCodes ? m_ownCodes.get() : known ? known->codes() : nullptr;
    if (query.hotSums) {
        CountsAndSums sums = sumPlanes(m_grid, test, *m_workers, job);
        result.counts = std::move(sums.counts);
        result.hotSums = std::move(sums.sums);
    } else if (known && (query.counts || query.rows)) {
        result.counts = known->counts(test).value_or(std::vector<std::int64_t>());
        if (query.rows)
            chunks = known->chunkCounts(test).value_or(std::vector<std::int64_t>());
        const auto plan = result.counts.empty() ? planCodes(known->codes(), test, CodeUse::counts) : std::nullopt;
        if (plan) {
            chunks = countByCodes(m_grid, *known, test, *plan, *m_workers, job);
            result.counts = known->planesOf(chunks);
        }
    }
    if (!query.heatMaps.empty())
        answerMaps(query, test, planCodes(codes, test, query.draft ? CodeUse::draft : CodeUse::maps), result, job);
    if (result.counts.empty() && query.counts)
        result.counts = countPlanes(m_grid, test, *m_workers, job);
    const auto plan = query.masks.empty() && !query.rows ? std::nullopt : planCodes(codes, test, CodeUse::marks);
    std::optional<PlaneGrid> thin;
    if (query.maskStep > 1)
        thin.emplace(thinnedPlanes(m_tensor, m_selection, query.maskStep), m_selection);
    for (const PlaneIndex& plane : query.masks) {
        checkPlane(*this, plane);
        result.masks.push_back(plan ? markByCodes(m_grid, test, plane, *plan, query.maskStep, *m_workers, job)
                                    : markPlane(thin ? *thin : m_grid, test, plane, *m_workers, job));
    }
    if (query.rows) {
        RowGuide guide;
        guide.counts = chunks.empty() ? result.counts : chunks;
        guide.pieceElements = chunks.empty() ? m_extents.planeElements() : known->chunkElements();
        guide.plan = plan ? &*plan : nullptr;
        guide.zones = m_scan.zones.isEmpty() ? nullptr : &m_scan.zones;
        const RowLister lister(m_grid, test, shape(), m_selection);
        const PlaneOrder planes(m_grid, shape(), m_selection);
        result.rows = RowSearch(lister, planes, guide, *m_workers, job).find(*query.rows);
    }
    result.count = std::accumulate(result.counts.begin(), result.counts.end(), std::int64_t{0});
    m_tensor.storage().verify();
    result.elapsedMs = millisecondsSince(begin);
    return result;
}

/// Maps over the same batch items and the same elements share one pass; one over all batch items gives the counts as well.
void DenseTensor::answerMaps(const Query& query, const HotTest& test, const std::optional<CodePlan>& plan, Result& result,
                             const Job& job) const
{
    const HotTest everything = HotTest::everything(dtype());
    result.heatMaps.resize(query.heatMaps.size());
    // Maps of 8-bit values without codes in place: the largest ones are known, the others need no pass over values for theirs.
    const auto isKnown = [&](const HeatMapQuery& map) {
        MapJob one;
        one.queries.push_back(map);
        return map.reduction == Reduction::max && itemSize(dtype()) == 1 && !plan && !map.allValues &&
               canReduceByCodes(one, plan, m_scan.maxMap, test, dtype(), query.draft);
    };
    std::vector<bool> isDone(query.heatMaps.size());
    for (std::size_t i = 0; i < query.heatMaps.size(); ++i) {
        const HeatMapQuery& first = query.heatMaps[i];
        if (isDone[i])
            continue;
        if (first.batch)
            checkBatch(*this, *first.batch);
        MapJob maps;
        maps.pool = m_pool;
        std::vector<std::size_t> places;
        for (std::size_t k = i; k < query.heatMaps.size(); ++k)
            if (query.heatMaps[k].batch == first.batch && query.heatMaps[k].allValues == first.allValues &&
                isKnown(query.heatMaps[k]) == isKnown(first)) {
                maps.queries.push_back(query.heatMaps[k]);
                places.push_back(k);
                isDone[k] = true;
            }
        maps.firstBatch = first.batch.value_or(0);
        maps.batches = first.batch ? 1 : m_extents.batches;
        if (!first.allValues && canReduceByCodes(maps, plan, m_scan.maxMap, test, dtype(), query.draft)) {
            CodeMaps quick = reduceByCodes(m_grid, test, maps, plan, m_scan.maxMap, *m_workers, job);
            for (std::size_t k = 0; k < places.size(); ++k)
                result.heatMaps[places[k]] = std::move(quick.maps[k]);
            result.mapsAreExact = result.mapsAreExact && quick.areExact;
            continue;
        }
        if (!first.allValues && maps.batches == m_extents.batches && result.counts.empty() && (query.counts || query.rows)) {
            result.counts.resize(static_cast<std::size_t>(m_extents.planes()));
            maps.counts = result.counts;
        }
        std::vector<Tensor> answers = reduceBatches(m_grid, first.allValues ? everything : test, maps, *m_workers, job);
        for (std::size_t k = 0; k < places.size(); ++k)
            result.heatMaps[places[k]] = std::move(answers[k]);
    }
}

void DenseTensor::coordinates(const Where& where, bool values, const std::function<bool(const RowBlock&)>& sink,
                              const Job& job) const
{
    m_tensor.storage().verify();
    const HotTest test = makeTest(where, job);
    streamRows(RowLister(m_grid, test, shape(), m_selection), values, sink, *m_workers, job);
    m_tensor.storage().verify();
}

Tensor DenseTensor::plane(PlaneIndex plane) const
{
    checkPlane(*this, plane);
    return planeView(m_tensor, m_selection, plane.batch, plane.channel);
}

Scalar DenseTensor::value(std::span<const std::int64_t> indices) const
{
    return valueAt(m_tensor, indices);
}

std::shared_ptr<const TensorIndex> DenseTensor::index() const
{
    const std::lock_guard lock(m_indexMutex);
    return m_index;
}

void DenseTensor::buildIndex(const Job& job) const
{
    if (index())
        return;
    auto built = buildTensorIndex(BlockReader(m_grid), m_all, m_memory.index, *m_workers, job);
    m_tensor.storage().verify();
    const std::lock_guard lock(m_indexMutex);
    m_index = std::move(built);
}

double DenseTensor::nearestStop(double value) const
{
    const auto known = index();
    return known ? core::nearestStop(known->stops(), value) : value;
}

double DenseTensor::stepStop(double value, std::int64_t steps) const
{
    if (const auto known = index())
        return core::stepStop(known->stops(), value, steps);
    return stepByRange(m_all, value, steps);
}

bool DenseTensor::isHistogramQuick(std::optional<PlaneIndex> plane) const
{
    constexpr std::int64_t few = std::int64_t{1} << 22;
    if (plane || m_extents.elements() <= few)
        return true;
    const std::lock_guard lock(m_histogramMutex);
    return m_histogram.has_value();
}

Histogram DenseTensor::histogram(std::optional<PlaneIndex> plane, int bins, const Job& job) const
{
    const BlockReader reader(m_grid);
    if (!plane) {
        {
            const std::lock_guard lock(m_histogramMutex);
            if (m_histogram && std::ssize(m_histogram->bins) == bins)
                return *m_histogram;
        }
        Histogram found = histogramOf(bins, valuesOf(reader, {}, m_all), job);
        const std::lock_guard lock(m_histogramMutex);
        return m_histogram.emplace(std::move(found));
    }
    checkPlane(*this, *plane);
    const Statistics& statistics = m_statistics[static_cast<std::size_t>(plane->batch * m_extents.channels + plane->channel)];
    return histogramOf(bins, valuesOf(reader, {plane->batch, plane->channel}, statistics), job);
}

} // namespace core
