// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/number_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace core::report {

namespace {

/// The word for a value that is no number, or "".
std::string_view wordOf(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "Infinity" : "-Infinity";
    return "";
}

} // namespace

std::string numberText(double value)
{
    if (const auto word = wordOf(value); !word.empty())
        return std::string(word);
    // Plain to_chars would write 100000 as 1e+05; the exponents at which Python changes its notation are what people know.
    constexpr double leastPlain = 1e-4;
    constexpr double firstScientific = 1e16;
    const double size = std::fabs(value);
    const bool plain = size == 0 || (size >= leastPlain && size < firstScientific);
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific)
                         .ptr;
    std::string text(buffer.data(), end);
    if (plain && text.find('.') == std::string::npos)
        text += ".0";
    return text;
}

std::string numberText(__int128 value)
{
    return fmt::format("{}", value);
}

std::string numberText(const Scalar& value)
{
    return std::visit(
        [](auto number) {
            if constexpr (std::is_floating_point_v<decltype(number)>)
                return numberText(static_cast<double>(number));
            else
                return fmt::format("{}", number);
        },
        value);
}

std::string roundedText(double value)
{
    if (const auto word = wordOf(value); !word.empty())
        return std::string(word);
    std::array<char, 32> buffer;
    constexpr int digits = 6;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits).ptr;
    return std::string(buffer.data(), end);
}

bool fits64(__int128 value)
{
    return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::uint64_t>::max();
}

} // namespace core::report
