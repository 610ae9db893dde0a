// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/both_sides.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace gpu {

/// How elements are stored on a device, as core::DType; bool is u8. All four 8-bit floats are f8: a table widens them.
enum class Stored { u8, i8, u16, i16, u32, i32, u64, i64, f8, f16, bf16, f32, f64 };

struct Float8
{
    std::uint8_t bits;
};
struct Half
{
    std::uint16_t bits;
};
struct BFloat16
{
    std::uint16_t bits;
};

template <class To, class From>
ACTISCOPE_BOTH To castBits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

/// Widening without loss, as core's.
ACTISCOPE_BOTH inline float widen(Half value)
{
#ifdef __CUDA_ARCH__
    // One instruction, as exact; but NaN may get other bits.
    float widened;
    asm("cvt.f32.f16 %0, %1;" : "=f"(widened) : "h"(value.bits));
    return widened;
#else
    const std::uint32_t sign = (value.bits & 0x8000u) << 16;
    const std::uint32_t exponent = value.bits >> 10 & 31u;
    const std::uint32_t fraction = value.bits & 1023u;
    if (exponent == 31)
        return castBits<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent > 0)
        return castBits<float>(sign | (exponent + 112) << 23 | fraction << 13);
    // A multiple of the smallest denormal number, 2^-24: a normal float32.
    const float magnitude = static_cast<float>(fraction) * 5.9604644775390625e-8f;
    return castBits<float>(sign | castBits<std::uint32_t>(magnitude));
#endif
}

ACTISCOPE_BOTH inline float widen(BFloat16 value)
{
    return castBits<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

/// Rounding to nearest, ties to even, as core's: step by step, so that every machine gives the same bits.
template <class S>
ACTISCOPE_BOTH S narrow(float value);

template <>
ACTISCOPE_BOTH inline Half narrow<Half>(float value)
{
    const auto bits = castBits<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return {static_cast<std::uint16_t>(sign | 0x7e00u)};
    // 65520 and above round to infinity.
    if (magnitude >= 0x477ff000u)
        return {static_cast<std::uint16_t>(sign | 0x7c00u)};
    if (magnitude < 0x38800000u) {
        // A subnormal number: adding 0.5 aligns its bits so that the addition rounds.
        const float aligned = castBits<float>(magnitude) + 0.5f;
        return {static_cast<std::uint16_t>(sign | (castBits<std::uint32_t>(aligned) - 0x3f000000u))};
    }
    const std::uint32_t rounded = magnitude + 0xc8000fffu + (magnitude >> 13 & 1u);
    return {static_cast<std::uint16_t>(sign | rounded >> 13)};
}

template <>
ACTISCOPE_BOTH inline BFloat16 narrow<BFloat16>(float value)
{
    if (value != value)
        return {0x7fc0};
    const auto bits = castBits<std::uint32_t>(value);
    return {static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

/// The type in which a stored type is compared.
template <class S>
using SeenOf = typename std::conditional<
    std::is_same<S, Half>::value || std::is_same<S, BFloat16>::value || std::is_same<S, Float8>::value, float, S>::type;

/// The type of a maximum over channels: float where it holds every stored value, else double.
template <class S>
using MapOf = typename std::conditional<(sizeof(S) <= 2) || std::is_same<S, float>::value, float, double>::type;

/// Values of a tensor on a device.
template <class S>
struct Values
{
    const S* first;
    /// The 256 values of the 8-bit float at hand.
    const float* float8;

    ACTISCOPE_BOTH SeenOf<S> operator[](std::int64_t index) const { return see(first[index]); }

    ACTISCOPE_BOTH SeenOf<S> see(S stored) const
    {
        if constexpr (std::is_same<S, Float8>::value)
            return float8[stored.bits];
        else if constexpr (std::is_same<S, Half>::value || std::is_same<S, BFloat16>::value)
            return widen(stored);
        else
            return stored;
    }
};

template <class T>
ACTISCOPE_BOTH bool isFinite(T value)
{
    if constexpr (std::is_floating_point<T>::value)
        return value - value == 0;
    else
        return true;
}

/// core::Predicate: which elements are hot.
template <class T>
struct Hot
{
    T lo;
    T hi;
    bool invert;
    bool nanHot;

    ACTISCOPE_BOTH bool operator()(T value) const
    {
        // Without branches, so that the next values are on their way meanwhile.
        const bool isInside = static_cast<int>(lo <= value) & static_cast<int>(value <= hi);
        return value != value ? nanHot : isInside != invert;
    }
};

/// Bits that order as the values do (see core::ValueCounter): of the stored type, of 8-bit floats as float32.
template <class S>
struct Keys
{
    using From = typename std::conditional<std::is_same<S, Float8>::value, float, S>::type;
    using Bits =
        typename std::conditional<sizeof(From) == 1, std::uint8_t,
                                  typename std::conditional<sizeof(From) == 2, std::uint16_t,
                                                            typename std::conditional<sizeof(From) == 4, std::uint32_t,
                                                                                      std::uint64_t>::type>::type>::type;
    static constexpr int bits = 8 * sizeof(Bits);

    ACTISCOPE_BOTH static std::uint64_t of(From value)
    {
        const Bits sign = static_cast<Bits>(Bits{1} << (bits - 1));
        const Bits raw = castBits<Bits>(value);
        if constexpr (std::is_integral<From>::value)
            return std::is_signed<From>::value ? static_cast<Bits>(raw ^ sign) : raw;
        else
            return static_cast<Bits>(raw & sign ? ~raw : raw | sign);
    }
};

ACTISCOPE_BOTH inline int countBits(std::uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return __popc(bits);
#else
    return __builtin_popcount(bits);
#endif
}

/// Place of the set bit that has `before` set bits below it.
ACTISCOPE_BOTH inline int placeOfBit(std::uint32_t bits, int before)
{
    for (; before > 0; --before)
        bits &= bits - 1;
    return countBits((bits & (~bits + 1)) - 1);
}

} // namespace gpu
