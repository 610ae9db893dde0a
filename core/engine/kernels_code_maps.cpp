// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_codes.h"

#include <algorithm>
#include <limits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_code_maps.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_CODE_MAPS_ONCE
#define ACTISCOPE_KERNELS_CODE_MAPS_ONCE
namespace core {
namespace {

void addUpRest(const CodeTotals& totals, std::int64_t first)
{
    for (std::int64_t i = first; i < totals.pixels; ++i) {
        totals.count[i] += totals.shortCount[i];
        if (totals.sum)
            totals.sum[i] += totals.base * totals.shortCount[i] + totals.step * totals.shortSum[sumPlace(i)];
    }
    std::fill_n(totals.shortCount, totals.pixels, std::uint8_t{0});
    if (totals.sum)
        std::fill_n(totals.shortSum, sumPlaces(totals.pixels), std::uint16_t{0});
}

template <class Float>
void keepRest(const Float* values, std::int64_t n, Float lowest, Float* kept, std::int64_t first)
{
    for (std::int64_t i = first; i < n; ++i)
        kept[i] = values[i] >= lowest ? values[i] : std::numeric_limits<Float>::quiet_NaN();
}

struct CodeMapTable
{
    void (*addUp)(const CodeTotals&);
    void (*keepFloats)(const float*, std::int64_t, float, float*);
    void (*keepDoubles)(const double*, std::int64_t, double, double*);
};

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

void addUp(const CodeTotals& totals)
{
    addUpRest(totals, 0);
}

template <class Float>
void keep(const Float* values, std::int64_t n, Float lowest, Float* kept)
{
    keepRest(values, n, lowest, kept, 0);
}

#else

/// Doubles of a vector of int32, whose number of lanes is twice theirs.
template <class V>
HWY_INLINE std::pair<hn::Vec<hn::ScalableTag<double>>, hn::Vec<hn::ScalableTag<double>>> doublesOf(V integers)
{
    const hn::ScalableTag<double> d;
    const hn::Half<hn::ScalableTag<std::int32_t>> half;
    return {hn::PromoteTo(d, hn::LowerHalf(half, integers)), hn::PromoteTo(d, hn::UpperHalf(half, integers))};
}

/// Sums in the order of the pixels, from `pixel` on.
HWY_INLINE hn::Vec<hn::ScalableTag<std::int32_t>> inOrder(const std::uint16_t* sums, std::int64_t pixel)
{
    const hn::ScalableTag<std::uint64_t> d64;
    const hn::Rebind<std::uint32_t, decltype(d64)> d32;
    const hn::Rebind<std::uint16_t, decltype(d64)> d16;
    const std::uint16_t* const even = sums + sumPlace(pixel);
    const auto wide = [&](const std::uint16_t* from)
                          HWY_ATTR { return hn::PromoteTo(d64, hn::PromoteTo(d32, hn::LoadU(d16, from))); };
    return hn::BitCast(hn::ScalableTag<std::int32_t>(), hn::Or(wide(even), hn::ShiftLeft<32>(wide(even + 32))));
}

void addUp(const CodeTotals& totals)
{
    const hn::ScalableTag<std::int32_t> d32;
    const hn::Rebind<std::uint8_t, decltype(d32)> d8;
    const hn::ScalableTag<double> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d32));
    constexpr auto half = static_cast<std::int64_t>(hn::MaxLanes(d));
    const auto base = hn::Set(d, totals.base);
    const auto step = hn::Set(d, totals.step);
    const CodeTotals t = totals;
    const std::int64_t whole = t.pixels / lanes * lanes;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        const auto count = hn::PromoteTo(d32, hn::LoadU(d8, t.shortCount + i));
        hn::StoreU(hn::Add(hn::LoadU(d32, t.count + i), count), d32, t.count + i);
        if (!t.sum)
            continue;
        const auto counts = doublesOf(count);
        const auto codes = doublesOf(inOrder(t.shortSum, i));
        const auto put = [&](double* to, hn::Vec<decltype(d)> n, hn::Vec<decltype(d)> code) HWY_ATTR {
            const auto values = hn::Add(hn::Mul(base, n), hn::Mul(step, code));
            hn::StoreU(hn::Add(hn::LoadU(d, to), values), d, to);
        };
        put(t.sum + i, counts.first, codes.first);
        put(t.sum + i + half, counts.second, codes.second);
    }
    addUpRest(totals, whole);
}

template <class Float>
void keep(const Float* values, std::int64_t n, Float lowest, Float* kept)
{
    const hn::ScalableTag<Float> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const auto least = hn::Set(d, lowest);
    const auto nan = hn::Set(d, std::numeric_limits<Float>::quiet_NaN());
    const std::int64_t whole = n / lanes * lanes;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        const auto value = hn::LoadU(d, values + i);
        hn::StoreU(hn::IfThenElse(hn::Ge(value, least), value, nan), d, kept + i);
    }
    keepRest(values, n, lowest, kept, whole);
}

#endif

constexpr CodeMapTable table{&addUp, &keep<float>, &keep<double>};

const CodeMapTable* codeMapTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(codeMapTable);

void addUpCodes(const CodeTotals& totals)
{
    HWY_DYNAMIC_DISPATCH(codeMapTable)()->addUp(totals);
}

void keepFrom(const float* values, std::int64_t n, float lowest, float* kept)
{
    HWY_DYNAMIC_DISPATCH(codeMapTable)()->keepFloats(values, n, lowest, kept);
}

void keepFrom(const double* values, std::int64_t n, double lowest, double* kept)
{
    HWY_DYNAMIC_DISPATCH(codeMapTable)()->keepDoubles(values, n, lowest, kept);
}

} // namespace core
#endif
