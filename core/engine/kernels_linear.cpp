// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_linear.h"

#include "core/engine/stored_types.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_linear.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_LINEAR_ONCE
#define ACTISCOPE_KERNELS_LINEAR_ONCE
namespace core {
namespace {

template <class Stored>
struct LinearEntry
{
    void (*find)(const std::byte*, std::int64_t, const LinearBins&, std::uint16_t*);
};
using LinearTable = StoredTable<LinearEntry>;

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

std::uint16_t linearBinOf(double value, const LinearBins& linear)
{
    const int bins = linear.bins();
    if (!std::isfinite(value))
        return static_cast<std::uint16_t>(bins);
    const double place = std::clamp(linear.placeOf(value), 0.0, static_cast<double>(bins));
    const auto edge = static_cast<int>(place + 0.5);
    if (edge > 0 && edge < bins && std::abs(place - edge) < linear.near)
        return static_cast<std::uint16_t>(value >= linear.edges[static_cast<std::size_t>(edge)] ? edge : edge - 1);
    return static_cast<std::uint16_t>(std::min(static_cast<int>(place), bins - 1));
}

template <class Stored>
void findRest(const std::byte* values, std::int64_t first, std::int64_t end, const LinearBins& linear, std::uint16_t* bins)
{
    for (std::int64_t i = first; i < end; ++i) {
        Stored value;
        std::memcpy(&value, values + i * static_cast<std::int64_t>(sizeof value), sizeof value);
        if constexpr (std::is_same_v<Stored, Half> || std::is_same_v<Stored, BFloat16>)
            bins[i] = linearBinOf(static_cast<double>(toFloat(value)), linear);
        else
            bins[i] = linearBinOf(static_cast<double>(value), linear);
    }
}

#if ACTISCOPE_PLAIN

template <class Stored>
void find(const std::byte* values, std::int64_t n, const LinearBins& linear, std::uint16_t* bins)
{
    findRest<Stored>(values, 0, n, linear, bins);
}

#else

template <class Stored>
void find(const std::byte* values, std::int64_t n, const LinearBins& linear, std::uint16_t* bins)
{
    using D = hn::ScalableTag<double>;
    const D d;
    const hn::Rebind<std::int32_t, D> di;
    const hn::Rebind<std::uint16_t, D> d16;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
    const auto lo = hn::Set(d, linear.edges.front());
    const auto scale = hn::Set(d, linear.scale);
    const auto last = hn::Set(d, static_cast<double>(linear.bins() - 1));
    const auto other = hn::Set(d, static_cast<double>(linear.bins()));
    const auto largest = hn::Set(d, std::numeric_limits<double>::max());
    const auto near = hn::Set(d, linear.near);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto value = loadDouble<Stored>(d, values + i * static_cast<std::int64_t>(sizeof(Stored)));
        const auto place = hn::Mul(hn::Sub(value, lo), scale);
        const auto edge = hn::Min(hn::Round(place), last);
        const auto isNear = hn::And(hn::Lt(hn::Abs(hn::Sub(place, edge)), near), hn::Gt(edge, hn::Zero(d)));
        if (HWY_UNLIKELY(!hn::AllFalse(d, isNear))) {
            findRest<Stored>(values, i, i + lanes, linear, bins);
            continue;
        }
        auto bin = hn::Min(hn::Max(place, hn::Zero(d)), last);
        if constexpr (!std::is_integral_v<Stored>)
            bin = hn::IfThenElse(hn::Le(hn::Abs(value), largest), bin, other);
        hn::StoreU(hn::DemoteTo(d16, hn::DemoteTo(di, bin)), d16, bins + i);
    }
    findRest<Stored>(values, i, n, linear, bins);
}

#endif

template <class Stored>
constexpr LinearEntry<Stored> linearEntry{&find<Stored>};

#define ACTISCOPE_ENTRY(Stored) linearEntry<Stored>,
constexpr LinearTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const LinearTable* linearTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(linearTable);

template <class Stored>
void findLinearBins(const std::byte* values, std::int64_t n, const LinearBins& linear, std::uint16_t* bins)
{
    HWY_DYNAMIC_DISPATCH(linearTable)()->of<Stored>().find(values, n, linear, bins);
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template void findLinearBins<Stored>(const std::byte*, std::int64_t, const LinearBins&, std::uint16_t*);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif
