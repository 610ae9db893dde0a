// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/plane_grid.h"
#include "core/engine/rules.h"
#include "gpu/device_rows.h"

namespace gpu {

/// A strided tensor that a device has taken in: answers as core::DenseTensor, to the last bit. Every call throws DeviceError
/// beside what the engine's interface says. Thread safe for concurrent const calls.
class DeviceTensor
{
public:
    /// Copies the selected part to the device and scans it. Not for complex dtypes or tensors without elements.
    DeviceTensor(core::Tensor tensor, core::Selection selection, const OpenDevice& open,
                 std::shared_ptr<const core::Workers> workers, const core::Job& job);

    const std::vector<core::Statistics>& planeStatistics() const { return m_statistics; }
    const core::Statistics& statistics() const { return m_all; }
    /// `owner` is the tensor that answers, for its messages.
    core::Result run(const core::LoadedTensor& owner, const core::Query& query, const core::Job& job) const;
    void coordinates(const core::Where& where, bool values, const std::function<bool(const core::RowBlock&)>& sink,
                     const core::Job& job) const;
    core::Histogram histogram(std::optional<core::PlaneIndex> plane, int bins, const core::Job& job) const;
    core::LabelMap labels(const core::LabelQuery& query, const core::Job& job) const;
    core::LabelCounts labelCounts(const core::Job& job) const;
    /// `there` is the other tensor where it is on the same device; it is copied there where null.
    core::Selected select(const core::LoadedTensor& owner, const core::SelectQuery& query, const DeviceTensor* there,
                          const core::Job& job) const;
    core::Fused fuse(const core::LoadedTensor& owner, const core::LoadedTensor& other, const DeviceTensor* there,
                     const core::Norm& norm, const core::Job& job) const;
    std::vector<double> norms(const core::Norm& norm, const core::Job& job) const;

private:
    /// Values of a second tensor on the device.
    struct Operand
    {
        std::unique_ptr<DeviceValues> uploaded;
        const DeviceValues* values = nullptr;
    };
    Operand operand(const core::LoadedTensor& owner, const core::LoadedTensor* other, const DeviceTensor* there,
                    const core::Job& job) const;
    core::HotTest makeTest(const core::Where& where, const core::Job& job) const;
    DeviceRows rows(const core::HotTest& test) const { return {m_values, test, m_grid, m_tensor, m_selection}; }

    core::Tensor m_tensor;
    core::Selection m_selection;
    OpenDevice m_open;
    std::shared_ptr<const core::Workers> m_workers;
    core::PlaneGrid m_grid;
    DeviceValues m_values;
    std::vector<core::PlaneStatistics> m_planes;
    std::vector<core::Statistics> m_statistics;
    core::Statistics m_all;
    mutable core::TestMaker m_tests;
    /// Lends memory for maps; tensors that came from it keep it.
    std::shared_ptr<core::BufferPool> m_pool = std::make_shared<core::BufferPool>(std::size_t{64} << 20);
    /// The same for new tensors: the memory of one is kept.
    std::shared_ptr<core::BufferPool> m_copies =
        std::make_shared<core::BufferPool>(static_cast<std::size_t>(m_tensor.bytes()) + (2 << 20));
};

} // namespace gpu
