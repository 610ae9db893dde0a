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

/// Squared deviations of parts from their common mean, put together as Chan, Golub and LeVeque (1979) do.
struct Deviations
{
    double mean = 0;
    double sum = 0;

    /// A part of `n` values: its own squared deviations and its sum.
    void add(double squares, double partSum, std::int64_t n);
};

/// Per plane, batch-major; one pass. Sums in the order of lane_sum.h. The deviations of a tile are taken from the tile's
/// mean and put together.
std::vector<PlaneStatistics> scanPlanes(const BlockReader& reader, const Workers& workers, const Job& job);

/// What is kept of a tile (see lane_sum.h) until its plane is put together. `squares`: sum over finite values of (v - mean of
/// the tile)^2; of floats in the way of tileSquares (kernels.h), of integers that of squaredDeviations.
template <class Compare>
struct TilePart
{
    TileStatistics<Compare> values;
    double squares = 0;
};

/// A plane from its tiles, in order. `elements`: of the plane.
template <class Compare>
PlaneStatistics combineTiles(std::span<const TilePart<Compare>> tiles, std::int64_t elements);

/// Of several planes taken as one, in the order given.
PlaneStatistics combine(std::span<const PlaneStatistics* const> planes);

/// Fills mean and standard deviation from sum, squares and the count of finite values.
void setMeanAndStd(PlaneStatistics& plane);

/// What is left of the statistics of magnitudes for a complex dtype, which has no order.
Statistics withoutOrder(const Statistics& magnitudes);

/// A value as it is told to others: double for floats, uint64_t for uint64_t, else int64_t.
template <class Compare>
Scalar toScalar(Compare value)
{
    if constexpr (std::is_floating_point_v<Compare>)
        return static_cast<double>(value);
    else if constexpr (std::is_same_v<Compare, std::uint64_t>)
        return value;
    else
        return static_cast<std::int64_t>(value);
}

/// The threshold `steps` pixels of a slider of common width away: what a step is without an index.
double stepByRange(const Statistics& all, double value, std::int64_t steps);

/// A value as the float64 nearest to it.
double toDouble(const Scalar& value);

} // namespace core
