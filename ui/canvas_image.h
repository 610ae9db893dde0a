// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/image.h"

#include <QColor>
#include <QImage>
#include <QPointF>
#include <QRectF>
#include <QSize>

#include <cstdint>
#include <span>
#include <vector>

namespace ui {

/// Where the content lies on the canvas, in device pixels: content point p is shown at origin + scale * p.
struct ViewTransform
{
    double scale = 1;
    QPointF origin;

    QPointF toDevice(QPointF content) const { return origin + scale * content; }
    QPointF toContent(QPointF device) const { return (device - origin) / scale; }
};

/// What lies on the canvas. The base is stretched over the whole content, `over` and `mask` over `area`, so that pixel centres
/// of layers of different sizes meet (pixel i of n has its centre at (i + 0.5) / n of the extent).
struct CanvasScene
{
    /// Extent of the content in its own pixels: the size of `base`.
    QSize content;
    const core::Image* base = nullptr;
    /// Where `over` and `mask` lie, in content pixels; null for all of the content. What passes the content is not shown.
    QRectF area;
    /// Laid over the base with `opacity`, or null.
    const core::Image* over = nullptr;
    /// Hot pixels (1), row-major, of size `maskSize`; painted in `maskColor` with `opacity`. Empty: none.
    std::span<const std::uint8_t> mask;
    QSize maskSize;
    QColor maskColor;
    double opacity = 1;
    /// Bilinear instead of nearest for `over` and `mask`.
    bool smooth = false;
    QColor ground;
    QColor checkerLight;
    QColor checkerDark;
    /// Side of the checkerboard's squares in device pixels.
    int checkerSize = 8;
};

/// The part of the scene that a canvas of `size` device pixels shows, opaque (Format_RGB32). Enlarged pixels are squares of
/// equal colour; when several pixels fall on one, up to 4 x 4 of them are averaged.
/// `room`: an image that is painted over if it is of that kind, since fresh memory costs more than much of the painting.
QImage composeCanvas(const CanvasScene& scene, const ViewTransform& view, QSize size, QImage room = {});

/// Hot pixels that touch a pixel that is not (4-neighbours), the picture's edge included.
std::vector<std::uint8_t> maskOutline(std::span<const std::uint8_t> mask, QSize size);

} // namespace ui
