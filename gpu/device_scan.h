// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/dense_scan.h"
#include "core/engine/statistics.h"
#include "gpu/device_values.h"

/// Passes over all values on a device. The same numbers as the CPU engine's passes of the same names, to the last bit. They
/// return when the device is done; each throws DeviceError, core::Cancelled.
namespace gpu {

std::vector<core::PlaneStatistics> scanPlanes(const DeviceValues& values, const core::Job& job);

std::vector<std::int64_t> countPlanes(const DeviceValues& values, const core::HotTest& test, const core::Job& job);

core::CountsAndSums sumPlanes(const DeviceValues& values, const core::HotTest& test, const core::Job& job);

/// A bool tensor of a plane from its bits.
core::Tensor maskTensor(const DeviceValues& values, const std::uint64_t* bits);

core::Tensor markPlane(const DeviceValues& values, const core::HotTest& test, core::PlaneIndex plane);

} // namespace gpu
