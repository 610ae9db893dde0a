// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/condition.h"

#include <string>

namespace core {

/// A number in base ten without rounding: 0.d1d2d3... x 10^exponent with d1 > 0; no digits is zero. Made to compare a typed
/// threshold with stored values as real numbers.
struct Decimal
{
    bool negative = false;
    bool infinite = false;
    std::string digits;
    std::int64_t exponent = 0;

    /// Exactly the number that was written: the integer, the typed text, or the float64 where there is no text. Not for NaN.
    static Decimal of(const Number& number);
    /// The exact value of a float64 that is not NaN.
    static Decimal of(double value);
    static Decimal of(__int128 value);
    /// A number of Number::parse's grammar ("-12.50e3", "inf").
    static Decimal parse(std::string_view text);

    bool isInteger() const { return !infinite && static_cast<std::int64_t>(digits.size()) <= exponent; }
    /// Largest integer <= the number, held within [-2^100, 2^100] (also for the infinities).
    __int128 floor() const;
};

/// Less than, equal or greater than zero as a is less than, equal to or greater than b.
int compare(const Decimal& a, const Decimal& b);

} // namespace core
