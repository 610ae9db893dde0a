// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace core {
namespace {

/// Cuts zeros at both ends, so that equal numbers have equal digits.
void normalise(Decimal& number)
{
    const std::size_t first = number.digits.find_first_not_of('0');
    if (first == std::string::npos) {
        number.digits.clear();
        number.exponent = 0;
        number.negative = false;
        return;
    }
    number.digits.erase(0, first);
    number.exponent -= static_cast<std::int64_t>(first);
    number.digits.erase(number.digits.find_last_not_of('0') + 1);
}

/// The power after 'e'; held within +-10^15, far past any dtype, when the text has more digits than an int64 holds.
std::int64_t parseExponent(std::string_view text)
{
    constexpr std::int64_t far = 1'000'000'000'000'000;
    if (text.starts_with('+'))
        text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
        return text.starts_with('-') ? -far : far;
    return std::clamp(value, -far, far);
}

int compareMagnitudes(const Decimal& a, const Decimal& b)
{
    if (a.infinite || b.infinite)
        return static_cast<int>(a.infinite) - static_cast<int>(b.infinite);
    if (a.digits.empty() || b.digits.empty())
        return static_cast<int>(!a.digits.empty()) - static_cast<int>(!b.digits.empty());
    if (a.exponent != b.exponent)
        return a.exponent < b.exponent ? -1 : 1;
    return a.digits.compare(b.digits);
}

} // namespace

Decimal Decimal::parse(std::string_view text)
{
    Decimal number;
    if (text.starts_with('-') || text.starts_with('+')) {
        number.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    if (text == "inf") {
        number.infinite = true;
        return number;
    }
    const std::size_t e = text.find_first_of("eE");
    const std::string_view mantissa = text.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    number.digits = mantissa.substr(0, point);
    if (point < mantissa.size())
        number.digits += mantissa.substr(point + 1);
    number.exponent = static_cast<std::int64_t>(point);
    if (e != std::string_view::npos)
        number.exponent += parseExponent(text.substr(e + 1));
    normalise(number);
    return number;
}

Decimal Decimal::of(double value)
{
    if (std::isinf(value))
        return parse(value < 0 ? "-inf" : "inf");
    // 767 digits hold every float64 exactly.
    return parse(fmt::format("{:.766e}", value));
}

Decimal Decimal::of(__int128 value)
{
    return parse(fmt::format("{}", value));
}

Decimal Decimal::of(const Number& number)
{
    if (number.isInteger)
        return of(number.integer);
    return number.text.empty() ? of(number.real) : parse(number.text);
}

__int128 Decimal::floor() const
{
    constexpr __int128 far = static_cast<__int128>(1) << 100;
    // 10^30 < 2^100 < 10^31.
    if (infinite || exponent > 30)
        return negative ? -far : far;
    __int128 magnitude = 0;
    for (std::int64_t i = 0; i < exponent; ++i)
        magnitude =
            magnitude * 10 + (i < static_cast<std::int64_t>(digits.size()) ? digits[static_cast<std::size_t>(i)] - '0' : 0);
    if (!negative)
        return magnitude;
    return isInteger() ? -magnitude : -magnitude - 1;
}

int compare(const Decimal& a, const Decimal& b)
{
    if (a.negative != b.negative)
        return a.negative ? -1 : 1;
    return a.negative ? compareMagnitudes(b, a) : compareMagnitudes(a, b);
}

} // namespace core
