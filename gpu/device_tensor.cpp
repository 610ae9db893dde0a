// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_tensor.h"

#include "core/engine/label_counter.h"
#include "core/engine/lane_sum.h"
#include "core/engine/norm_tiles.h"
#include "core/engine/operand.h"
#include "core/engine/plane_check.h"
#include "gpu/device_copies.h"
#include "gpu/device_counter.h"
#include "gpu/device_operations.h"
#include "gpu/device_query.h"
#include "gpu/device_scan.h"

#include <chrono>
#include <cmath>
#include <numeric>

namespace gpu {
namespace {

using core::Result;

std::vector<const core::PlaneStatistics*> pointers(const std::vector<core::PlaneStatistics>& planes, std::size_t first,
                                                   std::size_t step)
{
    std::vector<const core::PlaneStatistics*> out;
    for (std::size_t i = first; i < planes.size(); i += step)
        out.push_back(&planes[i]);
    return out;
}

} // namespace

DeviceTensor::DeviceTensor(core::Tensor tensor, core::Selection selection, const OpenDevice& open,
                           std::shared_ptr<const core::Workers> workers, const core::Job& job)
    : m_tensor(std::move(tensor)), m_selection(std::move(selection)), m_open(open), m_workers(std::move(workers)),
      m_grid(m_tensor, m_selection), m_values(m_open, m_grid, *m_workers, job)
{
    m_tensor.storage().verify();
    m_planes = scanPlanes(m_values, {job.stop, {}});
    for (const core::PlaneStatistics& plane : m_planes)
        m_statistics.push_back(plane.values);
    m_all = core::combine(pointers(m_planes, 0, 1)).values;
    m_all.sum.isInteger = !core::isFloating(m_tensor.dtype());
}

core::HotTest DeviceTensor::makeTest(const core::Where& where, const core::Job& job) const
{
    const std::int64_t channels = m_grid.extents.channels;
    const auto values = [&](std::optional<std::int64_t> channel) {
        const auto first = static_cast<std::size_t>(channel.value_or(0));
        const core::Statistics statistics =
            channel ? core::combine(pointers(m_planes, first, static_cast<std::size_t>(channels))).values : m_all;
        return deviceValueSet(m_values, {std::nullopt, channel}, statistics);
    };
    return m_tests.make(where, m_tensor.dtype(), channels, values, job);
}

Result DeviceTensor::run(const core::LoadedTensor& owner, const core::Query& query, const core::Job& job) const
{
    const auto begin = std::chrono::steady_clock::now();
    m_tensor.storage().verify();
    for (const core::PlaneIndex& plane : query.masks)
        core::checkPlane(owner, plane);
    for (const core::HeatMapQuery& map : query.heatMaps)
        if (map.batch)
            core::checkBatch(owner, *map.batch);
    const core::HotTest test = makeTest(query.where, job);
    std::optional<DeviceRows> rows;
    if (query.rows)
        rows.emplace(m_values, test, m_grid, m_tensor, m_selection);
    Result result = answerQuery(m_values, test, rows ? &*rows : nullptr, query, m_pool, job);
    result.thresholds = test.thresholds();
    for (core::Tensor& mask : result.masks)
        mask = core::thinned(mask, query.maskStep);
    m_tensor.storage().verify();
    result.elapsedMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

void DeviceTensor::coordinates(const core::Where& where, bool values, const std::function<bool(const core::RowBlock&)>& sink,
                               const core::Job& job) const
{
    m_tensor.storage().verify();
    const core::HotTest test = makeTest(where, job);
    rows(test).stream(values, sink, *m_workers, job);
    m_tensor.storage().verify();
}

core::Histogram DeviceTensor::histogram(std::optional<core::PlaneIndex> plane, int bins, const core::Job& job) const
{
    if (!plane)
        return core::histogramOf(bins, deviceValueSet(m_values, {}, m_all), job);
    const auto index = static_cast<std::size_t>(plane->batch * m_grid.extents.channels + plane->channel);
    return core::histogramOf(bins, deviceValueSet(m_values, {plane->batch, plane->channel}, m_statistics[index]), job);
}

core::LabelMap DeviceTensor::labels(const core::LabelQuery& query, const core::Job& job) const
{
    m_tensor.storage().verify();
    return labelPixels(m_values, query, *m_workers, job);
}

core::LabelCounts DeviceTensor::labelCounts(const core::Job& job) const
{
    m_tensor.storage().verify();
    auto counts = countIds(m_values, m_all, job);
    return counts ? std::move(*counts) : core::countIds(m_grid, *m_workers, job);
}

DeviceTensor::Operand DeviceTensor::operand(const core::LoadedTensor& owner, const core::LoadedTensor* other,
                                            const DeviceTensor* there, const core::Job& job) const
{
    const core::PlaneGrid grid = core::operandGrid(owner, other);
    Operand operand;
    if (!there) {
        other->dense()->storage().verify();
        operand.uploaded = std::make_unique<DeviceValues>(m_open, grid, *m_workers, core::Job{job.stop, {}});
        other->dense()->storage().verify();
    }
    operand.values = there ? &there->m_values : operand.uploaded.get();
    return operand;
}

core::Selected DeviceTensor::select(const core::LoadedTensor& owner, const core::SelectQuery& query, const DeviceTensor* there,
                                    const core::Job& job) const
{
    m_tensor.storage().verify();
    Operand operand;
    if (query.update == core::Update::replace)
        operand = this->operand(owner, query.other, there, job);
    const core::HotTest test = makeTest(query.where, job);
    return updateElements({m_values, m_tensor, m_selection, operand.values, m_copies, *m_workers, job}, query, test);
}

std::vector<double> DeviceTensor::norms(const core::Norm& norm, const core::Job& job) const
{
    const core::NormTiles tiles(norm, m_tensor.dtype());
    m_tensor.storage().verify();
    const std::vector<double> parts = normParts(m_values, norm.p, job);
    const auto perPlane = static_cast<std::size_t>(core::tileCount(m_grid.extents.planeElements()));
    std::vector<double> norms;
    for (std::size_t first = 0; first < parts.size(); first += perPlane)
        norms.push_back(tiles.total(std::span(parts).subspan(first, perPlane)));
    return norms;
}

core::Fused DeviceTensor::fuse(const core::LoadedTensor& owner, const core::LoadedTensor& other, const DeviceTensor* there,
                               const core::Norm& norm, const core::Job& job) const
{
    const Operand operand = this->operand(owner, &other, there, job);
    core::Fused result;
    result.norms = norms(norm, job);
    // The other one's engine gives the same bits, whichever it is.
    result.otherNorms = other.norms(norm, job);
    result.values = copyChosen(CopyJob{m_values, m_tensor, m_selection, operand.values, m_copies, *m_workers, job}, result);
    return result;
}

} // namespace gpu
