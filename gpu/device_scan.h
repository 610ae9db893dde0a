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

/// Masks wanted beside maps of all batch items: bits of planes, packed in words, each plane from a new word of 64 on.
struct MasksBeside
{
    std::vector<core::PlaneIndex> planes;
    std::vector<core::Tensor> masks;
};

/// Maps, counts and masks in one pass. `masks` may be null.
std::vector<core::Tensor> reduceBatches(const DeviceValues& values, const core::HotTest& test, const core::MapJob& maps,
                                        MasksBeside* masks, const core::Job& job);

core::Tensor markPlane(const DeviceValues& values, const core::HotTest& test, core::PlaneIndex plane);

} // namespace gpu
