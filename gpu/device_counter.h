// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/rules.h"
#include "gpu/device_values.h"

namespace gpu {

/// Some planes on a device as a set of values for rules and histograms. `statistics`: of the set. Keeps a reference.
core::ValueSet deviceValueSet(const DeviceValues& values, const core::PlaneChoice& planes, core::Statistics statistics);

} // namespace gpu
