// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/buffer_pool.h"
#include "core/engine/engine.h"
#include "core/engine/hot_test.h"

namespace core {

/// Counts of hot elements per plane, batch-major.
std::vector<std::int64_t> countPlanes(const PlaneGrid& grid, const HotTest& test, const Workers& workers, const Job& job);

/// Counts, and sums of hot values: exact for integers and bool, in the order of lane_sum.h for floats; of complex values the
/// sum of magnitudes.
struct CountsAndSums
{
    std::vector<std::int64_t> counts;
    std::vector<Sum> sums;
};
CountsAndSums sumPlanes(const PlaneGrid& grid, const HotTest& test, const Workers& workers, const Job& job);

/// Heat maps of a batch range, in the order asked; all queries name the same batch items.
struct MapJob
{
    std::int64_t firstBatch = 0;
    std::int64_t batches = 1;
    std::vector<HeatMapQuery> queries;
    /// [batches x channels] counts of hot elements to fill, or empty: not wanted.
    std::span<std::int64_t> counts;
    /// Where the maps' memory comes from; may be null.
    std::shared_ptr<BufferPool> pool;
};
std::vector<Tensor> reduceBatches(const PlaneGrid& grid, const HotTest& test, const MapJob& maps, const Workers& workers,
                                  const Job& job);

/// Mask of a plane as a bool tensor [H, W] or [D, H, W].
Tensor markPlane(const PlaneGrid& grid, const HotTest& test, PlaneIndex plane, const Workers& workers, const Job& job);

/// Shape of a plane: [H, W], or [D, H, W] when the layout has a depth axis.
Shape planeShape(const Extents& extents);

} // namespace core
