// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas_view.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

/// Window pixels per content pixel.
constexpr double largestScale = 256;
/// Window pixels of content left in sight beside a hole.
constexpr double leastBesideHole = 48;

} // namespace

void CanvasView::setContent(QSize content, QRect hole)
{
    m_hole = hole;
    if (content == m_content)
        return;
    m_content = content;
    fit();
}

void CanvasView::setCanvas(QSize canvas, double ratio)
{
    if (canvas == m_canvas && ratio == m_ratio)
        return;
    m_ratio = ratio;
    const QPointF growth(canvas.width() - m_canvas.width(), canvas.height() - m_canvas.height());
    m_canvas = canvas;
    if (m_fitted)
        fit();
    else
        pan(growth / 2);
}

void CanvasView::fit()
{
    m_fitted = true;
    if (m_content.isEmpty() || m_canvas.isEmpty())
        return;
    const auto room = [this](int extent) { return std::max(1.0, extent - 2 * margin * m_ratio); };
    double scale = std::min(room(m_canvas.width()) / m_content.width(), room(m_canvas.height()) / m_content.height());
    scale = std::min(scale, largestScale * m_ratio);
    m_transform.scale = scale >= 4 ? std::floor(scale) : scale;
    m_transform.origin = {std::round((m_canvas.width() - m_transform.scale * m_content.width()) / 2),
                          std::round((m_canvas.height() - m_transform.scale * m_content.height()) / 2)};
}

void CanvasView::zoomTo(double scale, QPointF device)
{
    if (m_content.isEmpty())
        return;
    const double smallest = std::min(1.0, 16.0 / std::max(m_content.width(), m_content.height()));
    scale = std::clamp(scale, smallest, largestScale * m_ratio);
    const QPointF anchor = m_transform.toContent(device);
    m_transform.scale = scale;
    m_transform.origin = device - scale * anchor;
    m_fitted = false;
    keepInSight();
}

void CanvasView::pan(QPointF delta)
{
    m_transform.origin += delta;
    m_fitted = false;
    keepInSight();
}

QRectF CanvasView::deviceRect() const
{
    return {m_transform.origin, QSizeF(m_content) * m_transform.scale};
}

void CanvasView::reveal(QRectF device)
{
    const bool fits = device.width() <= m_canvas.width() && device.height() <= m_canvas.height();
    const QRectF seen = fits ? device : QRectF(device.center(), QSizeF(1, 1));
    if (m_content.isEmpty() || QRectF({}, QSizeF(m_canvas)).contains(seen))
        return;
    pan(QPointF(m_canvas.width() / 2.0, m_canvas.height() / 2.0) - device.center());
}

void CanvasView::keepInSight()
{
    const auto inSight = [](double origin, double extent, double canvas) {
        const double least = std::min(extent, canvas / 2);
        return std::clamp(origin, least - extent, canvas - least);
    };
    const QRectF shown = deviceRect();
    m_transform.origin = {inSight(shown.x(), shown.width(), m_canvas.width()),
                          inSight(shown.y(), shown.height(), m_canvas.height())};
    const QPointF hole = m_transform.toDevice(m_hole.topLeft());
    const double least = leastBesideHole * m_ratio;
    if (!m_hole.isEmpty() && hole.x() < least && hole.y() < least)
        m_transform.origin.rx() += least - hole.x();
}

} // namespace ui
