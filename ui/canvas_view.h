// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas_image.h"

namespace ui {

/// Zoom and position of one kind of picture on the canvas. All in device pixels.
class CanvasView
{
public:
    /// Room left free around fitted content.
    static constexpr int margin = 12;

    const ViewTransform& transform() const { return m_transform; }
    QSize content() const { return m_content; }
    /// Whether the content is kept fitted when the canvas or the content changes its size.
    bool isFitted() const { return m_fitted; }

    /// A content of another size is fitted anew; the same size keeps zoom and position.
    void setContent(QSize content);
    void setCanvas(QSize canvas);
    /// As large as the canvas allows; whole device pixels per content pixel from 4 on, so that all are squares of one size.
    void fit();
    /// Zooms so that the content point under `device` stays there.
    void zoomTo(double scale, QPointF device);
    void pan(QPointF delta);
    /// Content and device rectangle of what is shown.
    QRectF deviceRect() const;

private:
    void keepInSight();

    QSize m_canvas;
    QSize m_content;
    ViewTransform m_transform;
    bool m_fitted = true;
};

} // namespace ui
