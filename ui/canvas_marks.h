// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"
#include "ui/canvas_image.h"

#include <QPainter>

#include <optional>

namespace ui {

/// Where the pixels of a layer of `layer` pixels, stretched over `area` of the content, lie on the canvas, in device pixels.
struct LayerGeometry
{
    ViewTransform view;
    QRectF area;
    QSize layer;

    QPointF origin() const { return view.toDevice(area.topLeft()); }
    QSizeF pixelSize() const
    {
        return {view.scale * area.width() / layer.width(), view.scale * area.height() / layer.height()};
    }
    QRectF pixelRect(int x, int y) const
    {
        const QSizeF size = pixelSize();
        return {origin() + QPointF(x * size.width(), y * size.height()), size};
    }
    /// Device rectangle of a rectangle of layer pixels.
    QRectF deviceRect(QRect pixels) const
    {
        const QSizeF size = pixelSize();
        return {origin() + QPointF(pixels.x() * size.width(), pixels.y() * size.height()),
                QSizeF(pixels.width() * size.width(), pixels.height() * size.height())};
    }
    /// Layer pixels that a canvas of `size` shows at least in part.
    QRect visible(QSize size) const;
    /// The layer pixel at a device position, or nothing outside.
    std::optional<QPoint> pixelAt(QPointF device) const;
};

/// Colour of hot pixels.
QColor maskColor();

/// What is drawn on top of the composed picture. The painter works in device pixels; `size` is the canvas'.

/// A thin frame around the part of a picture that a network got; nothing where that is all of it.
void drawArea(QPainter& painter, const QRectF& area, const QRectF& picture);
/// Edges between hot and other pixels.
void drawOutline(QPainter& painter, const LayerGeometry& geometry, std::span<const std::uint8_t> mask, QSize size,
                 QColor color);
/// Each visible pixel's value in its square, black or white by the colours below it in `picture`, with a rim where they vary.
/// Nothing where squares are too small for it.
void drawValues(QPainter& painter, const LayerGeometry& geometry, const core::Tensor& map, const QImage& picture);
/// Lines through a pixel (its device rectangle) across `room`, leaving the pixel itself free.
void drawCrosshair(QPainter& painter, const QRectF& pixel, const QRectF& room);

/// Marks of a wall: channel numbers on tiles large enough, a frame around the current and the pointed-at tile.
struct WallMarks
{
    std::int64_t firstChannel = 0;
    std::int64_t current = -1;
    int hovered = -1;
};
/// The rectangle of tile `tile` in atlas pixels.
QRect tileRect(const core::WallGrid& grid, int tile);
/// The tile at an atlas pixel, or -1 in gaps and outside.
int tileAt(const core::WallGrid& grid, QPoint pixel);
void drawWall(QPainter& painter, const LayerGeometry& geometry, const core::WallGrid& grid, const WallMarks& marks, QSize size);

} // namespace ui
