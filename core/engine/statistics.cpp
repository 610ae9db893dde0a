// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/statistics.h"

#include "core/engine/stored_types.h"

#include <algorithm>
#include <cmath>

namespace core {

void Deviations::add(double squares, double partSum, std::int64_t n)
{
    if (n == 0)
        return;
    const double apart = partSum / static_cast<double>(n) - mean;
    sum += squares + static_cast<double>(n) * (apart * apart);
}

void setMeanAndStd(PlaneStatistics& plane)
{
    Statistics& s = plane.values;
    if (s.finite == 0)
        return;
    s.mean = s.sum.toDouble() / static_cast<double>(s.finite);
    s.std = std::sqrt(plane.squares / static_cast<double>(s.finite));
}

namespace {

template <class Compare>
double tileSum(const TileStatistics<Compare>& tile)
{
    return std::is_integral_v<Compare> ? static_cast<double>(tile.integerSum) : tile.sum;
}

} // namespace

template <class Compare>
PlaneStatistics combineTiles(std::span<const TilePart<Compare>> tiles, std::int64_t elements)
{
    TileStatistics<Compare> all;
    for (const TilePart<Compare>& part : tiles) {
        const TileStatistics<Compare>& tile = part.values;
        all.finite += tile.finite;
        all.zeros += tile.zeros;
        all.nan += tile.nan;
        all.positiveInf += tile.positiveInf;
        all.negativeInf += tile.negativeInf;
        all.min = std::min(all.min, tile.min);
        all.max = std::max(all.max, tile.max);
        all.sum += tile.sum;
        all.integerSum += tile.integerSum;
    }
    PlaneStatistics plane;
    Statistics& s = plane.values;
    s.elements = elements;
    s.finite = all.finite;
    s.zeros = all.zeros;
    s.nan = all.nan;
    s.positiveInf = all.positiveInf;
    s.negativeInf = all.negativeInf;
    s.sum = {std::is_integral_v<Compare>, all.integerSum, all.sum};
    if (all.finite == 0)
        return plane;
    s.min = toScalar(all.min);
    s.max = toScalar(all.max);
    Deviations deviations{s.sum.toDouble() / static_cast<double>(all.finite), 0};
    for (const TilePart<Compare>& part : tiles)
        deviations.add(part.squares, tileSum(part.values), part.values.finite);
    plane.squares = deviations.sum;
    setMeanAndStd(plane);
    return plane;
}

#define ACTISCOPE_INSTANTIATE(Compare) template PlaneStatistics combineTiles(std::span<const TilePart<Compare>>, std::int64_t);
ACTISCOPE_EACH_INTEGER(ACTISCOPE_INSTANTIATE)
ACTISCOPE_INSTANTIATE(float)
ACTISCOPE_INSTANTIATE(double)
#undef ACTISCOPE_INSTANTIATE

namespace {

void addCounts(Statistics& all, const Statistics& part)
{
    all.elements += part.elements;
    all.finite += part.finite;
    all.zeros += part.zeros;
    all.nan += part.nan;
    all.positiveInf += part.positiveInf;
    all.negativeInf += part.negativeInf;
    all.ordered = part.ordered;
    if (part.min && (!all.min || *part.min < *all.min))
        all.min = part.min;
    if (part.max && (!all.max || *part.max > *all.max))
        all.max = part.max;
    all.sum.isInteger = part.sum.isInteger;
    all.sum.integer += part.sum.integer;
    all.sum.real += part.sum.real;
}

} // namespace

Statistics withoutOrder(const Statistics& magnitudes)
{
    Statistics out;
    out.elements = magnitudes.elements;
    out.finite = magnitudes.finite;
    out.zeros = magnitudes.zeros;
    out.nan = magnitudes.nan;
    out.positiveInf = magnitudes.positiveInf;
    out.ordered = false;
    return out;
}

PlaneStatistics combine(std::span<const PlaneStatistics* const> planes)
{
    PlaneStatistics all;
    for (const PlaneStatistics* plane : planes)
        addCounts(all.values, plane->values);
    if (all.values.finite == 0 || !all.values.ordered)
        return all;
    Deviations deviations{all.values.sum.toDouble() / static_cast<double>(all.values.finite), 0};
    for (const PlaneStatistics* plane : planes)
        deviations.add(plane->squares, plane->values.sum.toDouble(), plane->values.finite);
    all.squares = deviations.sum;
    setMeanAndStd(all);
    return all;
}

double stepByRange(const Statistics& all, double value, std::int64_t steps)
{
    constexpr double stepsAcross = 512;
    if (!all.min)
        return value;
    // Divided first: a range of float64 may be more than float64 holds.
    return value + static_cast<double>(steps) * (toDouble(*all.max) / stepsAcross - toDouble(*all.min) / stepsAcross);
}

double toDouble(const Scalar& value)
{
    return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

} // namespace core
