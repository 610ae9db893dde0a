// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "core/engine/kernels_plain.h"
#include "core/engine/lane_sum.h"
#include "core/engine/stored_types.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_scan.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_SCAN_ONCE
#define ACTISCOPE_KERNELS_SCAN_ONCE
namespace core {
namespace {

/// Exact for integers, in lane order for floats.
template <class Stored>
using RunSum = std::conditional_t<std::is_integral_v<Stored>, __int128, double>;

template <class Stored>
struct ScanEntry
{
    RunSum<Stored> (*sumHot)(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&);
    TileStatistics<CompareOf<Stored>> (*scan)(const std::byte*, std::int64_t);
    double (*squares)(const std::byte*, std::int64_t, double);
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
constexpr auto plainSum()
{
    if constexpr (std::is_integral_v<Stored>)
        return &plain::sumHotExactly<Stored>;
    else
        return &plain::sumHot<Stored>;
}

template <class Stored>
constexpr ScanEntry<Stored> scanEntry{plainSum<Stored>(), &plain::scanTile<Stored>, &plain::squaredDeviations<Stored>};

#else

template <class Stored>
CompareOf<Stored> loadOne(const std::byte* values, std::int64_t index)
{
    Stored value;
    std::memcpy(&value, values + index * static_cast<std::int64_t>(sizeof(Stored)), sizeof(Stored));
    if constexpr (std::is_same_v<Stored, CompareOf<Stored>>)
        return value;
    else
        return toFloat(value);
}

/// The sixteen lanes of lane_sum.h, as vectors.
class LaneSums
{
public:
    using DD = hn::ScalableTag<double>;
    static constexpr std::size_t lanes = hn::MaxLanes(DD());
    static constexpr std::size_t vectors = laneCount / lanes;

    LaneSums()
    {
#pragma GCC unroll 8
        for (auto& sum : m_sums)
            sum = hn::Zero(DD());
    }

    HWY_INLINE void add(std::size_t vector, hn::Vec<DD> values)
    {
        m_sums[vector] = hn::Add(m_sums[vector], values);
    }

    /// Sixteen floats, as vectors of them.
    template <class D>
    HWY_INLINE void addFloats(D, std::size_t part, hn::Vec<D> values)
    {
        const hn::Half<D> half;
        add(2 * part, hn::PromoteTo(DD(), hn::LowerHalf(half, values)));
        add(2 * part + 1, hn::PromoteTo(DD(), hn::UpperHalf(half, values)));
    }

    /// `rest(i)`: what the elements after the last full sixteen add to lane i.
    template <class Rest>
    double total(std::int64_t n, Rest rest) const
    {
        alignas(64) double sums[laneCount];
        for (std::size_t i = 0; i < vectors; ++i)
            hn::Store(m_sums[i], DD(), sums + i * lanes);
        for (std::int64_t i = 0; i < n; ++i)
            sums[i] += rest(i);
        for (int half = laneCount / 2; half > 0; half /= 2)
            for (int i = 0; i < half; ++i)
                sums[i] += sums[i + half];
        return sums[0];
    }

private:
    hn::Vec<DD> m_sums[vectors];
};

/// How the values of a float type are taken: as float where that holds them.
template <class Stored>
using FloatTag = hn::ScalableTag<MapType<Stored>>;

template <class Stored>
HWY_INLINE hn::Vec<FloatTag<Stored>> loadWork(const std::byte* at)
{
    if constexpr (std::is_same_v<MapType<Stored>, float>)
        return loadFloat<Stored>(FloatTag<Stored>(), at);
    else
        return loadDouble<Stored>(FloatTag<Stored>(), at);
}

template <class D>
HWY_INLINE void addToLanes(LaneSums& sums, D d, std::size_t part, hn::Vec<D> values)
{
    if constexpr (std::is_same_v<hn::TFromD<D>, float>)
        sums.addFloats(d, part, values);
    else
        sums.add(part, values);
}

template <class Stored>
double sumHotFloats(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    const FloatTag<Stored> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const Test<CompareOf<Stored>, false> test(predicate);
    LaneSums sums;
    const std::int64_t whole = n / laneCount * laneCount;
    for (std::int64_t i = 0; i < whole; i += laneCount) {
#pragma GCC unroll 8
        for (std::size_t part = 0; part < laneCount / lanes; ++part) {
            const auto value = loadWork<Stored>(values + (i + static_cast<std::int64_t>(part * lanes)) * sizeof(Stored));
            addToLanes(sums, d, part, hn::IfThenElseZero(test(value), value));
        }
    }
    return sums.total(n - whole, [&](std::int64_t i) HWY_ATTR {
        const auto value = loadOne<Stored>(values, whole + i);
        return predicate(value) ? static_cast<double>(value) : 0.0;
    });
}

/// Exact sums of integers: add() takes at most `most` vectors between two total()s.
template <class Stored>
class IntegerSum
{
public:
    using D = hn::ScalableTag<Stored>;
    static constexpr std::int64_t most = 4096;

    IntegerSum() : m_low(hn::Zero(DW())), m_high(hn::Zero(DW())) {}

    HWY_INLINE void add(hn::Vec<D> v)
    {
        const D d;
        const hn::Half<D> half;
        if constexpr (sizeof(Stored) == 1) {
            const hn::Repartition<std::uint8_t, D> du;
            auto bytes = hn::BitCast(du, v);
            if constexpr (std::is_signed_v<Stored>)
                bytes = hn::Xor(bytes, hn::Set(du, std::uint8_t{128}));
            m_low = hn::Add(m_low, hn::BitCast(DW(), hn::SumsOf8(bytes)));
        } else if constexpr (sizeof(Stored) < 8) {
            const auto low = hn::PromoteTo(DW(), hn::LowerHalf(half, v));
            m_low = hn::Add(m_low, hn::Add(low, hn::PromoteTo(DW(), hn::UpperHalf(half, v))));
        } else {
            m_low = hn::Add(m_low, hn::And(v, hn::Set(d, Stored{0xffffffff})));
            m_high = hn::Add(m_high, hn::ShiftRight<32>(v));
        }
        ++m_vectors;
    }

    /// Of what was added since the last call.
    __int128 total()
    {
        __int128 sum = lanesOf(m_low);
        if constexpr (sizeof(Stored) == 8)
            sum += lanesOf(m_high) * (__int128{1} << 32);
        if constexpr (std::is_same_v<Stored, std::int8_t>)
            sum -= __int128{128} * m_vectors * static_cast<std::int64_t>(hn::Lanes(D()));
        m_low = hn::Zero(DW());
        m_high = hn::Zero(DW());
        m_vectors = 0;
        return sum;
    }

private:
    using Signed = std::conditional_t<sizeof(Stored) == 2, std::int32_t, std::int64_t>;
    using Wide = std::conditional_t<std::is_signed_v<Stored>, Signed, std::make_unsigned_t<Signed>>;
    using DW = hn::ScalableTag<Wide>;

    static __int128 lanesOf(hn::Vec<DW> v)
    {
        alignas(64) Wide lanes[hn::MaxLanes(DW())];
        hn::Store(v, DW(), lanes);
        __int128 sum = 0;
        for (const Wide lane : lanes)
            sum += lane;
        return sum;
    }

    hn::Vec<DW> m_low;
    hn::Vec<DW> m_high;
    std::int64_t m_vectors = 0;
};

template <class Stored>
__int128 sumHotIntegers(const std::byte* values, std::int64_t n, const Predicate<Stored>& predicate)
{
    const hn::ScalableTag<Stored> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const Test<Stored, false> test(predicate);
    const auto* at = reinterpret_cast<const Stored*>(values);
    IntegerSum<Stored> part;
    __int128 sum = 0;
    std::int64_t i = 0;
    while (i + lanes <= n) {
        const std::int64_t end = std::min(n / lanes * lanes, i + IntegerSum<Stored>::most * lanes);
        for (; i < end; i += lanes) {
            const auto value = hn::LoadU(d, at + i);
            part.add(hn::IfThenElseZero(test(value), value));
        }
        sum += part.total();
    }
    for (; i < n; ++i)
        if (const Stored value = loadOne<Stored>(values, i); predicate(value))
            sum += value;
    return sum;
}

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

    template <class Compare>
    void deliver(TileStatistics<Compare>& statistics) const
    {
        alignas(64) T lowest[hn::MaxLanes(D())];
        alignas(64) T highest[hn::MaxLanes(D())];
        hn::Store(m_min, D(), lowest);
        hn::Store(m_max, D(), highest);
        statistics.min = static_cast<Compare>(*std::min_element(std::begin(lowest), std::end(lowest)));
        statistics.max = static_cast<Compare>(*std::max_element(std::begin(highest), std::end(highest)));
    }

private:
    hn::Vec<D> m_min;
    hn::Vec<D> m_max;
};

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

template <class Stored>
TileStatistics<CompareOf<Stored>> scanFloats(const std::byte* values, std::int64_t n)
{
    using Compare = CompareOf<Stored>;
    const FloatTag<Stored> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const auto highest = hn::Set(d, std::numeric_limits<Compare>::max());
    const auto infinity = hn::Set(d, std::numeric_limits<Compare>::infinity());
    TileStatistics<Compare> statistics;
    LaneSums sums;
    Range<FloatTag<Stored>> range;
    const std::int64_t whole = n / laneCount * laneCount;
    for (std::int64_t i = 0; i < whole; i += laneCount) {
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
    range.deliver(statistics);
    statistics.finite = whole - statistics.nan - statistics.positiveInf - statistics.negativeInf;
    for (std::int64_t i = whole; i < n; ++i)
        addOneTo(statistics, loadOne<Stored>(values, i));
    // -0 becomes +0.
    statistics.min += 0;
    statistics.max += 0;
    statistics.sum = sums.total(n - whole, [&](std::int64_t i) HWY_ATTR {
        const auto value = loadOne<Stored>(values, whole + i);
        return std::abs(value) <= std::numeric_limits<Compare>::max() ? static_cast<double>(value) : 0.0;
    });
    return statistics;
}

template <class Stored>
TileStatistics<Stored> scanIntegers(const std::byte* values, std::int64_t n)
{
    const hn::ScalableTag<Stored> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    static_assert(tileElements <= IntegerSum<Stored>::most);
    const auto* at = reinterpret_cast<const Stored*>(values);
    TileStatistics<Stored> statistics;
    Range<hn::ScalableTag<Stored>> range;
    IntegerSum<Stored> sum;
    const std::int64_t whole = n / lanes * lanes;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        const auto value = hn::LoadU(d, at + i);
        statistics.zeros += __builtin_popcountll(bitsOf(d, hn::Eq(value, hn::Zero(d))));
        range.add(value);
        sum.add(value);
    }
    range.deliver(statistics);
    statistics.finite = whole;
    statistics.integerSum = sum.total();
    for (std::int64_t i = whole; i < n; ++i)
        addOneTo(statistics, loadOne<Stored>(values, i));
    return statistics;
}

template <class Stored>
double squares(const std::byte* values, std::int64_t n, double mean)
{
    using Compare = CompareOf<Stored>;
    const LaneSums::DD dd;
    const auto center = hn::Set(dd, mean);
    const auto highest = hn::Set(dd, static_cast<double>(std::numeric_limits<Compare>::max()));
    LaneSums sums;
    const std::int64_t whole = n / laneCount * laneCount;
    for (std::int64_t i = 0; i < whole; i += laneCount) {
#pragma GCC unroll 8
        for (std::size_t part = 0; part < LaneSums::vectors; ++part) {
            const auto offset = i + static_cast<std::int64_t>(part * LaneSums::lanes);
            const auto value = loadDouble<Stored>(dd, values + offset * static_cast<std::int64_t>(sizeof(Stored)));
            auto deviation = hn::Sub(value, center);
            if constexpr (std::is_floating_point_v<Compare>)
                deviation = hn::IfThenElseZero(hn::Le(hn::Abs(value), highest), deviation);
            sums.add(part, hn::Mul(deviation, deviation));
        }
    }
    return sums.total(n - whole, [&](std::int64_t i) HWY_ATTR {
        const auto value = static_cast<double>(loadOne<Stored>(values, whole + i));
        const bool counts = !std::is_floating_point_v<Compare> || std::abs(value) <= std::numeric_limits<double>::max();
        const double deviation = counts ? value - mean : 0.0;
        return deviation * deviation;
    });
}

template <class Stored>
constexpr ScanEntry<Stored> makeEntry()
{
    if constexpr (std::is_integral_v<Stored>)
        return {&sumHotIntegers<Stored>, &scanIntegers<Stored>, &squares<Stored>};
    else
        return {&sumHotFloats<Stored>, &scanFloats<Stored>, &squares<Stored>};
}

template <class Stored>
constexpr ScanEntry<Stored> scanEntry = makeEntry<Stored>();

#endif

constexpr ScanTable table{scanEntry<std::uint8_t>,  scanEntry<std::int8_t>,  scanEntry<std::uint16_t>, scanEntry<std::int16_t>,
                          scanEntry<std::uint32_t>, scanEntry<std::int32_t>, scanEntry<std::uint64_t>, scanEntry<std::int64_t>,
                          scanEntry<Half>,          scanEntry<BFloat16>,     scanEntry<float>,         scanEntry<double>};

const ScanTable* scanTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(scanTable);

template <class Stored>
double sumHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    return HWY_DYNAMIC_DISPATCH(scanTable)()->of<Stored>().sumHot(values, n, predicate);
}

template <class Stored>
__int128 sumHotExactly(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    return HWY_DYNAMIC_DISPATCH(scanTable)()->of<Stored>().sumHot(values, n, predicate);
}

template <class Stored>
TileStatistics<CompareOf<Stored>> scanTile(const std::byte* values, std::int64_t n)
{
    return HWY_DYNAMIC_DISPATCH(scanTable)()->of<Stored>().scan(values, n);
}

template <class Stored>
double squaredDeviations(const std::byte* values, std::int64_t n, double mean)
{
    return HWY_DYNAMIC_DISPATCH(scanTable)()->of<Stored>().squares(values, n, mean);
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template TileStatistics<CompareOf<Stored>> scanTile<Stored>(const std::byte*, std::int64_t);                               \
    template double squaredDeviations<Stored>(const std::byte*, std::int64_t, double);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

#define ACTISCOPE_INSTANTIATE_FLOAT(Stored)                                                                                    \
    template double sumHot<Stored>(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&);
ACTISCOPE_EACH_FLOAT(ACTISCOPE_INSTANTIATE_FLOAT)

#define ACTISCOPE_INSTANTIATE_INTEGER(Stored)                                                                                  \
    template __int128 sumHotExactly<Stored>(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&);
ACTISCOPE_EACH_INTEGER(ACTISCOPE_INSTANTIATE_INTEGER)

} // namespace core
#endif
