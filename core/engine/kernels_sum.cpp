// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "core/engine/kernels_plain.h"
#include "core/engine/stored_types.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_sum.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vector_sums-inl.h"

#ifndef ACTISCOPE_KERNELS_SUM_ONCE
#define ACTISCOPE_KERNELS_SUM_ONCE
namespace core {
namespace {

/// Exact for integers, in lane order for floats.
template <class Stored>
using RunSum = std::conditional_t<std::is_integral_v<Stored>, __int128, double>;

template <class Stored>
struct SumEntry
{
    RunSum<Stored> (*sumHot)(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&);
    double (*squares)(const std::byte*, std::int64_t, double);
};
using SumTable = StoredTable<SumEntry>;

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

template <class Stored>
RunSum<Stored> sumHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    if constexpr (std::is_integral_v<Stored>)
        return plain::sumHotExactly<Stored>(values, n, predicate);
    else
        return plain::sumHot<Stored>(values, n, predicate);
}

template <class Stored>
constexpr SumEntry<Stored> sumEntry{&sumHot<Stored>, &plain::squaredDeviations<Stored>};

#else

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
        const auto value = plain::load<Stored>(values, whole + i);
        return predicate(value) ? static_cast<double>(value) : 0.0;
    });
}

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
        if (const Stored value = plain::load<Stored>(values, i); predicate(value))
            sum += value;
    return sum;
}

template <class Stored>
RunSum<Stored> sumHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    if constexpr (std::is_integral_v<Stored>)
        return sumHotIntegers<Stored>(values, n, predicate);
    else
        return sumHotFloats<Stored>(values, n, predicate);
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
        const auto value = static_cast<double>(plain::load<Stored>(values, whole + i));
        const bool counts = !std::is_floating_point_v<Compare> || std::abs(value) <= std::numeric_limits<double>::max();
        const double deviation = counts ? value - mean : 0.0;
        return deviation * deviation;
    });
}

template <class Stored>
constexpr SumEntry<Stored> sumEntry{&sumHot<Stored>, &squares<Stored>};

#endif

#define ACTISCOPE_ENTRY(Stored) sumEntry<Stored>,
constexpr SumTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const SumTable* sumTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(sumTable);

template <class Stored>
double sumHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    return HWY_DYNAMIC_DISPATCH(sumTable)()->of<Stored>().sumHot(values, n, predicate);
}

template <class Stored>
__int128 sumHotExactly(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    return HWY_DYNAMIC_DISPATCH(sumTable)()->of<Stored>().sumHot(values, n, predicate);
}

template <class Stored>
double squaredDeviations(const std::byte* values, std::int64_t n, double mean)
{
    return HWY_DYNAMIC_DISPATCH(sumTable)()->of<Stored>().squares(values, n, mean);
}

#define ACTISCOPE_INSTANTIATE(Stored) template double squaredDeviations<Stored>(const std::byte*, std::int64_t, double);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

#define ACTISCOPE_INSTANTIATE_FLOAT(Stored)                                                                                    \
    template double sumHot<Stored>(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&);
ACTISCOPE_EACH_FLOAT(ACTISCOPE_INSTANTIATE_FLOAT)

#define ACTISCOPE_INSTANTIATE_INTEGER(Stored)                                                                                  \
    template __int128 sumHotExactly<Stored>(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&);
ACTISCOPE_EACH_INTEGER(ACTISCOPE_INSTANTIATE_INTEGER)

} // namespace core
#endif
