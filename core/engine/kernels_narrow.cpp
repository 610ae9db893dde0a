// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_narrow.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_narrow.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_NARROW_ONCE
#define ACTISCOPE_KERNELS_NARROW_ONCE
namespace core {
namespace {

struct NarrowTable
{
    void (*half)(const float*, std::int64_t, Half*);
    void (*bfloat)(const float*, std::int64_t, BFloat16*);
};

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if !ACTISCOPE_PLAIN

using D = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<DI>;

/// The steps of toHalf.
HWY_INLINE V halfBits(V bits)
{
    const D df;
    const DI d;
    const V magnitude = hn::And(bits, hn::Set(d, 0x7fffffff));
    const V sign =
        hn::And(hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(hn::RebindToUnsigned<D>(), bits))), hn::Set(d, 0x8000));
    const V odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1));
    const V rounded = hn::Add(magnitude, hn::Add(hn::Set(d, 0xfff - 0x38000000), odd));
    const V aligned = hn::BitCast(d, hn::Add(hn::BitCast(df, magnitude), hn::Set(df, 0.5f)));
    V out = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x38800000)), hn::Sub(aligned, hn::Set(d, 0x3f000000)),
                           hn::ShiftRight<13>(rounded));
    out = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x477fefff)), hn::Set(d, 0x7c00), out);
    out = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7f800000)), hn::Set(d, 0x7e00), out);
    return hn::Or(out, sign);
}

/// The steps of toBFloat16.
HWY_INLINE V bfloatBits(V bits)
{
    const DI d;
    const hn::RebindToUnsigned<D> du;
    const auto wide = hn::BitCast(du, bits);
    const auto odd = hn::And(hn::ShiftRight<16>(wide), hn::Set(du, 1U));
    const V rounded = hn::BitCast(d, hn::ShiftRight<16>(hn::Add(wide, hn::Add(odd, hn::Set(du, 0x7fffU)))));
    const auto isNan = hn::Gt(hn::And(bits, hn::Set(d, 0x7fffffff)), hn::Set(d, 0x7f800000));
    return hn::IfThenElse(isNan, hn::Set(d, 0x7fc0), rounded);
}

#endif

template <class Narrow, class One, class Bits>
void narrowAs(const float* values, std::int64_t n, Narrow* narrowed, One one, [[maybe_unused]] Bits bits)
{
    std::int64_t i = 0;
#if !ACTISCOPE_PLAIN
    const DI d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
    for (; i + lanes <= n; i += lanes)
        hn::StoreU(hn::DemoteTo(hn::Rebind<std::uint16_t, D>(), bits(hn::BitCast(d, hn::LoadU(D(), values + i)))),
                   hn::Rebind<std::uint16_t, D>(), &narrowed[i].bits);
#endif
    for (; i < n; ++i)
        narrowed[i] = one(values[i]);
}

void narrowHalf(const float* values, std::int64_t n, Half* narrowed)
{
    const auto one = [](float value) { return toHalf(value); };
#if ACTISCOPE_PLAIN
    narrowAs(values, n, narrowed, one, 0);
#else
    narrowAs(values, n, narrowed, one, [](V bits) HWY_ATTR { return halfBits(bits); });
#endif
}

void narrowBFloat(const float* values, std::int64_t n, BFloat16* narrowed)
{
    const auto one = [](float value) { return toBFloat16(value); };
#if ACTISCOPE_PLAIN
    narrowAs(values, n, narrowed, one, 0);
#else
    narrowAs(values, n, narrowed, one, [](V bits) HWY_ATTR { return bfloatBits(bits); });
#endif
}

constexpr NarrowTable table{&narrowHalf, &narrowBFloat};

const NarrowTable* narrowTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(narrowTable);

void narrow(const float* values, std::int64_t n, Half* narrowed)
{
    HWY_DYNAMIC_DISPATCH(narrowTable)()->half(values, n, narrowed);
}

void narrow(const float* values, std::int64_t n, BFloat16* narrowed)
{
    HWY_DYNAMIC_DISPATCH(narrowTable)()->bfloat(values, n, narrowed);
}

} // namespace core
#endif
