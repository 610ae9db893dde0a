// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/parallel.h"
#include "gpu/device_values.h"

#include <functional>

namespace gpu {

/// Queues what makes a part of a result and says where on the device it lies: bytes [first, first + n), in `room` (device
/// memory of at least n bytes) or elsewhere. Parts begin at multiples of 8 MiB.
using MakePart = std::function<const std::byte*(std::int64_t first, std::int64_t n, std::byte* room)>;

/// Fills `bytes` bytes of the host's memory with a result from the device, part by part through pinned memory: while one is
/// made and on its way, the one before is put in its place. Reports progress; throws DeviceError, core::Cancelled.
void download(const DeviceValues& values, std::byte* to, std::int64_t bytes, const MakePart& make, const core::Workers& workers,
              const core::Job& job);

} // namespace gpu
