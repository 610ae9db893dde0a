// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace core {

/// A colour scale in numbers: a value v has colour min(255, floor(256 (v shrink - lo) / width)), below 0 colour 0.
struct ScaleNumbers
{
    /// 256 colours.
    const std::uint32_t* colors = nullptr;
    double shrink = 1;
    double lo = 0;
    double width = 1;
};

/// Writes the colour of each value; NaN and infinities get one of the colours too. Returns whether there were any.
bool paintFinite(std::span<const double> values, const ScaleNumbers& scale, std::uint32_t* out);

/// What one look at a row of values tells.
struct RowLimits
{
    /// Least and greatest finite value; infinity and its negative when there is none.
    double lo = 0;
    double hi = 0;
    /// Whether all values are finite.
    bool isFinite = true;
};
RowLimits limitsOf(std::span<const double> values);

/// Gives pixels of finite values the alpha round(255 sqrt(p)), where p is the place (v - lo) / span within 0 .. 1; `diverging`:
/// |2 p - 1| in place of p.
struct FadeScale
{
    double lo = 0;
    double span = 1;
    bool diverging = false;
};
void fade(std::span<const double> values, const FadeScale& scale, std::uint32_t* pixels);

/// float32 values, as many as `out` holds, of any alignment, in float64.
void widen(const std::byte* values, std::span<double> out);

} // namespace core
