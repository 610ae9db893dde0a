// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/colormap.h"

#include <span>

namespace core {

/// Turns values into colours by the formula of colorize().
class Scale
{
public:
    Scale(ValueRange range, ColorMap colors);
    /// One colour per value; `out` holds as many.
    void paint(std::span<const double> values, std::uint32_t* out) const;

private:
    const std::array<std::uint32_t, 256>* m_colors;
    double m_shrink = 1;
    double m_lo = 0;
    double m_width = 0;
};

} // namespace core
