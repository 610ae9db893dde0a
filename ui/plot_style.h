// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>

class QCPAxis;
class QCPAxisRect;
class QCPLayer;
class QCustomPlot;
class QPalette;

namespace ui {

/// Colours of plots, taken from a palette so that they follow light and dark.
struct PlotColors
{
    QColor background;
    QColor text;
    /// Axis names, tick labels.
    QColor dimText;
    QColor line;
    QColor grid;
    /// Data that is not hot, and data that is: hot is the mask's colour everywhere.
    QColor cold;
    QColor hot;
    QColor accent;
};
PlotColors plotColors(const QPalette& palette);

/// A plot that paints fast while dragging: no antialiasing, fast polylines, no selection of its own.
void prepareForDragging(QCustomPlot& plot);
/// Background and every axis of the plot by its palette and font.
void applyColors(QCustomPlot& plot);
/// Left and bottom axis only: a hairline below, faint horizontal grid, short ticks; few ticks where room is small.
void styleAxes(QCPAxisRect& rect);
/// A layer above "main" with a buffer of its own: layer->replot() leaves axes and everything else untouched.
QCPLayer* addLiveLayer(QCustomPlot& plot, const QString& name);

/// Count axis: "0", "500", "20k", "1M"; logarithmic from below 1 so that a single element shows.
void setCountScale(QCPAxis& axis, bool logarithmic, double maximum);
/// Value axis: plain decimals with a point.
void setValueScale(QCPAxis& axis, bool logarithmic);
/// "950", "20k", "1.5M".
QString shortCountText(double count);

/// Writes a plot as SVG, PDF or (at twice its size) PNG by the path's ending, in the colours it wears. False when it cannot.
bool savePlotAs(QCustomPlot& plot, const QString& path);

} // namespace ui
