// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/gpu_tensor.h"

#include "core/engine/element_value.h"
#include "core/engine/label_counter.h"
#include "core/engine/memory_plan.h"
#include "core/engine/plane_check.h"
#include "core/engine/statistics.h"
#include "core/error.h"

#include <fmt/format.h>

namespace gpu {

void EngineState::report(const DeviceError& error, const core::Shape& shape)
{
    if (!error.isMemory() && isLost.exchange(true))
        return;
    if (!tell)
        return;
    if (error.isMemory())
        tell(fmt::format("the GPU ({}) has too little memory for a tensor of shape {}: the CPU answers for it", device,
                         core::shapeText(shape)));
    else
        tell(fmt::format("the GPU ({}) cannot go on: {}; the CPU answers from now on", device, error.what()));
}

GpuTensor::GpuTensor(core::Tensor tensor, core::Selection selection, std::shared_ptr<EngineState> state, const core::Job& job)
    : m_tensor(std::move(tensor)), m_selection(std::move(selection)), m_state(std::move(state))
{
    m_extents = core::extentsOf(m_tensor.shape(), m_selection);
    if (!m_state->isLost) {
        try {
            m_tensor.storage().verify();
            m_device = std::make_shared<const DeviceTensor>(m_tensor, m_selection, m_state->open, m_state->workers, job);
            m_statistics = m_device->planeStatistics();
            m_all = m_device->statistics();
            return;
        } catch (const DeviceError& error) {
            m_state->report(error, m_tensor.shape());
        }
    }
    m_statistics = cpu(job).planeStatistics(job);
    m_all = cpu(job).statistics(job);
}

GpuTensor::~GpuTensor() = default;

std::string GpuTensor::engine() const
{
    return device() ? "cuda" : "cpu";
}

std::shared_ptr<const DeviceTensor> GpuTensor::device() const
{
    const std::lock_guard lock(m_mutex);
    return m_device;
}

std::shared_ptr<const DeviceTensor> GpuTensor::onSameDevice(const core::LoadedTensor* other) const
{
    const auto* const gpu = dynamic_cast<const GpuTensor*>(other);
    return gpu && gpu->m_state == m_state ? gpu->device() : nullptr;
}

void GpuTensor::handOver(const DeviceError& error) const
{
    std::shared_ptr<const DeviceTensor> gone;
    {
        const std::lock_guard lock(m_mutex);
        gone = std::exchange(m_device, nullptr);
    }
    if (gone)
        m_state->report(error, m_tensor.shape());
}

const core::LoadedTensor& GpuTensor::cpu(const core::Job& job) const
{
    const std::lock_guard loading(m_cpuMutex);
    if (const core::LoadedTensor* const known = knownCpu())
        return *known;
    auto loaded = m_state->cpu->load(m_tensor, m_selection, job);
    // What was built for the device is of no use now.
    if (!stops().empty())
        loaded->buildIndex(job);
    const std::lock_guard lock(m_mutex);
    m_cpu = std::move(loaded);
    return *m_cpu;
}

const core::LoadedTensor* GpuTensor::knownCpu() const
{
    const std::lock_guard lock(m_mutex);
    return m_cpu.get();
}

const std::vector<core::Statistics>& GpuTensor::planeStatistics(const core::Job&) const
{
    return m_statistics;
}

core::Statistics GpuTensor::statistics(const core::Job&) const
{
    return m_all;
}

core::Result GpuTensor::run(const core::Query& query, const core::Job& job) const
{
    return answer(
        job, [&](const DeviceTensor& there) { return there.run(*this, query, job); },
        [&](const core::LoadedTensor& cpu) { return cpu.run(query, job); });
}

void GpuTensor::coordinates(const core::Where& where, bool values, const std::function<bool(const core::RowBlock&)>& sink,
                            const core::Job& job) const
{
    std::int64_t delivered = 0;
    const auto onDevice = [&](const DeviceTensor& there) {
        there.coordinates(
            where, values,
            [&](const core::RowBlock& block) {
                delivered += block.rows;
                return sink(block);
            },
            job);
    };
    const auto onCpu = [&](const core::LoadedTensor& cpu) {
        // Rows that the device delivered before it failed are not told again.
        cpu.coordinates(
            where, values,
            [&, skip = delivered](const core::RowBlock& block) mutable {
                const std::int64_t known = std::min(skip, block.rows);
                skip -= known;
                if (known == block.rows)
                    return true;
                const auto rank = block.indices.size() / static_cast<std::size_t>(block.rows);
                const auto first = static_cast<std::size_t>(known);
                return sink({block.indices.subspan(first * rank),
                             block.values.empty() ? block.values : block.values.subspan(first), block.rows - known});
            },
            job);
    };
    answer(job, onDevice, onCpu);
}

core::Tensor GpuTensor::plane(core::PlaneIndex plane) const
{
    core::checkPlane(*this, plane);
    return core::planeView(m_tensor, m_selection, plane.batch, plane.channel);
}

core::Scalar GpuTensor::value(std::span<const std::int64_t> indices) const
{
    return core::valueAt(m_tensor, indices);
}

void GpuTensor::buildIndex(const core::Job& job) const
{
    if (!device())
        return cpu(job).buildIndex(job);
    if (!stops().empty())
        return;
    job.check();
    m_tensor.storage().verify();
    const core::PlaneGrid grid(m_tensor, m_selection);
    const core::MemoryPlan plan = core::planMemory(grid, core::memoryLimit(m_tensor));
    std::vector<double> found = core::indexStops(core::BlockReader(grid), m_all, plan.index);
    m_tensor.storage().verify();
    const std::lock_guard lock(m_mutex);
    m_stops = std::move(found);
}

std::string GpuTensor::indexNote() const
{
    const core::LoadedTensor* const known = knownCpu();
    return known ? known->indexNote() : std::string();
}

std::vector<double> GpuTensor::stops() const
{
    const std::lock_guard lock(m_mutex);
    return m_stops;
}

double GpuTensor::nearestStop(double value) const
{
    if (const core::LoadedTensor* const known = knownCpu())
        return known->nearestStop(value);
    return core::nearestStop(stops(), value);
}

double GpuTensor::stepStop(double value, std::int64_t steps) const
{
    if (const core::LoadedTensor* const known = knownCpu())
        return known->stepStop(value, steps);
    const auto found = stops();
    return found.empty() ? core::stepByRange(m_all, value, steps) : core::stepStop(found, value, steps);
}

core::Histogram GpuTensor::histogram(std::optional<core::PlaneIndex> plane, int bins, const core::Job& job) const
{
    if (plane)
        core::checkPlane(*this, *plane);
    return answer(
        job, [&](const DeviceTensor& there) { return there.histogram(plane, bins, job); },
        [&](const core::LoadedTensor& cpu) { return cpu.histogram(plane, bins, job); });
}

core::LabelMap GpuTensor::labels(const core::LabelQuery& query, const core::Job& job) const
{
    core::checkLabels(dtype(), m_extents);
    if (query.batch)
        core::checkBatch(*this, *query.batch);
    return answer(
        job, [&](const DeviceTensor& there) { return there.labels(query, job); },
        [&](const core::LoadedTensor& cpu) { return cpu.labels(query, job); });
}

core::LabelCounts GpuTensor::labelCounts(const core::Job& job) const
{
    core::checkIds(dtype());
    return answer(
        job, [&](const DeviceTensor& there) { return there.labelCounts(job); },
        [&](const core::LoadedTensor& cpu) { return cpu.labelCounts(job); });
}

core::Selected GpuTensor::select(const core::SelectQuery& query, const core::Job& job) const
{
    return answer(
        job, [&](const DeviceTensor& there) { return there.select(*this, query, onSameDevice(query.other).get(), job); },
        [&](const core::LoadedTensor& cpu) { return cpu.select(query, job); });
}

std::vector<double> GpuTensor::norms(const core::Norm& norm, const core::Job& job) const
{
    return answer(
        job, [&](const DeviceTensor& there) { return there.norms(norm, job); },
        [&](const core::LoadedTensor& cpu) { return cpu.norms(norm, job); });
}

core::Fused GpuTensor::fuse(const core::LoadedTensor& other, const core::Norm& norm, const core::Job& job) const
{
    return answer(
        job, [&](const DeviceTensor& there) { return there.fuse(*this, other, onSameDevice(&other).get(), norm, job); },
        [&](const core::LoadedTensor& cpu) { return cpu.fuse(other, norm, job); });
}

} // namespace gpu
