// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/picture.h"

#include "core/render/render.h"
#include "core/report/number_text.h"

#include <QFont>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace app {

namespace {

constexpr int gap = 8;
constexpr int barWidth = 16;
constexpr int smallestBar = 120;
constexpr int tickLength = 4;
constexpr int ticks = 5;

/// A label beside the bar and the place of its middle, in pixels from the bar's top.
struct Tick
{
    int y = 0;
    QString text;
};

/// A colour that has no place on the scale, and what it means.
struct Swatch
{
    std::uint32_t color = 0;
    QString text;
};

QColor toColor(std::uint32_t pixel)
{
    return {int(pixel & 255), int(pixel >> 8 & 255), int(pixel >> 16 & 255), int(pixel >> 24)};
}

QFont legendFont()
{
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPixelSize(12);
    return font;
}

std::vector<Tick> ticksOf(const PictureLegend& legend, int height)
{
    if (legend.ownScale)
        return {{0, QStringLiteral("maximum")}, {height - 1, QStringLiteral("minimum")}};
    std::vector<Tick> result;
    for (int i = 0; i < ticks; ++i) {
        const double part = double(i) / (ticks - 1);
        // Not lo + part * (hi - lo): that overflows for the widest limits.
        const double value = legend.range.hi * (1 - part) + legend.range.lo * part;
        result.push_back({int(part * (height - 1)), QString::fromStdString(core::report::roundedText(value))});
    }
    return result;
}

std::vector<Swatch> swatchesOf(const PictureLegend& legend)
{
    std::vector<Swatch> result;
    if (legend.hasMask)
        result.push_back({core::hotColor, QStringLiteral("hot")});
    if (!legend.colorBar)
        return result;
    if (legend.hasNan)
        result.push_back({core::nanColor, QStringLiteral("NaN")});
    if (legend.hasPositiveInf)
        result.push_back({core::positiveInfColor, QStringLiteral("+inf")});
    if (legend.hasNegativeInf)
        result.push_back({core::negativeInfColor, QStringLiteral("-inf")});
    return result;
}

/// Everything but the picture, measured.
struct Frame
{
    std::vector<Tick> ticks;
    std::vector<Swatch> swatches;
    int barHeight = 0;
    QSize size;
};

Frame measure(const core::Image& picture, const PictureLegend& legend, const QFontMetrics& metrics)
{
    Frame frame;
    int width = picture.width;
    int height = picture.height;
    if (legend.colorBar || legend.hasMask) {
        frame.swatches = swatchesOf(legend);
        const int below = int(frame.swatches.size()) * (barWidth + gap / 2);
        if (legend.colorBar) {
            frame.barHeight = std::max(picture.height - below - 2 * gap, smallestBar);
            frame.ticks = ticksOf(legend, frame.barHeight);
        }
        int text = 0;
        for (const auto& tick : frame.ticks)
            text = std::max(text, metrics.horizontalAdvance(tick.text));
        for (const auto& swatch : frame.swatches)
            text = std::max(text, metrics.horizontalAdvance(swatch.text));
        width += 2 * gap + barWidth + 2 * tickLength + text;
        height = std::max(height, frame.barHeight + below + 2 * gap);
    }
    int lineWidth = 0;
    for (const auto& line : legend.lines)
        lineWidth = std::max(lineWidth, metrics.horizontalAdvance(line));
    if (!legend.lines.isEmpty()) {
        width = std::max(width, lineWidth + 2 * gap);
        height += gap + int(legend.lines.size()) * metrics.lineSpacing() + gap;
    }
    frame.size = {width, height};
    return frame;
}

void drawGradient(QPainter& painter, const QPoint& corner, const Frame& frame, const PictureLegend& legend)
{
    const auto& table = core::colorTable(legend.colors);
    for (int y = 0; y < frame.barHeight; ++y) {
        const auto index = std::size_t(255 - y * 255 / std::max(1, frame.barHeight - 1));
        painter.fillRect(corner.x(), corner.y() + y, barWidth, 1, toColor(table[index]));
    }
    painter.drawRect(corner.x(), corner.y(), barWidth - 1, frame.barHeight - 1);
}

void drawBar(QPainter& painter, const QPoint& corner, const Frame& frame, const PictureLegend& legend)
{
    painter.setPen(Qt::black);
    if (legend.colorBar)
        drawGradient(painter, corner, frame, legend);
    const int textX = corner.x() + barWidth + 2 * tickLength - 1;
    const int ascent = painter.fontMetrics().ascent();
    for (const auto& tick : frame.ticks) {
        const int y = corner.y() + tick.y;
        painter.drawLine(corner.x() + barWidth, y, corner.x() + barWidth + tickLength - 1, y);
        painter.drawText(textX, y + ascent / 2 - 1, tick.text);
    }
    int y = corner.y() + frame.barHeight + gap / 2;
    for (const auto& swatch : frame.swatches) {
        painter.fillRect(corner.x(), y, barWidth, barWidth, toColor(swatch.color));
        painter.drawRect(corner.x(), y, barWidth - 1, barWidth - 1);
        painter.drawText(textX, y + ascent, swatch.text);
        y += barWidth + gap / 2;
    }
}

/// An application object for fonts where the command line has none.
std::unique_ptr<QGuiApplication> applicationForText()
{
    if (QCoreApplication::instance())
        return nullptr;
    static int count = 3;
    static char program[] = "actiscope";
    static char option[] = "-platform";
    static char platform[] = "offscreen";
    static std::array<char*, 4> arguments = {program, option, platform, nullptr};
    return std::make_unique<QGuiApplication>(count, arguments.data());
}

} // namespace

core::Image withLegend(const core::Image& picture, const PictureLegend& legend)
{
    const auto application = applicationForText();
    const auto font = legendFont();
    const auto frame = measure(picture, legend, QFontMetrics(font));
    core::Image result(frame.size.width(), frame.size.height(), core::rgba(255, 255, 255));
    QImage canvas(reinterpret_cast<uchar*>(result.pixels.data()), result.width, result.height, QImage::Format_RGBA8888);
    {
        QPainter painter(&canvas);
        painter.setFont(font);
        if (legend.colorBar || legend.hasMask)
            drawBar(painter, {picture.width + gap, gap}, frame, legend);
        painter.setPen(Qt::black);
        const auto metrics = painter.fontMetrics();
        int y = frame.size.height() - gap - int(legend.lines.size()) * metrics.lineSpacing() + metrics.ascent();
        for (const auto& line : legend.lines) {
            painter.drawText(gap, y, line);
            y += metrics.lineSpacing();
        }
    }
    for (int y = 0; y < picture.height; ++y)
        std::copy_n(picture.row(y), picture.width, result.row(y));
    return result;
}

} // namespace app
