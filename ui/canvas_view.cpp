// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas_view.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr double largestScale = 256;
/// Part of the content, in device pixels, that panning leaves in sight.
constexpr double kept = 48;

} // namespace

void CanvasView::setContent(QSize content)
{
    if (content == m_content)
        return;
    m_content = content;
    fit();
}

void CanvasView::setCanvas(QSize canvas)
{
    if (canvas == m_canvas)
        return;
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
    const auto room = [](int extent) { return std::max(1, extent - 2 * margin); };
    double scale = std::min(static_cast<double>(room(m_canvas.width())) / m_content.width(),
                            static_cast<double>(room(m_canvas.height())) / m_content.height());
    scale = std::min(scale, largestScale);
    m_transform.scale = scale >= 4 ? std::floor(scale) : scale;
    m_transform.origin = {std::round((m_canvas.width() - m_transform.scale * m_content.width()) / 2),
                          std::round((m_canvas.height() - m_transform.scale * m_content.height()) / 2)};
}

void CanvasView::zoomTo(double scale, QPointF device)
{
    if (m_content.isEmpty())
        return;
    const double smallest = std::min(1.0, 16.0 / std::max(m_content.width(), m_content.height()));
    scale = std::clamp(scale, smallest, largestScale);
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

void CanvasView::keepInSight()
{
    const auto kept1 = [](double origin, double extent, double canvas) {
        const double least = std::min({kept, extent, canvas});
        return std::clamp(origin, least - extent, std::max(canvas - least, least - extent));
    };
    const QRectF shown = deviceRect();
    m_transform.origin = {kept1(shown.x(), shown.width(), m_canvas.width()),
                          kept1(shown.y(), shown.height(), m_canvas.height())};
}

} // namespace ui
