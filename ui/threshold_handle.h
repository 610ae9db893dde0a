// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/qcustomplot.h"

namespace ui {

/// A threshold on a plot: a line through all axis rects with a tab at its top to take hold of. A value outside the axis range
/// leaves an arrow at the edge that points out and tells the value.
class ThresholdHandle : public QCPAbstractItem
{
    Q_OBJECT
public:
    ThresholdHandle(QCustomPlot* plot, QCPAxis* valueAxis, QCPLayer* layer);

    void setValue(double value) { m_value = value; }
    double value() const { return m_value; }
    /// Held or under the mouse: drawn in the accent colour.
    void setActive(bool active) { m_active = active; }
    bool isActive() const { return m_active; }
    /// Mirrors have no tab.
    void setTab(bool tab) { m_tab = tab; }
    /// Where the line stands, in pixels, clamped to the axis rect.
    double pixel() const;
    /// -1 or 1 where the value lies before or after what the axis shows, else 0.
    int side() const;
    double selectTest(const QPointF& position, bool onlySelectable, QVariant* details = nullptr) const override;

    static constexpr int tabWidth = 13;
    static constexpr int tabHeight = 15;

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawOutside(QCPPainter& painter, const QColor& color);

    QCPAxis* m_valueAxis;
    double m_value = 0;
    bool m_active = false;
    bool m_tab = true;
};

} // namespace ui
