// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/select.h"

#include <limits>
#include <type_traits>

/// What a SelectQuery does to one element, written for a compare type; other engines take the same steps.
namespace core {

/// An update whose numbers are those of a dtype. `Work` is the type that computes: the stored one for integers, float32 and
/// float64; float for float16, bfloat16 and 8-bit floats.
template <class Work>
struct ElementUpdate
{
    Update kind = Update::set;
    /// set: the value; scale: the factor.
    Work value{};
    /// clamp: the ends of the range where a bound is absent.
    Work lower =
        std::numeric_limits<Work>::has_infinity ? -std::numeric_limits<Work>::infinity() : std::numeric_limits<Work>::lowest();
    Work upper =
        std::numeric_limits<Work>::has_infinity ? std::numeric_limits<Work>::infinity() : std::numeric_limits<Work>::max();
};

/// The product modulo 2^bits for integers.
template <class Work>
constexpr Work wrappedProduct(Work a, Work b)
{
    if constexpr (std::is_integral_v<Work>)
        return static_cast<Work>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
        return a * b;
}

/// The element after the update, `other` standing at the same place of the other tensor. NaN is only set or replaced; a NaN
/// that arises is the quiet NaN without sign.
template <class Work>
constexpr Work updated(Work element, const ElementUpdate<Work>& update, Work other)
{
    if (update.kind == Update::set)
        return update.value;
    if (update.kind == Update::replace)
        return other;
    if (element != element)
        return element;
    switch (update.kind) {
    case Update::absolute:
        // -0 becomes 0.
        if constexpr (std::is_floating_point_v<Work>)
            return element <= 0 ? Work{0} - element : element;
        return element < 0 ? static_cast<Work>(std::uint64_t{0} - static_cast<std::uint64_t>(element)) : element;
    case Update::negate:
        if constexpr (std::is_floating_point_v<Work>)
            return -element;
        return static_cast<Work>(std::uint64_t{0} - static_cast<std::uint64_t>(element));
    case Update::clamp: {
        const Work raised = element < update.lower ? update.lower : element;
        return raised > update.upper ? update.upper : raised;
    }
    default: {
        const Work product = wrappedProduct(element, update.value);
        return product != product ? std::numeric_limits<Work>::quiet_NaN() : product;
    }
    }
}

} // namespace core
