// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/color_bar.h"

#include "ui/canvas_marks.h"
#include "ui/number_text.h"

#include <QPainter>

#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr double barWidth = 16;
constexpr double tickLength = 4;
constexpr double leastTickDistance = 56;

QColor colorOf(std::uint32_t rgba)
{
    return QColor::fromRgb(static_cast<int>(rgba & 255), static_cast<int>(rgba >> 8 & 255), static_cast<int>(rgba >> 16 & 255));
}

QString numberText(double value, double span)
{
    // Rounding dust next to zero would read as 1e-17.
    if (std::abs(value) < span * 1e-9)
        value = 0;
    return QString::number(value, 'g', 5);
}

QString quantityName(core::Reduction reduction)
{
    const std::array names{ColorBar::tr("sum"),  ColorBar::tr("count"),   ColorBar::tr("max"),
                           ColorBar::tr("mean"), ColorBar::tr("L1 norm"), ColorBar::tr("L2 norm")};
    return names[static_cast<std::size_t>(reduction)];
}

QFont smallFont(QFont font)
{
    font.setPixelSize(11);
    return font;
}

/// "2,041" and "of 50,176": two lines, since the bar is narrow.
QStringList maskTexts(const core::MaskCount& count)
{
    return {countText(count.hot), ColorBar::tr("of %1").arg(countText(count.pixels))};
}

/// A box in a colour (or only its outline) and what the colour means.
void drawSwatch(QPainter& painter, const QRectF& box, const QColor& color, const QString& text, bool outline = false)
{
    const QPen ink = painter.pen();
    painter.setBrush(outline ? QBrush(Qt::NoBrush) : QBrush(color));
    painter.setPen(outline ? QPen(color, 2) : QPen(ink.color(), 0.5));
    painter.drawRect(box);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(ink);
    const QFontMetricsF metrics(painter.font());
    painter.drawText(QPointF(box.right() + tickLength + 4, box.center().y() + metrics.ascent() / 2 - 1), text);
}

} // namespace

std::vector<double> roundTicks(double lo, double hi, int most)
{
    const double span = hi - lo;
    if (!(span > 0) || !std::isfinite(span) || most < 1)
        return {};
    const double power = std::pow(10, std::floor(std::log10(span / most)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0})
        if (span / (factor * power) <= most) {
            step = factor * power;
            break;
        }
    std::vector<double> ticks;
    for (double k = std::floor(lo / step) + 1; k * step < hi && std::ssize(ticks) <= most; ++k)
        ticks.push_back(k * step);
    return ticks;
}

ColorBar::ColorBar(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Colour bar"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
}

ColorBar::Scale ColorBar::scaleOf(const core::Frame& frame)
{
    return {.colors = frame.colors,
            .range = frame.range,
            .ownScale = frame.request.view == core::ViewKind::wall && frame.request.ownScale,
            .quantity = frame.request.view == core::ViewKind::heat ? quantityName(frame.request.reduction) : tr("value"),
            .hasNan = frame.hasNan,
            .hasPositiveInf = frame.hasPositiveInf,
            .hasNegativeInf = frame.hasNegativeInf,
            .maskCount = {}};
}

void ColorBar::setScale(const Scale& scale)
{
    if (scale == m_scale)
        return;
    m_scale = scale;
    setAccessibleDescription(m_scale.hasMask && m_scale.maskCount ? maskTexts(*m_scale.maskCount).join(u' ') : QString());
    update();
}

QSize ColorBar::sizeHint() const
{
    const QFontMetrics metrics(smallFont(font()));
    const int numbers = static_cast<int>(barWidth + tickLength + 4) + metrics.horizontalAdvance(QStringLiteral("-1.2345e-05"));
    // The largest mask of a picture.
    const int count = metrics.horizontalAdvance(tr("of %1").arg(countText(std::int64_t{1} << 28)));
    return {8 + std::max(numbers, count) + 4, 240};
}

void ColorBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    draw(painter, QRectF(rect()).adjusted(8, 8, -4, -8));
}

void ColorBar::draw(QPainter& painter, const QRectF& rect) const
{
    painter.setFont(smallFont(painter.font()));
    const QFontMetricsF metrics(painter.font());
    const double line = std::ceil(metrics.height());
    painter.drawText(QRectF(rect.topLeft(), QSizeF(rect.width(), line)), Qt::AlignLeft,
                     m_scale.hasValues ? m_scale.quantity : tr("mask"));
    if (!m_scale.hasValues) {
        const double height = maskLines() * (line + 2);
        drawMask(painter, rect, std::min(rect.bottom(), rect.top() + line + 8 + height));
        return;
    }
    double bottom = drawSwatches(painter, rect, drawMask(painter, rect, rect.bottom()));
    if (bottom < rect.bottom())
        bottom -= 6;
    const double top = std::round(rect.top() + line + 6);
    drawGradient(painter, {rect.left(), top, barWidth, std::max(1.0, bottom - top)});
}

int ColorBar::maskLines() const
{
    return !m_scale.hasMask ? 0 : m_scale.maskCount ? 3 : 1;
}

double ColorBar::drawMask(QPainter& painter, const QRectF& rect, double bottom) const
{
    if (!m_scale.hasMask)
        return bottom;
    const QFontMetricsF metrics(painter.font());
    const double line = std::ceil(metrics.height());
    const double top = bottom - maskLines() * (line + 2);
    drawSwatch(painter, {rect.left(), top, barWidth, line - 3}, maskColor(), tr("hot"), m_scale.isContour);
    if (m_scale.maskCount) {
        const QStringList texts = maskTexts(*m_scale.maskCount);
        painter.drawText(QPointF(rect.left(), top + line + 2 + metrics.ascent()), texts[0]);
        painter.drawText(QPointF(rect.left(), top + 2 * (line + 2) + metrics.ascent()), texts[1]);
    }
    return top - 4;
}

double ColorBar::drawSwatches(QPainter& painter, const QRectF& rect, double bottom) const
{
    const double line = std::ceil(QFontMetricsF(painter.font()).height());
    const auto swatch = [&](bool present, const QString& text, std::uint32_t color) {
        if (!present)
            return;
        drawSwatch(painter, {rect.left(), bottom - line + 1, barWidth, line - 3}, colorOf(color), text);
        bottom -= line + 2;
    };
    swatch(m_scale.hasNegativeInf, QStringLiteral("-inf"), core::negativeInfColor);
    swatch(m_scale.hasPositiveInf, QStringLiteral("inf"), core::positiveInfColor);
    swatch(m_scale.hasNan, QStringLiteral("NaN"), core::nanColor);
    return bottom;
}

void ColorBar::drawGradient(QPainter& painter, const QRectF& bar) const
{
    const auto& table = core::colorTable(m_scale.colors);
    QImage gradient(1, 256, QImage::Format_RGB32);
    for (int i = 0; i < 256; ++i)
        gradient.setPixel(0, 255 - i, colorOf(table[static_cast<std::size_t>(i)]).rgb());
    painter.drawImage(bar, gradient);

    const QFontMetricsF metrics(painter.font());
    const double line = std::ceil(metrics.height());
    const auto [lo, hi] = m_scale.range;
    const double span = hi - lo;
    const auto label = [&](double y, const QString& text) {
        painter.drawLine(QPointF(bar.right(), y), QPointF(bar.right() + tickLength, y));
        const double baseline = std::clamp(y + metrics.ascent() / 2 - 1, bar.top() + metrics.ascent() - 2,
                                           std::max(bar.bottom(), bar.top() + metrics.ascent() - 2));
        painter.drawText(QPointF(bar.right() + tickLength + 4, std::round(baseline)), text);
    };
    if (m_scale.ownScale) {
        label(bar.top(), tr("tile max"));
        label(bar.bottom() - 1, tr("tile min"));
        return;
    }
    label(bar.top(), numberText(hi, span));
    label(bar.bottom() - 1, numberText(lo, span));
    for (const double tick : roundTicks(lo, hi, static_cast<int>(bar.height() / leastTickDistance))) {
        const double y = bar.bottom() - (tick - lo) / span * bar.height();
        if (y > bar.top() + line && y < bar.bottom() - line)
            label(std::round(y), numberText(tick, span));
    }
}

} // namespace ui
