// SPDX-License-Identifier: GPL-3.0-or-later
// Vector sums in the order of lane_sum.h, and exact ones of integers; compiled once per vector target.
#if defined(ACTISCOPE_VECTOR_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTISCOPE_VECTOR_SUMS_INL_H
#undef ACTISCOPE_VECTOR_SUMS_INL_H
#else
#define ACTISCOPE_VECTOR_SUMS_INL_H
#endif

#include "core/engine/lane_sum.h"
#include "core/engine/vectors-inl.h"

#if !ACTISCOPE_PLAIN
HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

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

/// Adds values to `sums`, and the squares of their differences from `center` to `squares`.
template <class D>
HWY_INLINE void addWithSquares(LaneSums& sums, LaneSums& squares, D d, std::size_t part, hn::Vec<D> values,
                               hn::Vec<LaneSums::DD> center)
{
    const LaneSums::DD dd;
    const auto add = [&](std::size_t vector, hn::Vec<LaneSums::DD> wide) HWY_ATTR {
        sums.add(vector, wide);
        const auto deviation = hn::Sub(wide, center);
        squares.add(vector, hn::Mul(deviation, deviation));
    };
    if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
        const hn::Half<D> half;
        add(2 * part, hn::PromoteTo(dd, hn::LowerHalf(half, values)));
        add(2 * part + 1, hn::PromoteTo(dd, hn::UpperHalf(half, values)));
    } else {
        (void)d;
        add(part, values);
    }
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

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
