// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/condition.h"

#include <cstdint>
#include <optional>

namespace core {

/// The type in which kernels compare a stored dtype: itself for integers and floats, uint8_t for bool,
/// float for float16, bfloat16 and 8-bit floats (widening is exact, so an interval of float32 says it all).
template <class T>
using CompareType = T;

/// Every condition on a real dtype, in one form: an element v is hot when
///   v is NaN ? nanHot : ((lo <= v && v <= hi) != invert).
/// lo > hi is the empty interval. Comparisons are the type's own, so -0 equals 0.
template <class T>
struct Predicate
{
    T lo;
    T hi;
    bool invert = false;
    bool nanHot = false;

    constexpr bool operator()(T value) const
    {
        if (value != value)
            return nanHot;
        return (lo <= value && value <= hi) != invert;
    }
};

/// The predicate that a condition means for a dtype, T being its compare type (see CompareType).
/// torch comparison: T is first rounded or wrapped as PyTorch 2.11 does; exact: the tightest bounds representable in the dtype.
/// Throws Error for a complex dtype or one that T does not fit.
template <class T>
Predicate<T> makePredicate(const Condition& condition, DType dtype, Comparison comparison);

/// The thresholds actually compared, widened to float64 (cli.md's `threshold`): none for nan, inf, finite; two for between and
/// outside.
struct Threshold
{
    std::optional<double> a;
    std::optional<double> b;
    /// The same without loss when the threshold is compared as an integer.
    std::optional<__int128> integerA;
    std::optional<__int128> integerB;
};
Threshold comparedThreshold(const Condition& condition, DType dtype, Comparison comparison);

} // namespace core
