// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace ui {

/// The colour scale of the picture: gradient, limits, round numbers between them, the colours of NaN and infinities where the
/// picture has them, and that of hot pixels where they are marked.
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
        /// Values are shown in colours: otherwise there is no gradient (a mask over an image).
        bool hasValues = true;
        /// Hot pixels are marked, by their outline only.
        bool hasMask = false;
        bool isContour = false;
        std::optional<core::MaskCount> maskCount;
        bool operator==(const Scale&) const = default;
    };
    /// What a frame says of its values; whether the mask is shown is the canvas' to say.
    static Scale scaleOf(const core::Frame& frame);
    /// Whether there is anything to explain.
    static bool explains(const Scale& scale) { return scale.hasValues || scale.hasMask; }
    void setScale(const Scale& scale);
    const Scale& scale() const { return m_scale; }
    /// Draws the bar into a rectangle with the painter's font and pen (export).
    void draw(QPainter& painter, const QRectF& rect) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {sizeHint().width(), 80}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int maskLines() const;
    /// Draws from `bottom` upwards and returns where it ended.
    double drawSwatches(QPainter& painter, const QRectF& rect, double bottom) const;
    double drawMask(QPainter& painter, const QRectF& rect, double bottom) const;
    void drawGradient(QPainter& painter, const QRectF& bar) const;

    Scale m_scale;
};

/// Numbers 1, 2 or 5 times a power of ten apart that lie strictly inside the limits, at most `most` of them.
std::vector<double> roundTicks(double lo, double hi, int most);

} // namespace ui
