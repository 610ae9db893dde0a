// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas_marks.h"

#include "core/render/render.h"
#include "ui/number_text.h"
#include "ui/pixel_value.h"

#include <QFontMetricsF>

#include <cmath>

namespace ui {
namespace {

constexpr double smallestValueWidth = 44;
constexpr double smallestValueHeight = 16;
constexpr double smallestLabelledTile = 34;
/// Seen on every colour map and on both grounds.
constexpr QRgb currentTileColor = 0xff4da3ff;

QFont smallFont(const QPainter& painter)
{
    QFont font = painter.font();
    font.setPixelSize(qRound(11 * painter.device()->devicePixelRatioF()));
    return font;
}

/// Four significant digits: what fits into a pixel; the exact value is in the status line.
QString shortValue(const core::Scalar& value, core::DType dtype)
{
    const auto* real = std::get_if<double>(&value);
    if (!real)
        return valueText(value, dtype);
    if (!std::isfinite(*real))
        return valueText(*real, dtype);
    return QString::number(*real, 'g', 4);
}

/// Darkest and brightest grey, and the mean, of a part of a picture; from a few of its pixels.
struct Ground
{
    int darkest = 255;
    int brightest = 0;
    int mean = 0;
};

Ground groundOf(const QImage& picture, const QRectF& part)
{
    constexpr int columns = 12;
    constexpr int rows = 4;
    const QRectF inside = part & QRectF(0, 0, picture.width() - 1, picture.height() - 1);
    Ground ground;
    int sum = 0;
    for (int i = 0; i < columns * rows; ++i) {
        const QPointF at(inside.left() + inside.width() * (i % columns) / (columns - 1),
                         inside.top() + inside.height() * (i / columns) / (rows - 1));
        const int grey = qGray(picture.pixel(at.toPoint()));
        ground.darkest = std::min(ground.darkest, grey);
        ground.brightest = std::max(ground.brightest, grey);
        sum += grey;
    }
    ground.mean = sum / (columns * rows);
    return ground;
}

/// Black or white, whichever is seen on the picture below; with a rim of the other where that is of many colours.
void drawLegibly(QPainter& painter, const QRectF& rect, const QString& text, const Ground& ground)
{
    constexpr int flat = 64;
    const bool dark = ground.mean > 127;
    const double ratio = painter.device()->devicePixelRatioF();
    if (ground.brightest - ground.darkest > flat) {
        painter.setPen(dark ? Qt::white : Qt::black);
        for (const double x : {-ratio, 0.0, ratio})
            for (const double y : {-ratio, 0.0, ratio})
                painter.drawText(rect.translated(x, y), Qt::AlignCenter | Qt::TextSingleLine, text);
    }
    painter.setPen(dark ? Qt::black : Qt::white);
    painter.drawText(rect, Qt::AlignCenter | Qt::TextSingleLine, text);
}

} // namespace

QColor maskColor()
{
    return QColor::fromRgb(core::hotColor & 255, core::hotColor >> 8 & 255, core::hotColor >> 16 & 255);
}

QRect LayerGeometry::visible(QSize size) const
{
    const QSizeF pixel = pixelSize();
    const auto first = [](double origin, double extent) { return std::max(0, static_cast<int>(std::floor(-origin / extent))); };
    const auto last = [](double origin, double extent, int canvas, int count) {
        return std::min(count - 1, static_cast<int>(std::floor((canvas - origin) / extent)));
    };
    return {QPoint(first(origin().x(), pixel.width()), first(origin().y(), pixel.height())),
            QPoint(last(origin().x(), pixel.width(), size.width(), layer.width()),
                   last(origin().y(), pixel.height(), size.height(), layer.height()))};
}

std::optional<QPoint> LayerGeometry::pixelAt(QPointF device) const
{
    const QPointF at = view.toContent(device) - area.topLeft();
    const int x = static_cast<int>(std::floor(at.x() * layer.width() / area.width()));
    const int y = static_cast<int>(std::floor(at.y() * layer.height() / area.height()));
    if (x < 0 || y < 0 || x >= layer.width() || y >= layer.height())
        return {};
    return QPoint(x, y);
}

void drawArea(QPainter& painter, const QRectF& area, const QRectF& picture)
{
    if (area.adjusted(-0.5, -0.5, 0.5, 0.5).contains(picture))
        return;
    const double ratio = painter.device()->devicePixelRatioF();
    painter.setBrush(Qt::NoBrush);
    // White over black: seen on every colour.
    for (const auto& [color, width] : {std::pair{QColor(0, 0, 0, 150), 3.0}, std::pair{QColor(255, 255, 255), 1.0}}) {
        QPen pen(color, width * ratio);
        pen.setJoinStyle(Qt::MiterJoin);
        painter.setPen(pen);
        painter.drawRect(area);
    }
}

void drawOutline(QPainter& painter, const LayerGeometry& geometry, std::span<const std::uint8_t> mask, QSize size, QColor color)
{
    const int width = geometry.layer.width();
    const int height = geometry.layer.height();
    const auto hot = [&](int x, int y) {
        return x >= 0 && y >= 0 && x < width && y < height && mask[static_cast<std::size_t>(y) * width + x];
    };
    QList<QLineF> lines;
    const QRect visible = geometry.visible(size);
    for (int y = visible.top(); y <= visible.bottom(); ++y)
        for (int x = visible.left(); x <= visible.right(); ++x) {
            if (!hot(x, y))
                continue;
            const QRectF r = geometry.pixelRect(x, y);
            if (!hot(x - 1, y))
                lines.append({r.topLeft(), r.bottomLeft()});
            if (!hot(x + 1, y))
                lines.append({r.topRight(), r.bottomRight()});
            if (!hot(x, y - 1))
                lines.append({r.topLeft(), r.topRight()});
            if (!hot(x, y + 1))
                lines.append({r.bottomLeft(), r.bottomRight()});
        }
    QPen pen(color, 2 * painter.device()->devicePixelRatioF());
    pen.setCapStyle(Qt::SquareCap);
    painter.setPen(pen);
    painter.drawLines(lines);
}

void drawValues(QPainter& painter, const LayerGeometry& geometry, const core::Tensor& map, const QImage& picture)
{
    const double ratio = painter.device()->devicePixelRatioF();
    const QSizeF pixel = geometry.pixelSize();
    if (pixel.width() < smallestValueWidth * ratio || pixel.height() < smallestValueHeight * ratio || map.rank() != 2)
        return;
    painter.setFont(smallFont(painter));
    const QFontMetricsF metrics(painter.font(), painter.device());
    const QRect visible = geometry.visible(picture.size());
    for (int y = visible.top(); y <= visible.bottom(); ++y)
        for (int x = visible.left(); x <= visible.right(); ++x) {
            const QRectF rect = geometry.pixelRect(x, y);
            const QString text = shortValue(pixelValue(map, y, x), map.dtype());
            const QSizeF written(metrics.horizontalAdvance(text), metrics.height());
            if (written.width() > rect.width() - 2 * ratio)
                continue;
            const QRectF below(rect.center() - QPointF(written.width(), written.height()) / 2, written);
            if (below.intersects(QRectF(QPointF(), QSizeF(picture.size()))))
                drawLegibly(painter, rect, text, groundOf(picture, below));
        }
}

void drawCrosshair(QPainter& painter, const QRectF& pixel, const QRectF& room)
{
    const double ratio = painter.device()->devicePixelRatioF();
    const double gap = std::max(0.0, 6 * ratio - pixel.width() / 2);
    const QPointF c = pixel.center();
    const QRectF free = pixel.adjusted(-gap, -gap, gap, gap);
    QList<QLineF> lines;
    if (free.left() > room.left())
        lines.append({{room.left(), c.y()}, {free.left(), c.y()}});
    if (free.right() < room.right())
        lines.append({{free.right(), c.y()}, {room.right(), c.y()}});
    if (free.top() > room.top())
        lines.append({{c.x(), room.top()}, {c.x(), free.top()}});
    if (free.bottom() < room.bottom())
        lines.append({{c.x(), free.bottom()}, {c.x(), room.bottom()}});
    // White over black: seen on every colour.
    for (const auto& [color, width] : {std::pair{QColor(0, 0, 0, 150), 3.0}, std::pair{QColor(255, 255, 255), 1.0}}) {
        QPen pen(color, width * ratio);
        pen.setCapStyle(Qt::FlatCap);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawLines(lines);
        if (pixel.width() >= 8 * ratio)
            painter.drawRect(pixel);
    }
}

QRect tileRect(const core::WallGrid& grid, int tile)
{
    return {tile % grid.columns * (grid.tileWidth + grid.gap), tile / grid.columns * (grid.tileHeight + grid.gap),
            grid.tileWidth, grid.tileHeight};
}

int tileAt(const core::WallGrid& grid, QPoint pixel)
{
    const int column = pixel.x() / (grid.tileWidth + grid.gap);
    const int row = pixel.y() / (grid.tileHeight + grid.gap);
    const int tile = row * grid.columns + column;
    const bool inside = pixel.x() >= 0 && pixel.y() >= 0 && column < grid.columns && tile < std::ssize(grid.channels);
    return inside && tileRect(grid, tile).contains(pixel) ? tile : -1;
}

void drawWall(QPainter& painter, const LayerGeometry& geometry, const core::WallGrid& grid, const WallMarks& marks, QSize size)
{
    const double ratio = painter.device()->devicePixelRatioF();
    const QSizeF pixel = geometry.pixelSize();
    const QRectF canvas({}, QSizeF(size));
    painter.setFont(smallFont(painter));
    const QFontMetricsF metrics(painter.font(), painter.device());
    const bool labelled = pixel.width() * grid.tileWidth >= smallestLabelledTile * ratio &&
                          pixel.height() * grid.tileHeight >= smallestLabelledTile * ratio;
    for (int tile = 0; tile < std::ssize(grid.channels); ++tile) {
        const QRectF rect = geometry.deviceRect(tileRect(grid, tile));
        const bool current = grid.channels[tile] == marks.current;
        if (!rect.intersects(canvas) || !(labelled || current || tile == marks.hovered))
            continue;
        if (current || tile == marks.hovered) {
            const double width = (current ? 3 : 1) * ratio;
            QPen pen(current ? QColor(currentTileColor) : QColor(Qt::white), width);
            pen.setJoinStyle(Qt::MiterJoin);
            painter.setPen(pen);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rect.adjusted(-width / 2, -width / 2, width / 2, width / 2));
        }
        if (!labelled)
            continue;
        const QString text = QString::number(marks.firstChannel + grid.channels[tile]);
        const QRectF plate(rect.topLeft(), QSizeF(metrics.horizontalAdvance(text) + 6 * ratio, metrics.height()));
        painter.fillRect(plate, QColor(0, 0, 0, 140));
        painter.setPen(Qt::white);
        painter.drawText(plate, Qt::AlignCenter | Qt::TextSingleLine, text);
    }
}

} // namespace ui
