// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/fade_cold.h"

#include "core/render/row_kernels.h"
#include "core/render/rows.h"

#include <algorithm>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <vector>

namespace ui {

core::Image fadeCold(const core::Frame& frame)
{
    core::Image image = *frame.picture;
    const auto& map = frame.map;
    if (!map || map->rank() != 2 || map->shape()[0] != image.height || map->shape()[1] != image.width ||
        !(frame.range.hi - frame.range.lo > 0))
        return image;
    const core::FadeScale scale{frame.range.lo, frame.range.hi - frame.range.lo, frame.colors == core::ColorMap::coolwarm};
    constexpr int leastPixels = 1 << 14;
    const auto grain = static_cast<std::size_t>(std::max(1, leastPixels / std::max(1, image.width)));
    tbb::parallel_for(tbb::blocked_range<int>(0, image.height, grain), [&](const auto& rows) {
        std::vector<double> room;
        for (int y = rows.begin(); y != rows.end(); ++y)
            core::fade(core::rowOf(*map, y, room), scale, image.row(y));
    });
    return image;
}

} // namespace ui
