// SPDX-License-Identifier: GPL-3.0-or-later
// Which lanes of a vector of stored values are hot; compiled once per vector target.
#if defined(ACTISCOPE_HOT_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTISCOPE_HOT_LANES_INL_H
#undef ACTISCOPE_HOT_LANES_INL_H
#else
#define ACTISCOPE_HOT_LANES_INL_H
#endif

#include "core/engine/value_keys.h"
#include "core/engine/vectors-inl.h"

#if !ACTISCOPE_PLAIN
HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

/// Stored values as vectors hold them: bits of float16 and bfloat16.
template <class Stored>
using LaneTag = hn::ScalableTag<std::conditional_t<std::is_same_v<Stored, CompareOf<Stored>>, Stored, std::int16_t>>;

/// Whether HotLanes<Stored, true> answers for a predicate: the usual ones.
template <class Stored>
bool isSimple(const Predicate<CompareOf<Stored>>& predicate)
{
    if constexpr (std::is_same_v<Stored, CompareOf<Stored>>)
        return isAtLeast(predicate);
    else
        return !predicate.invert && !predicate.nanHot;
}

/// Tests vectors of stored values.
template <class Stored, bool simple>
class HotLanes
{
public:
    explicit HotLanes(const Predicate<Stored>& predicate) : m_test(predicate) {}

    HWY_INLINE hn::Mask<LaneTag<Stored>> operator()(hn::Vec<LaneTag<Stored>> values) const { return m_test(values); }

private:
    Test<Stored, simple> m_test;
};

/// Keys keep the order of 16-bit floats.
template <class Bits>
HWY_INLINE Bits keysOf(Bits bits)
{
    const hn::DFromV<Bits> d;
    return hn::Xor(bits, hn::And(hn::ShiftRight<15>(bits), hn::Set(d, std::int16_t{0x7fff})));
}

template <class Stored, class Bits>
HWY_INLINE auto isNanKey(Bits keys)
{
    const auto infinity = hn::Set(hn::DFromV<Bits>(), infinityKey<Stored>);
    return hn::Or(hn::Gt(keys, infinity), hn::Lt(keys, hn::Not(infinity)));
}

/// simple: neither inverted nor true of NaN, so that the interval of keys says it all.
template <class Stored, bool simple>
class HotKeys
{
public:
    explicit HotKeys(const Predicate<float>& predicate)
        : m_test(keyPredicate<Stored>(predicate)), m_nanHot(allLanes(D(), predicate.nanHot))
    {
    }

    HWY_INLINE hn::Mask<hn::ScalableTag<std::int16_t>> operator()(hn::Vec<hn::ScalableTag<std::int16_t>> bits) const
    {
        const auto keys = keysOf(bits);
        const auto hot = m_test(keys);
        if constexpr (simple)
            return hot;
        const auto nan = isNanKey<Stored>(keys);
        return hn::Or(hn::AndNot(nan, hot), hn::And(nan, m_nanHot));
    }

private:
    using D = hn::ScalableTag<std::int16_t>;
    Test<std::int16_t, false> m_test;
    hn::Mask<D> m_nanHot;
};

template <bool simple>
class HotLanes<Half, simple> : public HotKeys<Half, simple>
{
    using HotKeys<Half, simple>::HotKeys;
};

template <bool simple>
class HotLanes<BFloat16, simple> : public HotKeys<BFloat16, simple>
{
    using HotKeys<BFloat16, simple>::HotKeys;
};

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
