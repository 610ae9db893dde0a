// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/image.h"
#include "ui/canvas_axis.h"

#include <cstdint>
#include <memory>

namespace ui {

/// What a thread reuses from row to row of an image layer.
class ImageScratch
{
public:
    ImageScratch();
    ~ImageScratch();

private:
    friend class ImageLayer;
    struct Rows;
    std::unique_ptr<Rows> m_rows;
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
    std::uint32_t averageOf(int x, int y) const;
    void readShrunk(int y, int from, int to, std::uint32_t* out, ImageScratch::Rows& rows) const;
    void readTranslucent(int y, int from, int to, std::uint32_t* out, ImageScratch::Rows& rows) const;
    void readSmooth(int y, int from, int to, std::uint32_t* out, ImageScratch::Rows& rows) const;

    const core::Image* m_image = nullptr;
    Axes m_axes;
};

} // namespace ui
