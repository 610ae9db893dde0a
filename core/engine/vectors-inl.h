// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled once per vector target: see "per-target include guards" in Highway's documentation.
#if defined(ACTISCOPE_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTISCOPE_VECTORS_INL_H
#undef ACTISCOPE_VECTORS_INL_H
#else
#define ACTISCOPE_VECTORS_INL_H
#endif

#include "core/engine/kernels.h"

#include <hwy/highway.h>

#include <cstring>

/// The target without vectors: its tables hold the plain kernels.
#undef ACTISCOPE_PLAIN
#define ACTISCOPE_PLAIN (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128)

#if !ACTISCOPE_PLAIN
HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Bit i: lane i of a mask.
template <class D, class M>
HWY_INLINE std::uint64_t bitsOf(D d, M mask)
{
    (void)d;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    std::uint64_t bits{mask.raw};
    // g++ 12 may keep a mask in memory by as few bytes as it has, and read all 8 back: in a general register that cannot be.
    asm("" : "+r"(bits));
    return bits;
#elif HWY_ARCH_X86
    return hn::detail::BitsFromMask(mask);
#else
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&bits));
    return bits;
#endif
}

/// counts + 1 where the mask is set.
template <class D>
HWY_INLINE hn::Vec<D> addOne([[maybe_unused]] D d, hn::Vec<D> counts, hn::Mask<D> mask)
{
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    if constexpr (sizeof(hn::TFromD<D>) == 4)
        return hn::Vec<D>{_mm512_mask_sub_epi32(counts.raw, mask.raw, counts.raw, _mm512_set1_epi32(-1))};
    else
        return hn::Vec<D>{_mm512_mask_sub_epi64(counts.raw, mask.raw, counts.raw, _mm512_set1_epi64(-1))};
#else
    return hn::Sub(counts, hn::VecFromMask(d, mask));
#endif
}

/// Has a vector computed here: g++ puts a chain of additions off to its end, and AVX2 has too few registers for all that waits.
template <class V>
HWY_INLINE void doneNow([[maybe_unused]] V& v)
{
#if HWY_TARGET == HWY_AVX2 && HWY_COMPILER_GCC_ACTUAL
    asm("" : "+x"(v.raw));
#endif
}

/// A mask of all lanes or none.
template <class D>
HWY_INLINE hn::Mask<D> allLanes(D d, bool all)
{
    return hn::FirstN(d, all ? hn::Lanes(d) : 0);
}

/// Whether a run of a predicate's shape can be tested by `lo <= v` alone: the usual `> t`.
template <class Lane>
bool isAtLeast(const Predicate<Lane>& predicate)
{
    using Limits = std::numeric_limits<Lane>;
    constexpr Lane highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
    return !predicate.invert && !predicate.nanHot && predicate.hi == highest;
}

/// Tests vectors of `Lane`. atLeast: only `lo <= v`; else any predicate.
template <class Lane, bool atLeast>
class Test
{
public:
    using D = hn::ScalableTag<Lane>;
    using V = hn::Vec<D>;
    using M = hn::Mask<D>;

    explicit Test(const Predicate<Lane>& predicate)
        : m_lo(hn::Set(D(), predicate.lo)), m_hi(hn::Set(D(), predicate.hi)), m_notInvert(allLanes(D(), !predicate.invert)),
          m_nanHot(allLanes(D(), predicate.nanHot))
    {
    }

    HWY_INLINE M operator()(V v) const
    {
        if constexpr (!std::is_floating_point_v<Lane>) {
            // Highway compares integers only by < and ==.
            if constexpr (atLeast)
                return hn::Eq(hn::Max(v, m_lo), v);
            const M outside = hn::Or(hn::Lt(v, m_lo), hn::Lt(m_hi, v));
            return hn::Xor(outside, m_notInvert);
        } else {
            if constexpr (atLeast)
                return hn::Ge(v, m_lo);
            const M within = hn::And(hn::Ge(v, m_lo), hn::Le(v, m_hi));
            const M nan = hn::IsNaN(v);
            return hn::Or(hn::And(nan, m_nanHot), hn::AndNot(nan, hn::Not(hn::Xor(within, m_notInvert))));
        }
    }

private:
    V m_lo;
    V m_hi;
    M m_notInvert;
    M m_nanHot;
};

/// float16 to float32 for a vector of bits.
template <class DF, class VBits>
HWY_INLINE hn::Vec<DF> widenHalf(DF df, VBits bits)
{
    const hn::Rebind<hwy::float16_t, DF> dh;
#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
    // Highway's own form for these targets makes finite numbers of infinities and NaN.
    (void)dh;
    const hn::RebindToUnsigned<DF> du;
    const auto wide = hn::PromoteTo(du, bits);
    const auto magnitude = hn::And(wide, hn::Set(du, 0x7fffu));
    const auto shifted = hn::ShiftLeft<13>(magnitude);
    const auto finite = hn::BitCast(du, hn::Mul(hn::BitCast(df, shifted), hn::Set(df, 0x1p112f)));
    const auto special = hn::Or(shifted, hn::Set(du, 0x7f800000u));
    const auto result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7bffu)), special, finite);
    return hn::BitCast(df, hn::Or(result, hn::ShiftLeft<16>(hn::Sub(wide, magnitude))));
#else
    return hn::PromoteTo(df, hn::BitCast(dh, bits));
#endif
}

template <class DF, class VBits>
HWY_INLINE hn::Vec<DF> widenBFloat16(DF df, VBits bits)
{
    const hn::RebindToUnsigned<DF> du;
    return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}

/// Lanes(df) elements as float32. Stored: at most 16 bits wide, or float.
template <class Stored, class DF>
HWY_INLINE hn::Vec<DF> loadFloat(DF df, const std::byte* at)
{
    if constexpr (std::is_same_v<Stored, float>) {
        return hn::LoadU(df, reinterpret_cast<const float*>(at));
    } else if constexpr (std::is_same_v<Stored, Half>) {
        const hn::Rebind<std::uint16_t, DF> d16;
        return widenHalf(df, hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(at)));
    } else if constexpr (std::is_same_v<Stored, BFloat16>) {
        const hn::Rebind<std::uint16_t, DF> d16;
        return widenBFloat16(df, hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(at)));
    } else {
        const hn::Rebind<Stored, DF> ds;
        const hn::RebindToSigned<DF> di;
        return hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(ds, reinterpret_cast<const Stored*>(at))));
    }
}

/// Lanes(dd) elements as float64, rounded to nearest where an integer has more than 53 bits.
template <class Stored, class DD>
HWY_INLINE hn::Vec<DD> loadDouble(DD dd, const std::byte* at)
{
    if constexpr (std::is_same_v<Stored, double>) {
        return hn::LoadU(dd, reinterpret_cast<const double*>(at));
    } else if constexpr (sizeof(Stored) == 8) {
        return hn::ConvertTo(dd, hn::LoadU(hn::Rebind<Stored, DD>(), reinterpret_cast<const Stored*>(at)));
    } else if constexpr (std::is_same_v<Stored, std::int32_t>) {
        const hn::Rebind<std::int32_t, DD> ds;
        return hn::PromoteTo(dd, hn::LoadU(ds, reinterpret_cast<const std::int32_t*>(at)));
    } else if constexpr (std::is_same_v<Stored, std::uint32_t>) {
        // 2^52 + v is exact with v in the low bits of its mantissa.
        const hn::Rebind<std::uint32_t, DD> ds;
        const hn::RebindToUnsigned<DD> du;
        const auto wide = hn::PromoteTo(du, hn::LoadU(ds, reinterpret_cast<const std::uint32_t*>(at)));
        const auto biased = hn::BitCast(dd, hn::Or(wide, hn::Set(du, 0x4330000000000000u)));
        return hn::Sub(biased, hn::Set(dd, 0x1p52));
    } else {
        const hn::Rebind<float, DD> df;
        return hn::PromoteTo(dd, loadFloat<Stored>(df, at));
    }
}

} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
