// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/engine.h"
#include "gpu/device_rows.h"

namespace gpu {

/// All of an answer but its thresholds and its time, from as few passes over the values as do: counts, maps, masks and rows of
/// one condition come from one where that is better. `rows` lists hot elements; null where no rows are asked. Planes and batch
/// items are those of the tensor. Throws DeviceError, core::Cancelled.
core::Result answerQuery(const DeviceValues& values, const core::HotTest& test, const DeviceRows* rows,
                         const core::Query& query, const std::shared_ptr<core::BufferPool>& pool, const core::Job& job);

} // namespace gpu
