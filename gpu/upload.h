// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/parallel.h"
#include "core/engine/plane_grid.h"
#include "gpu/device_memory.h"

namespace gpu {

/// Copies the values of a grid to a device, packed: plane after plane, batch-major, each in row-major order. Returns when all
/// is there. Reports progress; throws DeviceError, core::Cancelled.
void upload(const core::PlaneGrid& grid, std::byte* to, Device& device, DeviceMemory& memory, const core::Workers& workers,
            const core::Job& job);

} // namespace gpu
