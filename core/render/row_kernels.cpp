// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/row_kernels.h"

#include "core/engine/kernels_plain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/render/row_kernels.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_ROW_KERNELS_ONCE
#define ACTISCOPE_ROW_KERNELS_ONCE
namespace core {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

bool paintFrom(std::size_t first, std::span<const double> values, const ScaleNumbers& scale, std::uint32_t* out)
{
    bool special = false;
    for (std::size_t i = first; i < values.size(); ++i) {
        const double place = 256 * (values[i] * scale.shrink - scale.lo) / scale.width;
        // NaN falls to 0 here: the comparison is false.
        out[i] = scale.colors[static_cast<std::int32_t>(std::min(place > 0 ? place : 0.0, 255.0))];
        special |= !(std::abs(values[i]) <= largest);
    }
    return special;
}

RowLimits limitsFrom(std::size_t first, std::span<const double> values, RowLimits limits)
{
    for (std::size_t i = first; i < values.size(); ++i) {
        const bool isFinite = std::abs(values[i]) <= largest;
        limits.lo = isFinite ? std::min(limits.lo, values[i]) : limits.lo;
        limits.hi = isFinite ? std::max(limits.hi, values[i]) : limits.hi;
        limits.isFinite &= isFinite;
    }
    return limits;
}

void fadeFrom(std::size_t first, std::span<const double> values, const FadeScale& scale, std::uint32_t* pixels)
{
    for (std::size_t i = first; i < values.size(); ++i) {
        if (!(std::abs(values[i]) <= largest))
            continue;
        const double place = std::clamp((values[i] - scale.lo) / scale.span, 0.0, 1.0);
        const double part = scale.diverging ? std::abs(2 * place - 1) : place;
        pixels[i] = (pixels[i] & 0x00ffffff) | static_cast<std::uint32_t>(std::lround(255 * std::sqrt(part))) << 24;
    }
}

void widenFrom(std::size_t first, const std::byte* values, std::span<double> out)
{
    for (std::size_t i = first; i < out.size(); ++i)
        out[i] = plain::load<float>(values, static_cast<std::int64_t>(i));
}

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

bool paint(std::span<const double> values, const ScaleNumbers& scale, std::uint32_t* out)
{
    return paintFrom(0, values, scale, out);
}

RowLimits limits(std::span<const double> values)
{
    return limitsFrom(0, values, {HUGE_VAL, -HUGE_VAL, true});
}

void fadeRow(std::span<const double> values, const FadeScale& scale, std::uint32_t* pixels)
{
    fadeFrom(0, values, scale, pixels);
}

void widenRow(const std::byte* values, std::span<double> out)
{
    widenFrom(0, values, out);
}

#else

bool paint(std::span<const double> values, const ScaleNumbers& scale, std::uint32_t* out)
{
    const hn::ScalableTag<double> d;
    const hn::Rebind<std::int32_t, decltype(d)> places;
    const hn::Rebind<std::uint32_t, decltype(d)> pixels;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const auto shrink = hn::Set(d, scale.shrink);
    const auto lo = hn::Set(d, scale.lo);
    const auto width = hn::Set(d, scale.width);
    const auto colors = hn::Set(d, 256.0);
    const auto last = hn::Set(d, 255.0);
    auto finite = hn::Eq(lo, lo);
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes) {
        const auto value = hn::LoadU(d, values.data() + i);
        const auto place = hn::Div(hn::Mul(colors, hn::Sub(hn::Mul(value, shrink), lo)), width);
        // NaN falls to 0 here: the comparison is false.
        const auto clamped = hn::Min(hn::IfThenElseZero(hn::Gt(place, hn::Zero(d)), place), last);
        hn::StoreU(hn::GatherIndex(pixels, scale.colors, hn::DemoteTo(places, clamped)), pixels, out + i);
        finite = hn::And(finite, hn::Le(hn::Abs(value), hn::Set(d, largest)));
    }
    const bool special = !hn::AllTrue(d, finite);
    return paintFrom(i, values, scale, out) || special;
}

RowLimits limits(std::span<const double> values)
{
    const hn::ScalableTag<double> d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    auto lo = hn::Set(d, HUGE_VAL);
    auto hi = hn::Set(d, -HUGE_VAL);
    auto finite = hn::Eq(lo, lo);
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes) {
        const auto value = hn::LoadU(d, values.data() + i);
        const auto isFinite = hn::Le(hn::Abs(value), hn::Set(d, largest));
        lo = hn::Min(lo, hn::IfThenElse(isFinite, value, lo));
        hi = hn::Max(hi, hn::IfThenElse(isFinite, value, hi));
        finite = hn::And(finite, isFinite);
    }
    const RowLimits whole{hn::GetLane(hn::MinOfLanes(d, lo)), hn::GetLane(hn::MaxOfLanes(d, hi)), hn::AllTrue(d, finite)};
    return limitsFrom(i, values, whole);
}

void fadeRow(std::span<const double> values, const FadeScale& scale, std::uint32_t* pixels)
{
    const hn::ScalableTag<double> d;
    const hn::Rebind<std::int32_t, decltype(d)> whole;
    const hn::Rebind<std::uint32_t, decltype(d)> pixel;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const auto lo = hn::Set(d, scale.lo);
    const auto span = hn::Set(d, scale.span);
    const auto one = hn::Set(d, 1.0);
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes) {
        const auto value = hn::LoadU(d, values.data() + i);
        const auto place = hn::Div(hn::Sub(value, lo), span);
        auto part = hn::Min(hn::IfThenElseZero(hn::Gt(place, hn::Zero(d)), place), one);
        if (scale.diverging)
            part = hn::Abs(hn::Sub(hn::Add(part, part), one));
        // Half away from zero, as lround has it.
        const auto alpha = hn::Mul(hn::Set(d, 255.0), hn::Sqrt(part));
        const auto below = hn::Trunc(alpha);
        const auto isUpper = hn::Ge(hn::Sub(alpha, below), hn::Set(d, 0.5));
        const auto rounded = hn::DemoteTo(whole, hn::Add(below, hn::IfThenElseZero(isUpper, one)));
        const auto before = hn::LoadU(pixel, pixels + i);
        const auto after =
            hn::Or(hn::And(before, hn::Set(pixel, 0x00ff'ffffU)), hn::ShiftLeft<24>(hn::BitCast(pixel, rounded)));
        const auto isFinite = hn::Le(hn::Abs(value), hn::Set(d, largest));
        const auto finite = hn::DemoteTo(whole, hn::IfThenElseZero(isFinite, one));
        hn::StoreU(hn::IfThenElse(hn::Gt(hn::BitCast(pixel, finite), hn::Zero(pixel)), after, before), pixel, pixels + i);
    }
    fadeFrom(i, values, scale, pixels);
}

void widenRow(const std::byte* values, std::span<double> out)
{
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> narrow;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const auto* at = reinterpret_cast<const float*>(values);
    std::size_t i = 0;
    for (; i + lanes <= out.size(); i += lanes)
        hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, at + i)), d, out.data() + i);
    widenFrom(i, values, out);
}

#endif

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(paint);
HWY_EXPORT(limits);
HWY_EXPORT(fadeRow);
HWY_EXPORT(widenRow);

bool paintFinite(std::span<const double> values, const ScaleNumbers& scale, std::uint32_t* out)
{
    return HWY_DYNAMIC_DISPATCH(paint)(values, scale, out);
}

RowLimits limitsOf(std::span<const double> values)
{
    return HWY_DYNAMIC_DISPATCH(limits)(values);
}

void fade(std::span<const double> values, const FadeScale& scale, std::uint32_t* pixels)
{
    HWY_DYNAMIC_DISPATCH(fadeRow)(values, scale, pixels);
}

void widen(const std::byte* values, std::span<double> out)
{
    HWY_DYNAMIC_DISPATCH(widenRow)(values, out);
}

} // namespace core
#endif
