// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas_axis.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr int mostSamples = 4;

} // namespace

bool Axis::sameSamples(int a, int b) const
{
    return weight.empty() && std::equal(at(a), at(a) + samples, at(b));
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
            axis.index.insert(axis.index.end(), {clamped(position), clamped(position + 1)});
            axis.weight.push_back(static_cast<int>(256 * (position - std::floor(position))));
        }
        return axis;
    }
    axis.samples = std::clamp(static_cast<int>(std::ceil(1 / place.scale - 1e-9)), 1, mostSamples);
    for (int d = from; d < to; ++d)
        for (int s = 0; s < axis.samples; ++s)
            axis.index.push_back(clamped((d + (s + 0.5) / axis.samples - place.origin) / place.scale));
    return axis;
}

} // namespace ui
