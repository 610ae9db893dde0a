// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace core {

/// The one order in which float64 sums over a plane are taken, so that every machine, vector width, count of threads and engine
/// gives the same bits. A plane's elements in row-major order are cut into tiles of `tileElements`; element i of a tile is
/// added to lane i % laneCount, lanes start at +0.0, elements left out add +0.0 (or nothing: a lane is never -0.0, so that is
/// the same); lanes are combined by combineLanes; tile sums are added in order, starting at +0.0.
inline constexpr int laneCount = 16;
inline constexpr std::int64_t tileElements = 4096;

/// Halves the lanes four times: l[i] + l[i + 8], then + 4, + 2, + 1. A vector of any width up to 16 does this by whole adds.
constexpr double combineLanes(std::array<double, laneCount> lanes)
{
    for (int half = laneCount / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i)
            lanes[static_cast<std::size_t>(i)] += lanes[static_cast<std::size_t>(i + half)];
    return lanes[0];
}

/// The plain form of a tile's sum: what kernels must reproduce bit for bit. `value(i)` is element i as float64, or +0.0 where
/// it is left out; n <= tileElements.
template <class Value>
double laneTileSum(std::int64_t n, Value value)
{
    std::array<double, laneCount> lanes{};
    for (std::int64_t i = 0; i < n; ++i)
        lanes[static_cast<std::size_t>(i % laneCount)] += value(i);
    return combineLanes(lanes);
}

/// Tiles of a plane; the last one may be short.
constexpr std::int64_t tileCount(std::int64_t elements)
{
    return (elements + tileElements - 1) / tileElements;
}

} // namespace core
