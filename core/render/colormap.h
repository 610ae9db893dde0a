// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/image.h"
#include "core/tensor.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// 256 colours of a matplotlib colour map, by its name.
enum class ColorMap { viridis, inferno, magma, plasma, cividis, turbo, gray, coolwarm };
std::string_view colorMapName(ColorMap map);
std::optional<ColorMap> colorMapFromName(std::string_view name);
const std::array<std::uint32_t, 256>& colorTable(ColorMap map);

/// Colours of values that have no place on the scale.
inline constexpr std::uint32_t nanColor = rgba(255, 0, 255);
inline constexpr std::uint32_t positiveInfColor = rgba(255, 255, 255);
inline constexpr std::uint32_t negativeInfColor = rgba(0, 0, 0);

/// How limits of the colour scale are found.
struct RangeChoice
{
    enum class Kind { automatic, typed, percentiles } kind = Kind::automatic;
    /// Typed limits, or percentiles 0..100.
    double lo = 0;
    double hi = 0;
    bool operator==(const RangeChoice&) const = default;
    /// "LO,HI", "auto" or "P1%,P2%". Throws UsageError.
    static RangeChoice parse(std::string_view text);
};

/// Limits of a colour scale in the map's units.
struct ValueRange
{
    double lo = 0;
    double hi = 0;
    bool operator==(const ValueRange&) const = default;
};

/// Limits for a real-valued map (any real dtype and strides): full finite range, typed, or percentiles of its finite values
/// (never a subsample). `symmetric` widens to [-m, m]. {0, 0} when nothing is finite.
ValueRange findRange(const Tensor& map, const RangeChoice& choice, bool symmetric);
/// True when any finite value is below zero.
bool hasNegative(const Tensor& map);

/// Colours a [H, W] map: index = min(255, floor(256 (v - lo) / (hi - lo))), below 0 clamps to 0; lo = hi gives index 0; NaN,
/// +inf, -inf have their own colours.
Image colorize(const Tensor& map, ValueRange range, ColorMap colors);

} // namespace core
