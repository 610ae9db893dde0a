// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_norms.h"
#include "core/engine/plain_operations.h"
#include "core/engine/stored_types.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_norms.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vector_sums-inl.h"

#ifndef ACTISCOPE_KERNELS_NORMS_ONCE
#define ACTISCOPE_KERNELS_NORMS_ONCE
namespace core {
namespace {

template <class Stored>
struct NormEntry
{
    double (*tile)(const std::byte*, std::int64_t, NormPart);
};
using NormTable = StoredTable<NormEntry>;

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

template <class Stored>
constexpr NormEntry<Stored> normEntry{&plain::normTile<Stored>};

#else

/// Sums term(v) over a tile, v as vectors of float64; `one` is the term of a single value.
template <class Stored, class Term, class One>
HWY_INLINE double sumTerms(const std::byte* values, std::int64_t n, Term term, One one)
{
    const LaneSums::DD dd;
    LaneSums sums;
    const std::int64_t whole = n / laneCount * laneCount;
    for (std::int64_t i = 0; i < whole; i += laneCount) {
#pragma GCC unroll 8
        for (std::size_t part = 0; part < LaneSums::vectors; ++part) {
            const auto at = i + static_cast<std::int64_t>(part * LaneSums::lanes);
            sums.add(part, term(loadDouble<Stored>(dd, values + at * static_cast<std::int64_t>(sizeof(Stored)))));
        }
    }
    return sums.total(n - whole, [&](std::int64_t i)
                                     HWY_ATTR { return one(static_cast<double>(plain::load<Stored>(values, whole + i))); });
}

template <class Stored>
double largestOf(const std::byte* values, std::int64_t n)
{
    const hn::ScalableTag<double> dd;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(dd));
    auto largest = hn::Zero(dd);
    auto nan = hn::Zero(dd);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto value = hn::Abs(loadDouble<Stored>(dd, values + i * static_cast<std::int64_t>(sizeof(Stored))));
        largest = hn::IfThenElse(hn::Gt(value, largest), value, largest);
        nan = hn::IfThenElse(hn::IsNaN(value), value, nan);
    }
    alignas(64) double lanesLargest[hn::MaxLanes(dd)];
    alignas(64) double lanesNan[hn::MaxLanes(dd)];
    hn::Store(largest, dd, lanesLargest);
    hn::Store(nan, dd, lanesNan);
    double result = plain::normTile<Stored>(values + i * static_cast<std::int64_t>(sizeof(Stored)), n - i, NormPart::largest);
    for (std::int64_t lane = 0; lane < lanes; ++lane)
        for (const double value : {lanesLargest[lane], lanesNan[lane]})
            if (isLarger(value, result))
                result = value;
    return result;
}

template <class Stored>
double normOf(const std::byte* values, std::int64_t n, NormPart part)
{
    using V = hn::Vec<LaneSums::DD>;
    switch (part) {
    case NormPart::absolute:
        return sumTerms<Stored>(
            values, n, [](V v) HWY_ATTR { return hn::Abs(v); }, [](double v) { return std::abs(v); });
    case NormPart::squares:
        return sumTerms<Stored>(
            values, n, [](V v) HWY_ATTR { return hn::Mul(v, v); }, [](double v) { return v * v; });
    case NormPart::largest:
        return largestOf<Stored>(values, n);
    case NormPart::nonzero:
        return static_cast<double>(countHot<Stored>(values, n, {0, 0, true, true}));
    }
    return 0;
}

template <class Stored>
constexpr NormEntry<Stored> normEntry{&normOf<Stored>};

#endif

#define ACTISCOPE_ENTRY(Stored) normEntry<Stored>,
constexpr NormTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const NormTable* normTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(normTable);

template <class Stored>
double normTile(const std::byte* values, std::int64_t n, NormPart part)
{
    return HWY_DYNAMIC_DISPATCH(normTable)()->of<Stored>().tile(values, n, part);
}

template <class Stored>
double powerTile(const std::byte* values, std::int64_t n, double p)
{
    return laneTileSum(
        n, [=](std::int64_t i) { return std::pow(std::abs(static_cast<double>(plain::load<Stored>(values, i))), p); });
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template double normTile<Stored>(const std::byte*, std::int64_t, NormPart);                                                \
    template double powerTile<Stored>(const std::byte*, std::int64_t, double);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif
