// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/fade_cold.h"

#include "core/render/row_kernels.h"
#include "core/render/rows.h"

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
    core::forRows(image.height, image.width, [&](int first, int end) {
        std::vector<double> room;
        for (int y = first; y != end; ++y)
            core::fade(core::rowOf(*map, y, room), scale, image.row(y));
    });
    return image;
}

} // namespace ui
