// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/engine.h"
#include "gpu/device_values.h"

/// New tensors made on a device and brought to the host's memory, byte for byte those of the CPU engine. Each throws
/// DeviceError, core::Cancelled.
namespace gpu {

/// What a new tensor is made from, and how: the values on the device, in the order of the tensor's own axes. References.
struct CopyJob
{
    const DeviceValues& values;
    const core::Tensor& tensor;
    const core::Selection& selection;
    /// Of another tensor of the same dtype and extents on the same device; null where none is needed.
    const DeviceValues* other;
    const std::shared_ptr<core::BufferPool>& pool;
    const core::Workers& workers;
    const core::Job& job;
};

/// The hot elements updated, and counts of hot elements. Throws core::Error as SelectQuery says.
core::Selected updateElements(const CopyJob& copy, const core::SelectQuery& query, const core::HotTest& test);

/// The planes that `chosen` names (Fused::isFirst).
core::Tensor copyChosen(const CopyJob& copy, const core::Fused& chosen);

} // namespace gpu
