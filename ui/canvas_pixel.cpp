// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas.h"
#include "ui/number_text.h"
#include "ui/pixel_value.h"

#include <algorithm>

namespace ui {

std::optional<CanvasPixel> Canvas::pixelAt(QPointF position) const
{
    const core::Image* picture = m_frame ? m_frame->picture.get() : nullptr;
    if (!picture || view().content().isEmpty())
        return {};
    const QPointF device = position * devicePixelRatioF();
    const auto at = pictureGeometry().pixelAt(device);
    if (!at || !geometry({1, 1}).pixelAt(device))
        return {};
    CanvasPixel pixel;
    if (isWall()) {
        const auto& grid = *m_frame->wall;
        const int tile = tileAt(grid, *at);
        if (tile < 0)
            return {};
        const QPoint inside = *at - tileRect(grid, tile).topLeft();
        pixel.channel = grid.channels[tile];
        pixel.x = static_cast<std::int64_t>(inside.x()) * grid.step;
        pixel.y = static_cast<std::int64_t>(inside.y()) * grid.step;
        pixel.step = grid.step;
        if (m_frame->tiles) {
            const auto& values = (*m_frame->tiles)[static_cast<std::size_t>(tile)];
            pixel.value = valueText(pixelValue(values, inside.y(), inside.x()), values.dtype());
        }
        if (m_frame->mask)
            pixel.hot = (*m_frame->mask)[static_cast<std::size_t>(at->y()) * picture->width + at->x()] != 0;
        return pixel;
    }
    pixel.x = at->x();
    pixel.y = at->y();
    const auto& map = m_frame->map;
    if (map && map->rank() == 2 && pixel.y < map->shape()[0] && pixel.x < map->shape()[1])
        pixel.value = valueText(pixelValue(*map, pixel.y, pixel.x), map->dtype());
    if (m_frame->mask)
        pixel.hot = (*m_frame->mask)[static_cast<std::size_t>(pixel.y) * picture->width + pixel.x] != 0;
    if (isOverImage())
        pixel.imagePixel = geometry({m_image->width, m_image->height}).pixelAt(device);
    return pixel;
}

int Canvas::currentTile() const
{
    const auto& channels = m_frame->wall->channels;
    const auto at = std::ranges::find(channels, m_currentChannel);
    return at == channels.end() ? -1 : static_cast<int>(at - channels.begin());
}

std::optional<QRectF> Canvas::crosshairRect() const
{
    if (!m_crosshair || !m_frame || !m_frame->picture || view().content().isEmpty())
        return {};
    QPoint pixel = *m_crosshair;
    if (isWall()) {
        const int tile = currentTile();
        if (tile < 0)
            return {};
        pixel =
            tileRect(*m_frame->wall, tile).topLeft() + QPoint(pixel.x() / m_frame->wall->step, pixel.y() / m_frame->wall->step);
    }
    return pictureGeometry().pixelRect(pixel.x(), pixel.y());
}

void Canvas::revealCrosshair()
{
    const auto rect = crosshairRect();
    if (!rect)
        return;
    const QPointF before = view().transform().origin;
    view().reveal(*rect);
    if (view().transform().origin != before)
        afterZoom();
}

} // namespace ui
