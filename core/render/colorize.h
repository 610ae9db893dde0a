// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/colormap.h"
#include "core/render/row_kernels.h"

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
    ScaleNumbers m_numbers;
};

} // namespace core
