// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/blend_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/render/blend_kernels.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if !ACTISCOPE_PLAIN

using D = hn::ScalableTag<std::uint32_t>;
using Pixels = hn::Vec<D>;

constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));

Pixels odd(Pixels pixels)
{
    return hn::And(pixels, hn::Set(D(), 0x00ff'00ffU));
}

/// Of two components in one number, as core::blend() has it.
Pixels by255(Pixels sum)
{
    return hn::ShiftRight<8>(hn::Add(hn::Add(sum, hn::Set(D(), 0x0001'0001U)), odd(hn::ShiftRight<8>(sum))));
}

Pixels blended(Pixels under, Pixels over, Pixels alpha)
{
    const auto rest = hn::Sub(hn::Set(D(), 255U), alpha);
    const auto mix = [&](Pixels u, Pixels o) HWY_ATTR {
        const auto sum = hn::Add(hn::Mul(odd(u), rest), hn::Mul(odd(o), alpha));
        return odd(by255(hn::Add(sum, hn::Set(D(), 0x007f'007fU))));
    };
    const auto redBlue = mix(under, over);
    const auto green = hn::And(mix(hn::ShiftRight<8>(under), hn::ShiftRight<8>(over)), hn::Set(D(), 255U));
    const auto a = hn::Max(hn::ShiftRight<24>(under), alpha);
    return hn::Or(redBlue, hn::Or(hn::ShiftLeft<8>(green), hn::ShiftLeft<24>(a)));
}

#endif

void pixels(std::uint32_t* under, const std::uint32_t* over, unsigned opacity, int count)
{
    int i = 0;
#if !ACTISCOPE_PLAIN
    const auto share = hn::Set(D(), opacity);
    for (; i + lanes <= count; i += lanes) {
        const auto laid = hn::LoadU(D(), over + i);
        const auto alpha = by255(hn::Mul(hn::ShiftRight<24>(laid), share));
        hn::StoreU(blended(hn::LoadU(D(), under + i), laid, hn::And(alpha, hn::Set(D(), 255U))), D(), under + i);
    }
#endif
    for (; i < count; ++i)
        under[i] = blend(under[i], over[i], (over[i] >> 24) * opacity / 255);
}

void color(std::uint32_t* under, std::uint32_t laid, const std::uint8_t* parts, unsigned opacity, int count)
{
    int i = 0;
#if !ACTISCOPE_PLAIN
    const auto share = hn::Set(D(), opacity);
    const auto colors = hn::Set(D(), laid);
    const hn::Rebind<std::uint8_t, D> bytes;
    for (; i + lanes <= count; i += lanes) {
        const auto part = hn::PromoteTo(D(), hn::LoadU(bytes, parts + i));
        if (hn::AllTrue(D(), hn::Eq(part, hn::Zero(D()))))
            continue;
        const auto alpha = by255(hn::Mul(part, share));
        hn::StoreU(blended(hn::LoadU(D(), under + i), colors, hn::And(alpha, hn::Set(D(), 255U))), D(), under + i);
    }
#endif
    for (; i < count; ++i)
        under[i] = blend(under[i], laid, parts[i] * opacity / 255);
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(pixels);
HWY_EXPORT(color);

void blendPixels(std::uint32_t* under, const std::uint32_t* over, unsigned opacity, int count)
{
    HWY_DYNAMIC_DISPATCH(pixels)(under, over, opacity, count);
}

void blendColor(std::uint32_t* under, std::uint32_t laid, const std::uint8_t* parts, unsigned opacity, int count)
{
    HWY_DYNAMIC_DISPATCH(color)(under, laid, parts, opacity, count);
}

} // namespace core
#endif
