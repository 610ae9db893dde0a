// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <utility>
#include <vector>

namespace ui {

/// For each device pixel of a row or column: which pixels of a layer it takes, and how much of each.
struct Axis
{
    static constexpr int mostSamples = 4;

    int samples = 1;
    /// For sample i, the layer's pixel of each device pixel: never falling, neither along the axis nor with i.
    std::array<std::vector<int>, mostSamples> index;
    /// Bilinear: part of the second of two samples, 0..255 of 256. Empty: all samples count alike.
    std::vector<int> second;

    bool isSmooth() const { return !second.empty(); }
    /// How much sample `sample` of a device pixel counts: of 256 where bilinear, else 1.
    unsigned weight(int pixel, int sample) const
    {
        if (!isSmooth())
            return 1;
        return static_cast<unsigned>(sample == 0 ? 256 - second[pixel] : second[pixel]);
    }
    /// Whether two device pixels are the same for sure.
    bool sameSamples(int a, int b) const;
    /// Pixels [first, second) of the layer that device pixels [from, to), one at least, take.
    std::pair<int, int> range(int from, int to) const { return {index[0][from], index[samples - 1][to - 1] + 1}; }
};

/// Which pixels of a layer each device pixel takes.
struct Axes
{
    Axis x;
    Axis y;
};

/// Where the samples of device pixels lie on a layer.
struct AxisPlace
{
    /// Device position of the layer's edge.
    double origin = 0;
    /// Device pixels per layer pixel.
    double scale = 1;
    /// Pixels of the layer.
    int extent = 1;
    /// Bilinear instead of nearest where the layer is enlarged.
    bool smooth = false;
};

/// Of device pixels [from, to): one sample each where a layer is enlarged, up to 4 that cover the pixel where it is shrunk.
Axis makeAxis(const AxisPlace& place, int from, int to);

} // namespace ui
