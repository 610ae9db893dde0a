// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a vector of stored values under an update; compiled once per vector target.
#if defined(ACTISCOPE_UPDATE_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ACTISCOPE_UPDATE_LANES_INL_H
#undef ACTISCOPE_UPDATE_LANES_INL_H
#else
#define ACTISCOPE_UPDATE_LANES_INL_H
#endif

#include "core/engine/hot_lanes-inl.h"
#include "core/engine/plain_operations.h"

#if !ACTISCOPE_PLAIN
HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

/// Calls use(kind) with the kind as a constant.
template <class Use>
HWY_INLINE auto withUpdate(Update kind, Use use)
{
    switch (kind) {
    case Update::set:
        return use(std::integral_constant<Update, Update::set>());
    case Update::absolute:
        return use(std::integral_constant<Update, Update::absolute>());
    case Update::negate:
        return use(std::integral_constant<Update, Update::negate>());
    case Update::clamp:
        return use(std::integral_constant<Update, Update::clamp>());
    case Update::scale:
        return use(std::integral_constant<Update, Update::scale>());
    case Update::replace:
        break;
    }
    return use(std::integral_constant<Update, Update::replace>());
}

/// Vectors of stored values after the update, as `updated` of element_update.h for each lane.
template <class Stored, Update kind>
class UpdateLanes
{
    using D = LaneTag<Stored>;
    using Lane = hn::TFromD<D>;
    using V = hn::Vec<D>;
    static constexpr bool isWide = std::is_floating_point_v<Stored>;
    static constexpr bool isKey = !std::is_same_v<Stored, CompareOf<Stored>>;

public:
    /// 16-bit floats, 8- and 64-bit integers are scaled one by one.
    static constexpr bool exists =
        kind != Update::scale || isWide || (std::is_integral_v<Stored> && (sizeof(Stored) == 2 || sizeof(Stored) == 4));

    explicit UpdateLanes(const ElementUpdate<CompareOf<Stored>>& update)
        : m_value(hn::Set(D(), laneOf(update.value))), m_lower(hn::Set(D(), laneOf(update.lower))),
          m_upper(hn::Set(D(), laneOf(update.upper)))
    {
        if constexpr (isKey) {
            m_lowerKey = hn::Set(D(), static_cast<Lane>(firstKeyFrom<Stored>(update.lower)));
            m_upperKey = hn::Set(D(), static_cast<Lane>(lastKeyTo<Stored>(update.upper)));
        }
    }

    HWY_INLINE V operator()(V v, const std::byte* other) const
    {
        if constexpr (kind == Update::set)
            return m_value;
        else if constexpr (kind == Update::replace)
            return hn::LoadU(D(), reinterpret_cast<const Lane*>(other));
        else if constexpr (isKey)
            return hn::IfThenElse(isNanKey<Stored>(keysOf(v)), v, key(v));
        else if constexpr (isWide)
            return hn::IfThenElse(hn::IsNaN(v), v, real(v));
        else
            return integer(v);
    }

private:
    static Lane laneOf(CompareOf<Stored> value)
    {
        if constexpr (isKey)
            return static_cast<Lane>(plain::narrow<Stored>(value).bits);
        else
            return value;
    }

    HWY_INLINE V key(V v) const
    {
        const D d;
        const auto sign = hn::Set(d, std::numeric_limits<Lane>::min());
        if constexpr (kind == Update::absolute)
            return hn::AndNot(sign, v);
        if constexpr (kind == Update::negate)
            return hn::Xor(sign, v);
        const auto keys = keysOf(v);
        // The lower bound may lie above the upper one, which then holds.
        const auto raised = hn::IfThenElse(hn::Lt(keys, m_lowerKey), m_lower, v);
        return hn::IfThenElse(hn::Gt(keysOf(raised), m_upperKey), m_upper, raised);
    }

    HWY_INLINE V real(V v) const
    {
        const D d;
        if constexpr (kind == Update::absolute)
            return hn::Abs(v);
        if constexpr (kind == Update::negate)
            return hn::Neg(v);
        if constexpr (kind == Update::clamp) {
            const auto raised = hn::IfThenElse(hn::Lt(v, m_lower), m_lower, v);
            return hn::IfThenElse(hn::Gt(raised, m_upper), m_upper, raised);
        }
        const auto product = hn::Mul(v, m_value);
        return hn::IfThenElse(hn::IsNaN(product), hn::Set(d, std::numeric_limits<Lane>::quiet_NaN()), product);
    }

    HWY_INLINE V integer(V v) const
    {
        const D d;
        if constexpr (kind == Update::clamp)
            return hn::Min(hn::Max(v, m_lower), m_upper);
        else if constexpr (kind == Update::scale)
            return hn::Mul(v, m_value);
        else if constexpr (kind == Update::negate)
            return hn::Sub(hn::Zero(d), v);
        else if constexpr (std::is_signed_v<Lane>)
            return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Sub(hn::Zero(d), v), v);
        else
            return v;
    }

    V m_value;
    V m_lower;
    V m_upper;
    V m_lowerKey = hn::Zero(D());
    V m_upperKey = hn::Zero(D());
};

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
