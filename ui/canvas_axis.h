// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ui {

/// For each device pixel of a row or column: which pixels of a layer it takes, and how much of each.
struct Axis
{
    int samples = 1;
    /// `samples` layer indices per device pixel, never falling.
    std::vector<int> index;
    /// Bilinear: part of the second of two samples, 0..255 of 256. Empty: all samples count alike.
    std::vector<int> weight;

    /// The samples of a device pixel.
    const int* at(int pixel) const { return index.data() + static_cast<std::ptrdiff_t>(pixel) * samples; }
    /// How much sample `sample` of a device pixel counts: of 256 where bilinear, else of `samples`.
    unsigned weightOf(int pixel, int sample) const
    {
        return weight.empty() ? 1U : static_cast<unsigned>(sample ? weight[pixel] : 256 - weight[pixel]);
    }
    bool sameSamples(int a, int b) const;
    /// Layer indices [first, second) that device pixels [from, to) lie between; at least one pixel.
    std::pair<int, int> range(int from, int to) const { return {*at(from), *(at(to) - 1) + 1}; }
};

/// Which pixels of a layer each device pixel takes.
struct Axes
{
    Axis x;
    Axis y;

    /// Weight of a sample from the weights along both axes: of 4096 and at most 3 more where both are bilinear.
    static unsigned product(unsigned weightY, unsigned weightX) { return (weightY * weightX + 15) / 16; }
    unsigned weight(int pixelX, int pixelY, int sampleX, int sampleY) const
    {
        return product(y.weightOf(pixelY, sampleY), x.weightOf(pixelX, sampleX));
    }
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
