// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/kernels.h"
#include "core/engine/lane_sum.h"

#include <bit>
#include <cmath>
#include <cstring>

/// The kernels element by element: what vector code falls back on for the ends of a run, and what it must equal bit for bit.
namespace core::plain {

/// Element `index` at any address, in its compare type.
template <class Stored>
CompareOf<Stored> load(const std::byte* values, std::int64_t index)
{
    Stored value;
    std::memcpy(&value, values + index * static_cast<std::int64_t>(sizeof(Stored)), sizeof(Stored));
    if constexpr (std::is_same_v<Stored, Half> || std::is_same_v<Stored, BFloat16>)
        return toFloat(value);
    else
        return value;
}

template <class Compare>
bool isFinite(Compare value)
{
    if constexpr (std::is_floating_point_v<Compare>)
        return std::isfinite(value);
    else
        return true;
}

template <class Stored>
std::int64_t countHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n; ++i)
        count += predicate(load<Stored>(values, i));
    return count;
}

template <class Stored>
std::int64_t markHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate,
                     std::uint64_t* mask)
{
    std::int64_t count = 0;
    for (std::int64_t first = 0; first < n; first += 64) {
        std::uint64_t word = 0;
        for (std::int64_t i = 0; i < 64 && first + i < n; ++i)
            word |= std::uint64_t{predicate(load<Stored>(values, first + i))} << i;
        mask[first / 64] = word;
        count += std::popcount(word);
    }
    return count;
}

template <class Stored>
double sumHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    return laneTileSum(n, [&](std::int64_t i) {
        const auto value = load<Stored>(values, i);
        return predicate(value) ? static_cast<double>(value) : 0.0;
    });
}

template <class Stored>
__int128 sumHotExactly(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    __int128 sum = 0;
    for (std::int64_t i = 0; i < n; ++i)
        if (const auto value = load<Stored>(values, i); predicate(value))
            sum += static_cast<__int128>(value);
    return sum;
}

/// Ranges of the blocks of a tile.
template <class Stored>
void scanZones(const std::byte* values, std::int64_t n, ZoneRange<CompareOf<Stored>>* zones)
{
    for (std::int64_t i = 0; i < n; ++i) {
        ZoneRange<CompareOf<Stored>>& zone = zones[i / zoneElements];
        if (i % zoneElements == 0)
            zone = {};
        const auto value = load<Stored>(values, i);
        zone.lowest = value < zone.lowest ? value : zone.lowest;
        zone.highest = value > zone.highest ? value : zone.highest;
    }
}

template <class Stored>
void raiseMax(const std::byte* values, std::int64_t n, MapType<Stored>* max)
{
    for (std::int64_t i = 0; i < n; ++i)
        if (const auto value = static_cast<MapType<Stored>>(load<Stored>(values, i)); value > max[i])
            max[i] = value;
}

template <class Stored>
double squaredDeviations(const std::byte* values, std::int64_t n, double mean)
{
    return laneTileSum(n, [&](std::int64_t i) {
        const auto value = load<Stored>(values, i);
        const double deviation = isFinite(value) ? static_cast<double>(value) - mean : 0.0;
        return deviation * deviation;
    });
}

/// Squared deviations from the mean, as TileStatistics::squares has them.
template <class Stored>
double squaresOfTile(const std::byte* values, std::int64_t n, const TileStatistics<CompareOf<Stored>>& tile)
{
    if (tile.finite == 0)
        return 0;
    if (tile.finite == n) {
        const auto pivot = static_cast<double>(load<Stored>(values, 0));
        const double fromPivot = laneTileSum(n, [&](std::int64_t i) {
            const double deviation = static_cast<double>(load<Stored>(values, i)) - pivot;
            return deviation * deviation;
        });
        if (const auto squares = tileSquares(fromPivot, pivot, tile.sum, n))
            return *squares;
    }
    return squaredDeviations<Stored>(values, n, tile.sum / static_cast<double>(tile.finite));
}

template <class Stored>
TileStatistics<CompareOf<Stored>> scanTile(const std::byte* values, std::int64_t n, const TileScan<Stored>& more)
{
    if (more.zones)
        scanZones<Stored>(values, n, more.zones);
    if (more.max)
        raiseMax<Stored>(values, n, more.max);
    TileStatistics<CompareOf<Stored>> result;
    for (std::int64_t i = 0; i < n; ++i) {
        const auto value = load<Stored>(values, i);
        if (!isFinite(value)) {
            ++(value != value ? result.nan : value > 0 ? result.positiveInf : result.negativeInf);
            continue;
        }
        ++result.finite;
        result.zeros += value == 0;
        result.min = value < result.min ? value : result.min;
        result.max = value > result.max ? value : result.max;
        if constexpr (std::is_integral_v<CompareOf<Stored>>)
            result.integerSum += static_cast<__int128>(value);
    }
    if constexpr (std::is_floating_point_v<CompareOf<Stored>>) {
        result.min += 0;
        result.max += 0;
        result.sum = laneTileSum(n, [&](std::int64_t i) {
            const auto value = load<Stored>(values, i);
            return isFinite(value) ? static_cast<double>(value) : 0.0;
        });
        result.squares = squaresOfTile<Stored>(values, n, result);
    }
    return result;
}

template <class Stored>
void reduceChannels(const PixelTile<Stored>& tile)
{
    using Map = MapType<Stored>;
    for (std::int64_t i = 0; i < tile.pixels; ++i) {
        std::int32_t count = 0;
        double sum = 0;
        double absolute = 0;
        double square = 0;
        Map max = -std::numeric_limits<Map>::infinity();
        for (std::int64_t c = 0; c < tile.channels; ++c) {
            const auto value = load<Stored>(tile.values, c * tile.channelStride + i);
            const bool hot = tile.predicate(value);
            if (tile.mask) {
                std::uint64_t& word = tile.mask[c * tile.maskStride + i / 64];
                word = (i % 64 == 0 ? 0 : word) | std::uint64_t{hot} << (i % 64);
            }
            if (!hot)
                continue;
            if (tile.counts)
                ++tile.counts[c];
            const auto real = static_cast<double>(value);
            ++count;
            sum += real;
            absolute += std::abs(real);
            square += real * real;
            if (const auto mapped = static_cast<Map>(value); mapped > max || mapped != mapped)
                max = mapped;
        }
        if (tile.countMap)
            tile.countMap[i] = count;
        if (tile.sumMap)
            tile.sumMap[i] = sum;
        if (tile.absoluteMap)
            tile.absoluteMap[i] = absolute;
        if (tile.squareMap)
            tile.squareMap[i] = square;
        if (tile.maxMap)
            tile.maxMap[i] = count ? max : std::numeric_limits<Map>::quiet_NaN();
    }
}

} // namespace core::plain
