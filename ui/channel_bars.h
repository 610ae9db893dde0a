// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QCPBars;
class QCPItemStraightLine;
class QCPLayer;
class QCustomPlot;

namespace ui {

class ChannelsModel;

/// Hot elements of each row of a ChannelsModel as bars, in its order. More rows than pixels: each bar stands for several rows
/// and shows the largest.
class ChannelBars : public QWidget
{
    Q_OBJECT
public:
    explicit ChannelBars(ChannelsModel* model, QWidget* parent = nullptr);

    /// New heights; the axis keeps its range.
    void refresh();
    /// New order, number of rows or heights at rest: axes settle too.
    void settle();
    void setCurrentRow(int row);
    /// As SVG, PDF or PNG by the path's ending, in light colours; false when it cannot.
    bool savePlot(const QString& path);
    /// Rows that one bar stands for, and the position of a row's bar in this widget (tests).
    int rowsPerBar() const { return m_rowsPerBar; }
    QPoint barPosition(int row) const;

    QSize sizeHint() const override { return {260, 120}; }
    QSize minimumSizeHint() const override { return {160, 80}; }

Q_SIGNALS:
    void rowChosen(int row);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void build();
    /// Takes colours from a palette and the font from the widget.
    void wear(const QPalette& palette);
    void fill();
    void settleAxes();
    int rowAt(double x) const;
    int largestRow(int bar) const;

    ChannelsModel* m_model;
    QCustomPlot* m_plot;
    QCPBars* m_bars = nullptr;
    QCPBars* m_current = nullptr;
    QCPItemStraightLine* m_marker = nullptr;
    QCPLayer* m_live = nullptr;
    int m_rowsPerBar = 1;
    int m_currentRow = -1;
};

} // namespace ui
