// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "core/engine/kernels_plain.h"
#include "core/engine/stored_types.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_scan.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vector_sums-inl.h"

#ifndef ACTISCOPE_KERNELS_SCAN_ONCE
#define ACTISCOPE_KERNELS_SCAN_ONCE
namespace core {
namespace {

template <class Stored>
struct ScanEntry
{
    TileStatistics<CompareOf<Stored>> (*scan)(const std::byte*, std::int64_t, const TileScan<Stored>&);
    void (*raise)(const std::byte*, std::int64_t, MapType<Stored>*);
};
using ScanTable = StoredTable<ScanEntry>;

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

template <class Stored>
constexpr ScanEntry<Stored> scanEntry{&plain::scanTile<Stored>, &plain::raiseMax<Stored>};

#else

/// Smallest and largest of what is added.
template <class D>
class Range
{
public:
    using T = hn::TFromD<D>;

    Range() : m_min(hn::Set(D(), std::numeric_limits<T>::max())), m_max(hn::Set(D(), std::numeric_limits<T>::lowest())) {}

    HWY_INLINE void add(hn::Vec<D> values)
    {
        m_min = hn::Min(values, m_min);
        m_max = hn::Max(values, m_max);
    }

    /// Where not `valid`, nothing is added.
    HWY_INLINE void add(hn::Vec<D> values, hn::Mask<D> valid)
    {
        m_min = hn::Min(hn::IfThenElse(valid, values, hn::Set(D(), std::numeric_limits<T>::max())), m_min);
        m_max = hn::Max(hn::IfThenElse(valid, values, hn::Set(D(), std::numeric_limits<T>::lowest())), m_max);
    }

    /// Widens the statistics' range, and `zone` where there is one: nothing added, nothing changed.
    template <class Compare>
    void deliver(TileStatistics<Compare>& statistics, ZoneRange<Compare>* zone) const
    {
        const auto lowest = static_cast<Compare>(lowestLane());
        const auto highest = static_cast<Compare>(highestLane());
        statistics.min = std::min(statistics.min, lowest);
        statistics.max = std::max(statistics.max, highest);
        if (zone && lowest <= highest)
            *zone = {std::min(zone->lowest, lowest), std::max(zone->highest, highest)};
    }

private:
    T lowestLane() const
    {
        if constexpr (sizeof(T) > 1)
            return hn::GetLane(hn::MinOfLanes(D(), m_min));
        alignas(64) T lanes[hn::MaxLanes(D())];
        hn::Store(m_min, D(), lanes);
        return *std::min_element(std::begin(lanes), std::end(lanes));
    }

    T highestLane() const
    {
        if constexpr (sizeof(T) > 1)
            return hn::GetLane(hn::MaxOfLanes(D(), m_max));
        alignas(64) T lanes[hn::MaxLanes(D())];
        hn::Store(m_max, D(), lanes);
        return *std::max_element(std::begin(lanes), std::end(lanes));
    }

    hn::Vec<D> m_min;
    hn::Vec<D> m_max;
};

/// Elements of a tile whose range is taken together.
std::int64_t rangeElements(const void* zones)
{
    return zones ? zoneElements : tileElements;
}

template <class Compare>
ZoneRange<Compare>* zoneOf(ZoneRange<Compare>* zones, std::int64_t element)
{
    return zones ? zones + element / zoneElements : nullptr;
}

template <class Compare>
void addOneTo(TileStatistics<Compare>& statistics, Compare value)
{
    if constexpr (std::is_floating_point_v<Compare>) {
        if (!(std::abs(value) <= std::numeric_limits<Compare>::max())) {
            ++(value != value ? statistics.nan : value > 0 ? statistics.positiveInf : statistics.negativeInf);
            return;
        }
    } else {
        statistics.integerSum += value;
    }
    ++statistics.finite;
    statistics.zeros += value == 0;
    statistics.min = value < statistics.min ? value : statistics.min;
    statistics.max = value > statistics.max ? value : statistics.max;
}

/// The last few values of a tile, one by one.
template <class Stored>
void addRest(const std::byte* values, std::int64_t first, std::int64_t n, TileStatistics<CompareOf<Stored>>& statistics,
             ZoneRange<CompareOf<Stored>>* zones)
{
    for (std::int64_t i = first; i < n; ++i) {
        const auto value = plain::load<Stored>(values, i);
        addOneTo(statistics, value);
        if (!zones)
            continue;
        ZoneRange<CompareOf<Stored>>& zone = zones[i / zoneElements];
        zone.lowest = value < zone.lowest ? value : zone.lowest;
        zone.highest = value > zone.highest ? value : zone.highest;
    }
}

/// The usual tile: every value is finite, which its sum tells in the end. False: another one, nothing is filled in.
template <class Stored, bool withMax>
bool scanFinite(const std::byte* values, std::int64_t n, TileStatistics<CompareOf<Stored>>& statistics,
                const TileScan<Stored>& more)
{
    ZoneRange<CompareOf<Stored>>* const zones = more.zones;
    const std::byte* const ahead = more.ahead ? more.ahead : values;
    using Compare = CompareOf<Stored>;
    const FloatTag<Stored> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const auto pivot = static_cast<double>(plain::load<Stored>(values, 0));
    const auto center = hn::Set(LaneSums::DD(), pivot);
    LaneSums sums;
    LaneSums squares;
    TileStatistics<Compare> found;
    const std::int64_t whole = n / laneCount * laneCount;
    const std::int64_t step = rangeElements(zones);
    if (zones)
        std::fill_n(zones, (n + step - 1) / step, ZoneRange<Compare>{});
    for (std::int64_t begin = 0; begin < whole; begin += step) {
        const std::int64_t end = std::min(begin + step, whole);
        Range<FloatTag<Stored>> range;
        for (std::int64_t i = begin; i < end; i += laneCount) {
#pragma GCC unroll 8
            for (std::size_t part = 0; part < laneCount / lanes; ++part) {
                const std::int64_t at = i + static_cast<std::int64_t>(part * lanes);
                const auto value = loadWork<Stored>(values + at * sizeof(Stored));
                if (part % (64 / std::min(std::size_t{64}, lanes * sizeof(Stored))) == 0)
                    __builtin_prefetch(ahead + at * sizeof(Stored), 0, 2);
                if constexpr (withMax) {
                    const auto old = hn::LoadU(d, more.max + at);
                    hn::StoreU(hn::IfThenElse(hn::Gt(value, old), value, old), d, more.max + at);
                }
                found.zeros += __builtin_popcountll(bitsOf(d, hn::Eq(value, hn::Zero(d))));
                range.add(value);
                addWithSquares(sums, squares, d, part, value, center);
            }
        }
        range.deliver(found, zoneOf(zones, begin));
    }
    found.finite = whole;
    addRest<Stored>(values, whole, n, found, zones);
    if constexpr (withMax)
        plain::raiseMax<Stored>(values + whole * sizeof(Stored), n - whole, more.max + whole);
    const auto rest = [&](std::int64_t i) HWY_ATTR { return static_cast<double>(plain::load<Stored>(values, whole + i)); };
    found.sum = sums.total(n - whole, rest);
    if (!(std::abs(found.sum) <= std::numeric_limits<double>::max()))
        return false;
    // -0 becomes +0.
    found.min += 0;
    found.max += 0;
    const double fromPivot = squares.total(n - whole, [&](std::int64_t i) HWY_ATTR {
        const double deviation = rest(i) - pivot;
        return deviation * deviation;
    });
    const auto squared = tileSquares(fromPivot, pivot, found.sum, n);
    found.squares = squared ? *squared : squaredDeviations<Stored>(values, n, found.sum / static_cast<double>(found.finite));
    statistics = found;
    return true;
}

template <class Stored>
TileStatistics<CompareOf<Stored>> scanFloats(const std::byte* values, std::int64_t n, const TileScan<Stored>& more)
{
    using Compare = CompareOf<Stored>;
    ZoneRange<Compare>* const zones = more.zones;
    const FloatTag<Stored> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const auto highest = hn::Set(d, std::numeric_limits<Compare>::max());
    const auto infinity = hn::Set(d, std::numeric_limits<Compare>::infinity());
    TileStatistics<Compare> statistics;
    if (more.max ? scanFinite<Stored, true>(values, n, statistics, more)
                 : scanFinite<Stored, false>(values, n, statistics, more))
        return statistics;
    if (more.max)
        plain::raiseMax<Stored>(values, n, more.max);
    LaneSums sums;
    const std::int64_t whole = n / laneCount * laneCount;
    const std::int64_t step = rangeElements(zones);
    if (zones)
        std::fill_n(zones, (n + step - 1) / step, ZoneRange<Compare>{});
    for (std::int64_t begin = 0; begin < whole; begin += step) {
        const std::int64_t end = std::min(begin + step, whole);
        const std::int64_t positiveBefore = statistics.positiveInf;
        const std::int64_t negativeBefore = statistics.negativeInf;
        Range<FloatTag<Stored>> range;
        for (std::int64_t i = begin; i < end; i += laneCount) {
#pragma GCC unroll 8
            for (std::size_t part = 0; part < laneCount / lanes; ++part) {
                const auto value = loadWork<Stored>(values + (i + static_cast<std::int64_t>(part * lanes)) * sizeof(Stored));
                const auto finite = hn::Le(hn::Abs(value), highest);
                statistics.zeros += __builtin_popcountll(bitsOf(d, hn::Eq(value, hn::Zero(d))));
                addToLanes(sums, d, part, hn::IfThenElseZero(finite, value));
                if (HWY_LIKELY(hn::AllTrue(d, finite))) {
                    range.add(value);
                    continue;
                }
                range.add(value, finite);
                statistics.nan += __builtin_popcountll(bitsOf(d, hn::IsNaN(value)));
                statistics.positiveInf += __builtin_popcountll(bitsOf(d, hn::Eq(value, infinity)));
                statistics.negativeInf += __builtin_popcountll(bitsOf(d, hn::Eq(value, hn::Neg(infinity))));
            }
        }
        ZoneRange<Compare>* const zone = zoneOf(zones, begin);
        range.deliver(statistics, zone);
        if (zone && statistics.positiveInf > positiveBefore)
            zone->highest = std::numeric_limits<Compare>::infinity();
        if (zone && statistics.negativeInf > negativeBefore)
            zone->lowest = -std::numeric_limits<Compare>::infinity();
        // A block of nothing but infinities of one sign.
        if (zone && zone->lowest > zone->highest && statistics.positiveInf > positiveBefore)
            zone->lowest = std::numeric_limits<Compare>::infinity();
        if (zone && zone->lowest > zone->highest && statistics.negativeInf > negativeBefore)
            zone->highest = -std::numeric_limits<Compare>::infinity();
    }
    statistics.finite = whole - statistics.nan - statistics.positiveInf - statistics.negativeInf;
    addRest<Stored>(values, whole, n, statistics, zones);
    // -0 becomes +0.
    statistics.min += 0;
    statistics.max += 0;
    statistics.sum = sums.total(n - whole, [&](std::int64_t i) HWY_ATTR {
        const auto value = plain::load<Stored>(values, whole + i);
        return std::abs(value) <= std::numeric_limits<Compare>::max() ? static_cast<double>(value) : 0.0;
    });
    if (statistics.finite > 0)
        statistics.squares = squaredDeviations<Stored>(values, n, statistics.sum / static_cast<double>(statistics.finite));
    return statistics;
}

template <class Stored>
TileStatistics<Stored> scanIntegers(const std::byte* values, std::int64_t n, const TileScan<Stored>& more)
{
    ZoneRange<Stored>* const zones = more.zones;
    if (more.max)
        raiseMax<Stored>(values, n, more.max);
    const hn::ScalableTag<Stored> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    static_assert(tileElements <= IntegerSum<Stored>::most);
    const auto* at = reinterpret_cast<const Stored*>(values);
    TileStatistics<Stored> statistics;
    IntegerSum<Stored> sum;
    const std::int64_t whole = n / lanes * lanes;
    const std::int64_t step = rangeElements(zones);
    if (zones)
        std::fill_n(zones, (n + step - 1) / step, ZoneRange<Stored>{});
    for (std::int64_t begin = 0; begin < whole; begin += step) {
        Range<hn::ScalableTag<Stored>> range;
        for (std::int64_t i = begin; i < std::min(begin + step, whole); i += lanes) {
            const auto value = hn::LoadU(d, at + i);
            statistics.zeros += __builtin_popcountll(bitsOf(d, hn::Eq(value, hn::Zero(d))));
            range.add(value);
            sum.add(value);
        }
        range.deliver(statistics, zoneOf(zones, begin));
    }
    statistics.finite = whole;
    statistics.integerSum = sum.total();
    addRest<Stored>(values, whole, n, statistics, zones);
    return statistics;
}

template <class Stored>
TileStatistics<CompareOf<Stored>> scan(const std::byte* values, std::int64_t n, const TileScan<Stored>& more)
{
    if (n == 0)
        return {};
    if constexpr (std::is_integral_v<Stored>)
        return scanIntegers<Stored>(values, n, more);
    else
        return scanFloats<Stored>(values, n, more);
}

template <class Stored>
void raise(const std::byte* values, std::int64_t n, MapType<Stored>* max)
{
    using Work = MapType<Stored>;
    const hn::ScalableTag<Work> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const std::int64_t whole = n / lanes * lanes;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        const std::byte* const at = values + i * static_cast<std::int64_t>(sizeof(Stored));
        const auto old = hn::LoadU(d, max + i);
        const auto value = [&]() HWY_ATTR {
            if constexpr (std::is_same_v<Work, float>)
                return loadFloat<Stored>(d, at);
            else
                return loadDouble<Stored>(d, at);
        }();
        hn::StoreU(hn::IfThenElse(hn::Gt(value, old), value, old), d, max + i);
    }
    plain::raiseMax<Stored>(values + whole * static_cast<std::int64_t>(sizeof(Stored)), n - whole, max + whole);
}

template <class Stored>
constexpr ScanEntry<Stored> scanEntry{&scan<Stored>, &raise<Stored>};

#endif

#define ACTISCOPE_ENTRY(Stored) scanEntry<Stored>,
constexpr ScanTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const ScanTable* scanTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

std::optional<double> tileSquares(double fromPivot, double pivot, double sum, std::int64_t n)
{
    // Bounds that leave an error of some 1e-13 of the result.
    constexpr double mostApart = 64;
    constexpr double mostOffset = 256;
    if (fromPivot == 0)
        return 0.0;
    const auto count = static_cast<double>(n);
    const double mean = sum / count;
    const double apart = mean - pivot;
    const double moved = count * (apart * apart);
    const double squares = fromPivot - moved;
    const bool isSafe = moved <= mostApart * squares && count * std::abs(mean * apart) <= mostOffset * squares;
    return isSafe && squares <= std::numeric_limits<double>::max() ? std::optional(squares) : std::nullopt;
}

HWY_EXPORT(scanTable);

template <class Stored>
TileStatistics<CompareOf<Stored>> scanTile(const std::byte* values, std::int64_t n, const TileScan<Stored>& more)
{
    return HWY_DYNAMIC_DISPATCH(scanTable)()->of<Stored>().scan(values, n, more);
}

template <class Stored>
void raiseMax(const std::byte* values, std::int64_t n, MapType<Stored>* max)
{
    HWY_DYNAMIC_DISPATCH(scanTable)()->of<Stored>().raise(values, n, max);
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template TileStatistics<CompareOf<Stored>> scanTile<Stored>(const std::byte*, std::int64_t, const TileScan<Stored>&);      \
    template void raiseMax<Stored>(const std::byte*, std::int64_t, MapType<Stored>*);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif
