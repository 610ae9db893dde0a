// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/dense_scan.h"
#include "gpu/device_rows.h"

namespace gpu {

/// What a pass over the values that makes maps of some batch items answers beside, of all batch items.
struct Beside
{
    bool counts = false;
    std::vector<core::PlaneIndex> masks;
    /// Null where no rows are wanted; may be asked where DeviceRows::canListPlanes.
    const DeviceRows* rows = nullptr;
    core::RowWindow window;

    bool isAny() const { return counts || !masks.empty() || rows; }
};

/// What a pass answers; empty where not asked.
struct PassResult
{
    std::vector<core::Tensor> maps;
    std::vector<std::int64_t> counts;
    std::vector<core::Tensor> masks;
    std::optional<core::Coordinates> rows;
};

/// Whether one pass does better than several, for maps of so many batch items (0: none) beside counts of all.
bool isOnePassBetter(const DeviceValues& values, std::int64_t mapBatches);
/// Whether marks of all planes take little more memory than a bit for each element.
bool canMarkPlanes(const DeviceValues& values, std::int64_t mapBatches);

/// Heat maps and what is asked beside them, from one look at each value (two where maps need several sums). All is queued
/// before anything is waited for, but for maps of very many pixels. `maps.batches` may be 0; `maps.counts` is not used. Throws
/// DeviceError, core::Cancelled.
PassResult reduceBatches(const DeviceValues& values, const core::HotTest& test, const core::MapJob& maps, const Beside& beside,
                         const core::Job& job);

} // namespace gpu
