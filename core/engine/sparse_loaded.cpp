// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/sparse_loaded.h"

#include "core/engine/dense_scan.h"
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

std::vector<const PlaneStatistics*> chosen(const std::vector<PlaneStatistics>& planes, const PlaneChoice& choice,
                                           std::int64_t channels)
{
    std::vector<const PlaneStatistics*> out;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const auto plane = static_cast<std::int64_t>(i);
        if (choice.batch.value_or(plane / channels) == plane / channels &&
            choice.channel.value_or(plane % channels) == plane % channels)
            out.push_back(&planes[i]);
    }
    return out;
}

} // namespace

SparseLoaded::SparseLoaded(const SparseTensor& tensor, Selection selection, std::shared_ptr<const Workers> workers,
                           const Job& job)
    : m_shape(tensor.shape), m_selection(std::move(selection)), m_workers(std::move(workers)),
      m_canonical(canonicalise(tensor, job)), m_entries(selectEntries(m_canonical, m_shape, m_selection, tensor.dtype(), job)),
      m_seen(m_entries, {}), m_planes(scanEntries(m_entries, m_seen, false, job))
{
    m_extents = m_entries.extents;
    for (const PlaneStatistics& plane : m_planes)
        m_statistics.push_back(plane.values);
    m_all = combine(chosen(m_planes, {}, m_extents.channels)).values;
    m_all.ordered = !isComplex(dtype());
    m_all.sum.isInteger = !isFloating(dtype()) && !isComplex(dtype());
}

const std::vector<Statistics>& SparseLoaded::planeStatistics(const Job&) const
{
    return m_statistics;
}

Statistics SparseLoaded::statistics(const Job&) const
{
    return m_all;
}

ValueSet SparseLoaded::values(const PlaneChoice& planes, bool storedOnly, const Job& job) const
{
    ValueSet set;
    set.dtype = dtype();
    if (storedOnly)
        set.statistics = combine(chosen(scanEntries(m_entries, m_seen, true, job), planes, m_extents.channels)).values;
    else
        set.statistics = combine(chosen(m_planes, planes, m_extents.channels)).values;
    std::int64_t stored = 0;
    std::vector<std::int64_t> indices;
    for (std::int64_t plane = 0; plane < m_extents.planes(); ++plane)
        if (planes.batch.value_or(plane / m_extents.channels) == plane / m_extents.channels &&
            planes.channel.value_or(plane % m_extents.channels) == plane % m_extents.channels) {
            indices.push_back(plane);
            stored += m_entries.end(plane) - m_entries.begin(plane);
        }
    set.zeros = storedOnly ? 0 : set.statistics.elements - stored;
    set.forEach = [this, indices](const Job& inner, const ValueSet::Visit& visit) {
        m_workers->forEach(static_cast<std::int64_t>(indices.size()), inner, [&](std::int64_t item, Scratch&) {
            const std::int64_t plane = indices[static_cast<std::size_t>(item)];
            visit(m_seen.data() + m_entries.begin(plane) * seenSize(dtype()), m_entries.end(plane) - m_entries.begin(plane));
        });
    };
    return set;
}

HotTest SparseLoaded::makeTest(const Where& where, const Job& job) const
{
    const auto valuesOf = [&](std::optional<std::int64_t> channel) {
        return values({std::nullopt, channel}, where.storedOnly, job);
    };
    return m_tests.make(where, dtype(), m_extents.channels, valuesOf, job);
}

Result SparseLoaded::run(const Query& query, const Job& job) const
{
    const auto begin = std::chrono::steady_clock::now();
    const HotTest test = makeTest(query.where, job);
    const SparseMarks marks(m_entries, m_seen, test, query.where.storedOnly, job);
    Result result;
    result.thresholds = test.thresholds();
    result.counts = marks.counts(job);
    result.count = std::accumulate(result.counts.begin(), result.counts.end(), std::int64_t{0});
    if (query.hotSums)
        result.hotSums = marks.hotSums(job);
    for (const HeatMapQuery& map : query.heatMaps) {
        if (map.batch)
            checkBatch(*this, *map.batch);
        if (map.allValues)
            result.heatMaps.push_back(
                SparseMarks(m_entries, m_seen, HotTest::everything(dtype()), false, job).heatMap(map, job));
        else
            result.heatMaps.push_back(marks.heatMap(map, job));
    }
    for (const PlaneIndex& plane : query.masks) {
        checkPlane(*this, plane);
        result.masks.push_back(marks.mask(plane, job));
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
    for (std::int64_t entry = m_entries.begin(index); entry < m_entries.end(index); ++entry)
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
