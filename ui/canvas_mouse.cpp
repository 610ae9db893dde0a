// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas.h"

#include <QApplication>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr double zoomStep = 1.25;

} // namespace

void Canvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_pressed = m_dragged = event->position();
    m_panning = false;
}

void Canvas::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        const bool far = (event->position() - m_pressed).manhattanLength() >= QApplication::startDragDistance();
        if (far && !m_panning) {
            m_panning = true;
            setCursor(Qt::ClosedHandCursor);
        }
        if (m_panning) {
            view().pan((event->position() - m_dragged) * devicePixelRatioF());
            m_dragged = event->position();
            afterZoom();
            return;
        }
    }
    hover(event->position());
}

void Canvas::mouseReleaseEvent(QMouseEvent* event)
{
    unsetCursor();
    if (m_panning || event->button() != Qt::LeftButton) {
        m_panning = false;
        return;
    }
    const auto pixel = pixelAt(event->position());
    if (!pixel)
        return;
    if (pixel->channel)
        Q_EMIT channelClicked(*pixel->channel);
    else
        Q_EMIT pixelClicked(QPoint(static_cast<int>(pixel->x), static_cast<int>(pixel->y)));
}

void Canvas::leaveEvent(QEvent*)
{
    m_cursor.reset();
    m_hoveredTile = -1;
    update();
    Q_EMIT hoverEnded();
}

void Canvas::wheelEvent(QWheelEvent* event)
{
    const int delta = event->angleDelta().y();
    if (delta == 0)
        return;
    if (event->modifiers() & Qt::ControlModifier) {
        Q_EMIT depthStepRequested(delta > 0 ? -1 : 1);
        return;
    }
    view().zoomTo(zoom() * std::pow(zoomStep, delta / 120.0), event->position() * devicePixelRatioF());
    afterZoom();
    hover(event->position());
}

void Canvas::hover(QPointF position)
{
    m_cursor = position;
    const auto pixel = pixelAt(position);
    int tile = -1;
    if (pixel && pixel->channel) {
        const auto& channels = m_frame->wall->channels;
        tile = static_cast<int>(std::ranges::find(channels, *pixel->channel) - channels.begin());
    }
    if (tile != m_hoveredTile) {
        m_hoveredTile = tile;
        update();
    }
    if (pixel)
        Q_EMIT hovered(*pixel);
    else
        Q_EMIT hoverEnded();
}

QPointF Canvas::zoomCentre() const
{
    return (m_cursor ? *m_cursor : QPointF(rect().center())) * devicePixelRatioF();
}

} // namespace ui
