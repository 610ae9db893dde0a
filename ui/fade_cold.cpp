// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/fade_cold.h"

#include "core/render/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <vector>

namespace ui {
namespace {

/// Alpha of values in place of the alpha of their pixels.
void fadeRow(std::span<const double> values, core::ValueRange range, bool diverging, std::uint32_t* pixels)
{
    const double span = range.hi - range.lo;
    for (std::size_t x = 0; x < values.size(); ++x) {
        double part = (values[x] - range.lo) / span;
        // NaN falls to 0 here: the comparison is false.
        part = part > 0 ? std::min(part, 1.0) : 0.0;
        part = diverging ? std::abs(2 * part - 1) : part;
        const double alpha = 255 * std::sqrt(part);
        const auto whole = static_cast<std::int32_t>(alpha);
        const std::uint32_t rounded = static_cast<std::uint32_t>(whole) + (alpha - whole >= 0.5 ? 1 : 0);
        const bool isFinite = std::abs(values[x]) <= std::numeric_limits<double>::max();
        pixels[x] = isFinite ? (pixels[x] & 0x00ffffff) | rounded << 24 : pixels[x];
    }
}

} // namespace

core::Image fadeCold(const core::Frame& frame)
{
    core::Image image = *frame.picture;
    const auto& map = frame.map;
    if (!map || map->rank() != 2 || map->shape()[0] != image.height || map->shape()[1] != image.width ||
        !(frame.range.hi - frame.range.lo > 0))
        return image;
    const bool diverging = frame.colors == core::ColorMap::coolwarm;
    constexpr int leastPixels = 1 << 14;
    const auto grain = static_cast<std::size_t>(std::max(1, leastPixels / std::max(1, image.width)));
    tbb::parallel_for(tbb::blocked_range<int>(0, image.height, grain), [&](const auto& rows) {
        std::vector<double> values(static_cast<std::size_t>(image.width));
        for (int y = rows.begin(); y != rows.end(); ++y) {
            core::readRow(*map, y, values);
            fadeRow(values, frame.range, diverging, image.row(y));
        }
    });
    return image;
}

} // namespace ui
