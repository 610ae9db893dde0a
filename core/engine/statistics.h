// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/engine.h"

#include <span>

namespace core {

/// Statistics with the sum of squared deviations from the mean, from which those of several planes are put together.
struct PlaneStatistics
{
    Statistics values;
    /// Sum over finite values of (v - mean)^2.
    double squares = 0;
};

/// Per plane, batch-major; one pass. Sums in the order of lane_sum.h. The deviations of a tile are taken from the tile's mean
/// and put together as Chan, Golub and LeVeque (1979) do.
std::vector<PlaneStatistics> scanPlanes(const BlockReader& reader, const Workers& workers, const Job& job);

/// Of several planes taken as one, in the order given.
PlaneStatistics combine(std::span<const PlaneStatistics* const> planes);

/// A value as the float64 nearest to it.
double toDouble(const Scalar& value);

} // namespace core
