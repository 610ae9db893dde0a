// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/fade_cold.h"

#include "ui/number_text.h"
#include "ui/pixel_value.h"

#include <algorithm>
#include <cmath>

namespace ui {

core::Image fadeCold(const core::Frame& frame)
{
    core::Image image = *frame.picture;
    const auto& map = frame.map;
    const double span = frame.range.hi - frame.range.lo;
    if (!map || map->rank() != 2 || map->shape()[0] != image.height || map->shape()[1] != image.width || !(span > 0))
        return image;
    const bool diverging = frame.colors == core::ColorMap::coolwarm;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            const double value = toDouble(pixelValue(*map, y, x));
            if (!std::isfinite(value))
                continue;
            double part = std::clamp((value - frame.range.lo) / span, 0.0, 1.0);
            if (diverging)
                part = std::abs(2 * part - 1);
            std::uint32_t& pixel = image.row(y)[x];
            pixel = (pixel & 0x00ffffff) | static_cast<std::uint32_t>(std::lround(255 * std::sqrt(part))) << 24;
        }
    return image;
}

} // namespace ui
