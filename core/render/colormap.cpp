// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/colormap.h"

#include "core/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace core {

namespace {

constexpr std::array<std::string_view, 8> names = {"viridis", "inferno", "magma", "plasma",
                                                   "cividis", "turbo",   "gray",  "coolwarm"};

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> finiteNumber(std::string_view text)
{
    text = trimmed(text);
    if (text.size() > 1 && text[0] == '+' && text[1] != '-')
        text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<double> percentile(std::string_view text)
{
    text = trimmed(text);
    if (text.empty() || text.back() != '%')
        return std::nullopt;
    const auto value = finiteNumber(text.substr(0, text.size() - 1));
    return value && *value >= 0 && *value <= 100 ? value : std::nullopt;
}

} // namespace

std::string_view colorMapName(ColorMap map)
{
    return names.at(static_cast<std::size_t>(map));
}

std::optional<ColorMap> colorMapFromName(std::string_view name)
{
    const auto* found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        return std::nullopt;
    return static_cast<ColorMap>(found - names.begin());
}

RangeChoice RangeChoice::parse(std::string_view text)
{
    if (trimmed(text) == "auto")
        return {};
    const auto comma = text.find(',');
    if (comma != std::string_view::npos) {
        const auto first = text.substr(0, comma);
        const auto second = text.substr(comma + 1);
        if (const auto lo = finiteNumber(first), hi = finiteNumber(second); lo && hi && *lo <= *hi)
            return {Kind::typed, *lo, *hi};
        if (const auto lo = percentile(first), hi = percentile(second); lo && hi && *lo <= *hi)
            return {Kind::percentiles, *lo, *hi};
    }
    throw UsageError("Range \"" + std::string(text) +
                     "\" is not understood; write two limits as LO,HI (lower first), auto, or percentiles as 1%,99%");
}

} // namespace core
