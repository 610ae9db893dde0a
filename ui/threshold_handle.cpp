// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threshold_handle.h"

#include "ui/plot_style.h"

#include <algorithm>
#include <cmath>

namespace ui {

ThresholdHandle::ThresholdHandle(QCustomPlot* plot, QCPAxis* valueAxis, QCPLayer* layer)
    : QCPAbstractItem(plot), m_valueAxis(valueAxis)
{
    setLayer(layer);
    setClipToAxisRect(false);
    setSelectable(false);
}

double ThresholdHandle::pixel() const
{
    const QRect rect = m_valueAxis->axisRect()->rect();
    const bool belowLogAxis = m_valueAxis->scaleType() == QCPAxis::stLogarithmic && !(m_value > 0);
    const double pixel = belowLogAxis ? rect.left() : m_valueAxis->coordToPixel(m_value);
    return std::isnan(pixel) ? rect.left() : std::clamp(pixel, double(rect.left()), double(rect.right()));
}

int ThresholdHandle::side() const
{
    const QCPRange range = m_valueAxis->range();
    return m_value < range.lower ? -1 : m_value > range.upper ? 1 : 0;
}

double ThresholdHandle::selectTest(const QPointF& position, bool, QVariant*) const
{
    return std::abs(position.x() - pixel());
}

void ThresholdHandle::draw(QCPPainter* painter)
{
    const PlotColors colors = plotColors(mParentPlot->palette());
    const QColor color = m_active ? colors.accent : colors.text;
    if (side() != 0)
        return drawOutside(*painter, color);
    const double x = std::floor(pixel()) + 0.5;
    const double top = m_valueAxis->axisRect()->rect().top();
    double bottom = top;
    for (const QCPAxisRect* rect : mParentPlot->axisRects())
        bottom = std::max(bottom, double(rect->rect().bottom()));
    painter->setAntialiasing(true);
    painter->setPen(QPen(color, 1, m_tab ? Qt::SolidLine : Qt::DashLine));
    painter->drawLine(QPointF(x, m_tab ? top - 2 : top), QPointF(x, bottom));
    if (!m_tab)
        return;
    const double half = tabWidth / 2.0;
    const double upper = top - tabHeight;
    const QPolygonF tab{QPointF(x - half, upper), QPointF(x + half, upper), QPointF(x + half, upper + tabHeight - 6),
                        QPointF(x, upper + tabHeight), QPointF(x - half, upper + tabHeight - 6)};
    painter->setPen(QPen(colors.background, 1));
    painter->setBrush(color);
    painter->drawPolygon(tab);
}

void ThresholdHandle::drawOutside(QCPPainter& painter, const QColor& color)
{
    if (!m_tab)
        return;
    constexpr int gap = 4;
    const QRect rect = m_valueAxis->axisRect()->rect();
    const double out = side();
    const double edge = out < 0 ? rect.left() : rect.right();
    const double middle = rect.top() - tabHeight / 2.0;
    const double half = tabHeight / 2.0 - 1;
    const double base = edge - out * tabWidth;
    painter.setAntialiasing(true);
    painter.setPen(QPen(plotColors(mParentPlot->palette()).background, 1));
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF{QPointF(edge + out, middle), QPointF(base, middle - half), QPointF(base, middle + half)});
    painter.setPen(QPen(color));
    painter.setFont(mParentPlot->font());
    constexpr int digits = 6;
    const QString text = QString::number(m_value, 'g', digits);
    const double width = painter.fontMetrics().horizontalAdvance(text);
    const QRectF room(out < 0 ? base + gap : base - gap - width, rect.top() - tabHeight, width + 1, tabHeight);
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextDontClip, text);
}

} // namespace ui
