// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas_axis.h"

#include <algorithm>
#include <cmath>

namespace ui {

bool Axis::sameSamples(int a, int b) const
{
    if (isSmooth())
        return false;
    for (int sample = 0; sample < samples; ++sample)
        if (index[sample][a] != index[sample][b])
            return false;
    return true;
}

Axis makeAxis(const AxisPlace& place, int from, int to)
{
    Axis axis;
    const auto clamped = [&](double position) {
        return std::clamp(static_cast<int>(std::floor(position)), 0, place.extent - 1);
    };
    if (place.smooth && place.scale > 1) {
        axis.samples = 2;
        for (int d = from; d < to; ++d) {
            const double position = (d + 0.5 - place.origin) / place.scale - 0.5;
            axis.index[0].push_back(clamped(position));
            axis.index[1].push_back(clamped(position + 1));
            axis.second.push_back(static_cast<int>(256 * (position - std::floor(position))));
        }
        return axis;
    }
    axis.samples = std::clamp(static_cast<int>(std::ceil(1 / place.scale - 1e-9)), 1, Axis::mostSamples);
    for (int s = 0; s < axis.samples; ++s)
        for (int d = from; d < to; ++d)
            axis.index[s].push_back(clamped((d + (s + 0.5) / axis.samples - place.origin) / place.scale));
    return axis;
}

} // namespace ui
