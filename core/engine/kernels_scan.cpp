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
    TileStatistics<CompareOf<Stored>> (*scan)(const std::byte*, std::int64_t);
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
constexpr ScanEntry<Stored> scanEntry{&plain::scanTile<Stored>};

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
        addOneTo(statistics, plain::load<Stored>(values, i));
    // -0 becomes +0.
    statistics.min += 0;
    statistics.max += 0;
    statistics.sum = sums.total(n - whole, [&](std::int64_t i) HWY_ATTR {
        const auto value = plain::load<Stored>(values, whole + i);
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
        addOneTo(statistics, plain::load<Stored>(values, i));
    return statistics;
}

template <class Stored>
TileStatistics<CompareOf<Stored>> scan(const std::byte* values, std::int64_t n)
{
    if constexpr (std::is_integral_v<Stored>)
        return scanIntegers<Stored>(values, n);
    else
        return scanFloats<Stored>(values, n);
}

template <class Stored>
constexpr ScanEntry<Stored> scanEntry{&scan<Stored>};

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

HWY_EXPORT(scanTable);

template <class Stored>
TileStatistics<CompareOf<Stored>> scanTile(const std::byte* values, std::int64_t n)
{
    return HWY_DYNAMIC_DISPATCH(scanTable)()->of<Stored>().scan(values, n);
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template TileStatistics<CompareOf<Stored>> scanTile<Stored>(const std::byte*, std::int64_t);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif
