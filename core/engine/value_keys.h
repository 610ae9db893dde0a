// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/kernels.h"

#include <bit>

/// Integers that keep the order of a stored type's values: an integer itself (64-bit unsigned ones moved down by 2^63), a
/// float's bits with the magnitude of negative numbers inverted. NaNs lie beyond both infinities; -0 just below +0.
namespace core {

namespace detail {

template <class Stored>
using SignedBits = std::conditional_t<
    sizeof(Stored) == 1, std::int8_t,
    std::conditional_t<sizeof(Stored) == 2, std::int16_t, std::conditional_t<sizeof(Stored) == 4, std::int32_t, std::int64_t>>>;

} // namespace detail

template <class Stored>
constexpr std::int64_t keyOf(Stored value)
{
    if constexpr (std::is_same_v<Stored, std::uint64_t>) {
        return static_cast<std::int64_t>(value ^ (std::uint64_t{1} << 63));
    } else if constexpr (std::is_integral_v<Stored>) {
        return static_cast<std::int64_t>(value);
    } else {
        using Bits = detail::SignedBits<Stored>;
        const auto bits = std::bit_cast<Bits>(value);
        return bits < 0 ? bits ^ std::numeric_limits<Bits>::max() : bits;
    }
}

template <class Stored>
constexpr Stored valueOfKey(std::int64_t key)
{
    if constexpr (std::is_same_v<Stored, std::uint64_t>) {
        return static_cast<std::uint64_t>(key) ^ (std::uint64_t{1} << 63);
    } else if constexpr (std::is_integral_v<Stored>) {
        return static_cast<Stored>(key);
    } else {
        using Bits = detail::SignedBits<Stored>;
        const auto bits = static_cast<Bits>(key);
        return std::bit_cast<Stored>(static_cast<Bits>(bits < 0 ? bits ^ std::numeric_limits<Bits>::max() : bits));
    }
}

/// Key of the stored value nearest to a value of the compare type.
template <class Stored>
std::int64_t nearestKey(CompareOf<Stored> value)
{
    if constexpr (std::is_same_v<Stored, Half>)
        return keyOf(toHalf(value));
    else if constexpr (std::is_same_v<Stored, BFloat16>)
        return keyOf(toBFloat16(value));
    else
        return keyOf(value);
}

/// The value of a key in the compare type.
template <class Stored>
CompareOf<Stored> compareOfKey(std::int64_t key)
{
    if constexpr (std::is_same_v<Stored, CompareOf<Stored>>)
        return valueOfKey<Stored>(key);
    else
        return toFloat(valueOfKey<Stored>(key));
}

/// Key of the smallest stored value >= `value`; of zeros, the negative one.
template <class Stored>
std::int64_t firstKeyFrom(CompareOf<Stored> value)
{
    std::int64_t key = nearestKey<Stored>(value);
    if (compareOfKey<Stored>(key) < value)
        ++key;
    if constexpr (!std::is_integral_v<Stored>)
        if (key == 0)
            --key;
    return key;
}

/// Key of the largest stored value <= `value`; of zeros, the positive one.
template <class Stored>
std::int64_t lastKeyTo(CompareOf<Stored> value)
{
    std::int64_t key = nearestKey<Stored>(value);
    if (compareOfKey<Stored>(key) > value)
        --key;
    if constexpr (!std::is_integral_v<Stored>)
        if (key == -1)
            ++key;
    return key;
}

/// float16 and bfloat16 are tested as their keys: the same interval in those.
template <class Stored>
Predicate<std::int16_t> keyPredicate(const Predicate<float>& predicate)
{
    return {static_cast<std::int16_t>(firstKeyFrom<Stored>(predicate.lo)),
            static_cast<std::int16_t>(lastKeyTo<Stored>(predicate.hi)), predicate.invert, predicate.nanHot};
}

/// The key of infinity: NaNs lie above it and below its complement.
template <class Stored>
constexpr std::int16_t infinityKey = std::is_same_v<Stored, Half> ? 0x7c00 : 0x7f80;

} // namespace core
