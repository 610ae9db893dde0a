// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <QWidget>

#include <memory>

namespace ui {

/// The colour scale of the picture: gradient, limits, round numbers between them, and the colours of NaN and infinities where
/// the picture has them.
class ColorBar : public QWidget
{
    Q_OBJECT
public:
    explicit ColorBar(QWidget* parent = nullptr);

    /// What colours and numbers say; the widget repaints only when that changes.
    struct Scale
    {
        core::ColorMap colors = core::ColorMap::viridis;
        core::ValueRange range;
        /// Every tile has its own limits: no numbers can be given.
        bool ownScale = false;
        /// What the numbers are ("sum", "value").
        QString quantity;
        bool hasNan = false;
        bool hasPositiveInf = false;
        bool hasNegativeInf = false;
        bool operator==(const Scale&) const = default;
    };
    static Scale scaleOf(const core::Frame& frame);
    void setScale(const Scale& scale);
    const Scale& scale() const { return m_scale; }
    /// Draws the bar into a rectangle with the painter's font and pen (export).
    void draw(QPainter& painter, const QRectF& rect) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {sizeHint().width(), 80}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Scale m_scale;
};

/// Numbers 1, 2 or 5 times a power of ten apart that lie strictly inside the limits, at most `most` of them.
std::vector<double> roundTicks(double lo, double hi, int most);

} // namespace ui
