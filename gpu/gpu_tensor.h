// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device_tensor.h"
#include "gpu/gpu.h"

#include <atomic>

namespace gpu {

/// What the tensors of a GPU engine share.
struct EngineState
{
    OpenDevice open;
    std::string device;
    Tell tell;
    std::shared_ptr<const core::Workers> workers = std::make_shared<const core::Workers>(0);
    std::unique_ptr<const core::Engine> cpu = core::makeCpuEngine();
    /// The device failed: nothing more is asked of it.
    std::atomic<bool> isLost = false;

    /// Tells that the CPU answers for a tensor of a shape; of a lost device once.
    void report(const DeviceError& error, const core::Shape& shape);
};

/// A tensor on a device; on the CPU engine from the moment the device fails.
class GpuTensor : public core::LoadedTensor
{
public:
    GpuTensor(core::Tensor tensor, core::Selection selection, std::shared_ptr<EngineState> state, const core::Job& job);
    ~GpuTensor() override;

    std::string engine() const override;
    core::DType dtype() const override { return m_tensor.dtype(); }
    const core::Shape& shape() const override { return m_tensor.shape(); }
    const core::Selection& selection() const override { return m_selection; }
    const core::Tensor* dense() const override { return &m_tensor; }

    const std::vector<core::Statistics>& planeStatistics(const core::Job& job = {}) const override;
    core::Statistics statistics(const core::Job& job = {}) const override;
    core::Result run(const core::Query& query, const core::Job& job = {}) const override;
    void coordinates(const core::Where& where, bool values, const std::function<bool(const core::RowBlock&)>& sink,
                     const core::Job& job = {}) const override;
    core::Tensor plane(core::PlaneIndex plane) const override;
    core::Scalar value(std::span<const std::int64_t> indices) const override;
    /// On a device the stops alone, those of the CPU engine: counting anew takes it less than a frame.
    void buildIndex(const core::Job& job = {}) const override;
    std::string indexNote() const override;
    double nearestStop(double value) const override;
    double stepStop(double value, std::int64_t steps) const override;
    core::Histogram histogram(std::optional<core::PlaneIndex> plane, int bins, const core::Job& job = {}) const override;
    core::LabelMap labels(const core::LabelQuery& query, const core::Job& job = {}) const override;
    core::LabelCounts labelCounts(const core::Job& job = {}) const override;
    core::Selected select(const core::SelectQuery& query, const core::Job& job = {}) const override;
    std::vector<double> norms(const core::Norm& norm, const core::Job& job = {}) const override;
    core::Fused fuse(const core::LoadedTensor& other, const core::Norm& norm, const core::Job& job = {}) const override;

private:
    /// Null once the CPU has taken over.
    std::shared_ptr<const DeviceTensor> device() const;
    /// Another tensor of the same engine; null where the device does not hold it.
    std::shared_ptr<const DeviceTensor> onSameDevice(const core::LoadedTensor* other) const;
    /// The CPU engine's tensor, taken in at the first call.
    const core::LoadedTensor& cpu(const core::Job& job) const;
    /// Null until then.
    const core::LoadedTensor* knownCpu() const;
    void handOver(const DeviceError& error) const;
    /// Those of the device; empty until they are known.
    std::vector<double> stops() const;

    /// Asks the device, and where it fails the CPU.
    template <class OnDevice, class OnCpu>
    auto answer(const core::Job& job, OnDevice onDevice, OnCpu onCpu) const
    {
        if (const auto there = device()) {
            try {
                return onDevice(*there);
            } catch (const DeviceError& error) {
                handOver(error);
            }
        }
        return onCpu(cpu(job));
    }

    core::Tensor m_tensor;
    core::Selection m_selection;
    std::shared_ptr<EngineState> m_state;
    core::Statistics m_all;
    std::vector<core::Statistics> m_statistics;
    mutable std::mutex m_mutex;
    mutable std::shared_ptr<const DeviceTensor> m_device;
    /// Held while the CPU engine takes the tensor in; m_mutex never for long.
    mutable std::mutex m_cpuMutex;
    mutable std::unique_ptr<const core::LoadedTensor> m_cpu;
    mutable std::vector<double> m_stops;
};

} // namespace gpu
