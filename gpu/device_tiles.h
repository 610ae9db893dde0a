// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/lane_sum.h"
#include "gpu/device_values.h"

#include <algorithm>

namespace gpu {

/// Calls launch(range, blocks, results on the device) and take(first tile, results) for all tiles of all planes, in order.
template <class Result, class Launch, class Take>
void forTiles(const DeviceValues& values, const core::Job& job, Launch launch, Take take)
{
    // Tiles whose results come back at once.
    constexpr std::int64_t atOnce = 1 << 16;
    const std::int64_t perPlane = core::tileCount(values.extents().planeElements());
    const std::int64_t tiles = perPlane * values.extents().planes();
    const auto device = values.memory().takeArray<Result>(std::min(atOnce, tiles));
    for (std::int64_t first = 0; first < tiles; first += atOnce) {
        job.check();
        const std::int64_t n = std::min(atOnce, tiles - first);
        launch(TileRange{perPlane, first, n}, (n + blockTiles - 1) / blockTiles, device.data());
        take(first, values.fetch<Result>(device.data(), n));
    }
}

} // namespace gpu
