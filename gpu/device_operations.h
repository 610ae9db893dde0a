// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "gpu/device_values.h"

/// Labels, norms and ids on a device, with the CPU engine's numbers to the last bit (but for norms of other powers). Each
/// throws DeviceError, core::Cancelled.
namespace gpu {

/// What a norm adds up in every tile, plane by plane: tileCount(plane elements) parts each. For p that
/// is neither 0, 1, 2 nor infinity the device's powers may differ from the CPU's in the last bits.
std::vector<double> normParts(const DeviceValues& values, double p, const core::Job& job);

core::LabelMap labelPixels(const DeviceValues& values, const core::LabelQuery& query, const core::Workers& workers,
                           const core::Job& job);

/// Counts of all ids of an integer or bool dtype; nothing where they range too far for counters on the device.
std::optional<core::LabelCounts> countIds(const DeviceValues& values, const core::Statistics& all, const core::Job& job);

} // namespace gpu
