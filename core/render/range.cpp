// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/range.h"

#include <algorithm>
#include <cmath>

namespace core {

ColorChoice chooseColors(const MapFacts& facts, bool isCount, std::optional<ColorMap> chosen)
{
    const bool isSigned = facts.hasNegative() && !isCount;
    const auto usual = isCount ? ColorMap::inferno : isSigned ? ColorMap::coolwarm : ColorMap::viridis;
    const auto colors = chosen.value_or(usual);
    return {colors, isSigned && colors == ColorMap::coolwarm};
}

ColorChoice defaultColors(const Tensor& map, bool isCount)
{
    return chooseColors(inspect(map), isCount, std::nullopt);
}

double percentileOf(std::vector<double>& values, double percent)
{
    const double rank = percent / 100 * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::ptrdiff_t>(std::floor(rank));
    const double weight = rank - static_cast<double>(below);
    std::nth_element(values.begin(), values.begin() + below, values.end());
    const double lower = values[static_cast<std::size_t>(below)];
    if (weight == 0)
        return lower;
    const double upper = *std::min_element(values.begin() + below + 1, values.end());
    return weight < 0.5 ? lower + weight * (upper - lower) : upper - (upper - lower) * (1 - weight);
}

ValueRange findRange(std::span<const Tensor> maps, const RangeChoice& choice, bool symmetric, const MapFacts& facts)
{
    if (choice.kind == RangeChoice::Kind::typed)
        return {choice.lo, choice.hi};
    if (!facts.hasFinite())
        return {};
    ValueRange range{facts.lo, facts.hi};
    if (choice.kind == RangeChoice::Kind::percentiles) {
        std::vector<double> values;
        for (const auto& map : maps)
            appendFinite(map, values);
        range = {percentileOf(values, choice.lo), percentileOf(values, choice.hi)};
    }
    if (symmetric) {
        const double most = std::max(std::abs(range.lo), std::abs(range.hi));
        range = {-most, most};
    }
    return range;
}

ValueRange findRange(const Tensor& map, const RangeChoice& choice, bool symmetric)
{
    return findRange({&map, 1}, choice, symmetric, inspect(map));
}

bool hasNegative(const Tensor& map)
{
    return inspect(map).hasNegative();
}

} // namespace core
