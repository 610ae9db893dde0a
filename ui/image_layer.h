// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/image.h"
#include "ui/canvas_axis.h"

#include <cstdint>
#include <vector>

namespace ui {

/// What a thread reuses from row to row of an image layer.
struct ImageScratch
{
    /// Sums of the parts of pixels above each other, and of all that make a device pixel: red, green, blue, alpha each.
    std::vector<std::uint16_t> columns;
    std::vector<std::uint16_t> pixels;
};

/// An image seen through axes. Several threads may read it at once, each with a scratch of its own.
class ImageLayer
{
public:
    ImageLayer() = default;
    /// `image` must outlive the layer.
    ImageLayer(const core::Image& image, Axes axes);

    bool isEmpty() const { return !m_image; }
    const Axes& axes() const { return m_axes; }
    /// Device pixels [from, to) of device row `y`, not premultiplied: averages weighted with alpha, so that transparent pixels
    /// lend no colour. `out` holds the pixel `from` first.
    void read(int y, int from, int to, std::uint32_t* out, ImageScratch& scratch) const;

private:
    /// Whether all pixels are opaque that the row takes. Only then it is written, faster than others are.
    bool readOpaque(int y, int from, int to, std::uint32_t* out, ImageScratch& scratch) const;

    const core::Image* m_image = nullptr;
    Axes m_axes;
};

} // namespace ui
