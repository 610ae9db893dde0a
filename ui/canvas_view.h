// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas_image.h"

namespace ui {

/// Zoom and position of one kind of picture on the canvas. All in device pixels, except where `ratio` of them make one of the
/// window's.
class CanvasView
{
public:
    /// Room left free around fitted content, in the window's pixels.
    static constexpr int margin = 12;

    const ViewTransform& transform() const { return m_transform; }
    QSize content() const { return m_content; }
    /// Whether the content is kept fitted when the canvas or the content changes its size.
    bool isFitted() const { return m_fitted; }

    /// A content of another size is fitted anew; the same size keeps zoom and position. `hole`: its lower right corner where
    /// nothing is painted, if any.
    void setContent(QSize content, QRect hole = {});
    void setCanvas(QSize canvas, double ratio = 1);
    /// As large as the canvas allows; whole device pixels per content pixel from 4 on, so that all are squares of one size.
    void fit();
    /// Zooms so that the content point under `device` stays there.
    void zoomTo(double scale, QPointF device);
    /// Stops where all of the content is in sight, or half the canvas is full of it.
    void pan(QPointF delta);
    /// Brings a device rectangle to the middle unless it is in sight (of one larger than the canvas: its centre).
    void reveal(QRectF device);
    /// Content and device rectangle of what is shown.
    QRectF deviceRect() const;

private:
    void keepInSight();

    QSize m_canvas;
    double m_ratio = 1;
    QSize m_content;
    QRect m_hole;
    ViewTransform m_transform;
    bool m_fitted = true;
};

} // namespace ui
