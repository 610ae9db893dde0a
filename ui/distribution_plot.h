// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/distribution.h"

#include <QWidget>

#include <array>

class QCPAxis;
class QCPAxisRect;
class QCPGraph;
class QCPItemText;
class QCPLayer;
class QCustomPlot;

namespace ui {

class ThresholdHandle;

/// Histogram with what is hot filled in, handles on it, and below it, over the same values, how many elements lie above each
/// threshold. A changed condition redraws the live layer only.
class DistributionPlot : public QWidget
{
    Q_OBJECT
public:
    explicit DistributionPlot(QWidget* parent = nullptr);

    /// New data: axes settle.
    void setDistribution(const core::Histogram& histogram, core::DType dtype);
    /// Why there is nothing to plot; shown while there is nothing.
    void setReason(const QString& reason);
    /// The reason shown now; empty while something is plotted.
    QString reason() const;
    void setScales(bool logCount, bool logValue);
    /// What is hot; handles stand at its bounds. `marks` are further thresholds (one per channel), drawn without handles.
    void setCondition(const core::Condition& condition);
    /// No handles: nan, inf, finite, complex values, thresholds of each channel.
    void setHandlesShown(bool shown);
    const Steps& steps() const { return m_steps; }
    bool hasPositiveValues() const;

    /// How far apart in value two pixels are at `value`.
    double valuePerPixel(double value) const;
    /// Position of a handle's tab in this widget (tests, accessibility).
    QPoint handlePosition(int handle) const;
    int handleCount() const;
    /// Undoes zooming.
    void showFullRange();
    /// As SVG, PDF or PNG by the path's ending, in light colours; false when it cannot.
    bool savePlot(const QString& path);

    QSize sizeHint() const override { return {260, 190}; }
    QSize minimumSizeHint() const override { return {160, 120}; }

Q_SIGNALS:
    void handlePressed(int handle);
    void handleMoved(int handle, double value);
    void handleReleased(int handle);
    /// Arrow keys; `steps` stops up (or down).
    void stepRequested(int handle, int steps);
    void scaleMenuRequested(const QPoint& globalPosition);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void build();
    /// Takes colours from a palette and the font from the widget.
    void wear(const QPalette& palette);
    void replotAll();
    void replotLive();
    void fillHot();
    void fillCurve();
    void fitAxes();
    void nameCountAxes();
    void placeHandles();
    int nearestHandle(double x) const;
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release();
    void zoom(QWheelEvent* event);
    void setActive(int handle);

    QCustomPlot* m_plot;
    QCPAxisRect* m_upper = nullptr;
    QCPAxisRect* m_lower = nullptr;
    QCPGraph* m_all = nullptr;
    QCPGraph* m_hot = nullptr;
    QCPGraph* m_curve = nullptr;
    QCPGraph* m_curvePoint = nullptr;
    QCPLayer* m_live = nullptr;
    QCPItemText* m_nothing = nullptr;
    std::array<ThresholdHandle*, 2> m_handles{};
    Steps m_steps;
    core::Condition m_condition;
    bool m_below = false;
    bool m_logCount = false;
    bool m_logValue = false;
    bool m_handlesShown = true;
    int m_held = -1;
    double m_grabOffset = 0;
};

} // namespace ui
