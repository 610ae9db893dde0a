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

double ThresholdHandle::selectTest(const QPointF& position, bool, QVariant*) const
{
    return std::abs(position.x() - pixel());
}

void ThresholdHandle::draw(QCPPainter* painter)
{
    const PlotColors colors = plotColors(mParentPlot->palette());
    const QColor color = m_active ? colors.accent : colors.text;
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

} // namespace ui
