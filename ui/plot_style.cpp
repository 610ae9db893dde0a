// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot_style.h"

#include "core/render/render.h"
#include "ui/qcustomplot.h"

#include <QSvgGenerator>

#include <cmath>

namespace ui {
namespace {

QColor mix(const QColor& a, const QColor& b, double share)
{
    const auto blend = [share](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return {blend(a.red(), b.red()), blend(a.green(), b.green()), blend(a.blue(), b.blue())};
}

class CountTicker : public QCPAxisTicker
{
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return shortCountText(tick); }
    double getTickStep(const QCPRange& range) override { return std::max(1.0, QCPAxisTicker::getTickStep(range)); }
    int getSubTickCount(double) override { return 0; }
};

class LogCountTicker : public QCPAxisTickerLog
{
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        return tick < 1 ? QString() : shortCountText(tick);
    }
};

QString decimalText(double value)
{
    return QString::number(std::abs(value) < 1e-12 ? 0 : value, 'g', 6);
}

class ValueTicker : public QCPAxisTicker
{
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        const bool isZero = std::abs(tick) < m_step * 1e-9;
        return decimalText(isZero ? 0 : tick);
    }
    double getTickStep(const QCPRange& range) override { return m_step = QCPAxisTicker::getTickStep(range); }
    int getSubTickCount(double) override { return 0; }

private:
    double m_step = 0;
};

class LogValueTicker : public QCPAxisTickerLog
{
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return decimalText(tick); }
};

void setColors(QCPAxis& axis, const PlotColors& colors, const QFont& font)
{
    axis.setBasePen(axis.orientation() == Qt::Horizontal ? QPen(colors.line) : QPen(Qt::NoPen));
    axis.setTickPen(axis.orientation() == Qt::Horizontal ? QPen(colors.line) : QPen(Qt::NoPen));
    axis.setSubTickPen(Qt::NoPen);
    axis.setTickLabelColor(colors.dimText);
    axis.setLabelColor(colors.dimText);
    axis.setTickLabelFont(font);
    axis.setLabelFont(font);
    axis.grid()->setPen(QPen(colors.grid));
    axis.grid()->setSubGridPen(Qt::NoPen);
    axis.grid()->setZeroLinePen(Qt::NoPen);
}

} // namespace

PlotColors plotColors(const QPalette& palette)
{
    const QColor base = palette.color(QPalette::Window);
    const QColor text = palette.color(QPalette::WindowText);
    const auto byte = [](unsigned shift) { return static_cast<int>(core::hotColor >> shift & 0xff); };
    PlotColors colors;
    colors.background = base;
    colors.text = text;
    colors.dimText = mix(text, base, 0.35);
    colors.line = mix(base, text, 0.35);
    colors.grid = mix(base, text, 0.1);
    colors.cold = mix(base, text, 0.38);
    colors.hot = QColor(byte(0), byte(8), byte(16));
    colors.accent = palette.color(QPalette::Highlight);
    return colors;
}

void prepareForDragging(QCustomPlot& plot)
{
    plot.setNotAntialiasedElements(QCP::aeAll);
    plot.setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);
    plot.setInteractions(QCP::Interactions());
    plot.setNoAntialiasingOnDrag(true);
    plot.setAttribute(Qt::WA_OpaquePaintEvent);
}

void applyColors(QCustomPlot& plot)
{
    const PlotColors colors = plotColors(plot.palette());
    QFont font = plot.font();
    font.setPixelSize(11);
    plot.setBackground(QBrush(colors.background));
    for (QCPAxisRect* rect : plot.axisRects()) {
        for (QCPAxis* axis : rect->axes())
            setColors(*axis, colors, font);
    }
}

void styleAxes(QCPAxisRect& rect)
{
    rect.setupFullAxesBox(false);
    rect.axis(QCPAxis::atTop)->setVisible(false);
    rect.axis(QCPAxis::atRight)->setVisible(false);
    for (QCPAxis* axis : {rect.axis(QCPAxis::atLeft), rect.axis(QCPAxis::atBottom)}) {
        axis->setVisible(true);
        axis->setTickLength(0, axis->orientation() == Qt::Horizontal ? 4 : 0);
        axis->setTickLabelPadding(3);
        axis->setLabelPadding(2);
        axis->setSubTicks(false);
    }
    rect.axis(QCPAxis::atBottom)->grid()->setVisible(false);
    rect.setMinimumMargins(QMargins(8, 4, 10, 4));
}

QCPLayer* addLiveLayer(QCustomPlot& plot, const QString& name)
{
    plot.addLayer(name, plot.layer(plot.layerCount() - 1), QCustomPlot::limAbove);
    QCPLayer* layer = plot.layer(name);
    layer->setMode(QCPLayer::lmBuffered);
    return layer;
}

void setCountScale(QCPAxis& axis, bool logarithmic, double maximum)
{
    maximum = std::max(maximum, 1.0);
    axis.setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (logarithmic) {
        const QSharedPointer<QCPAxisTickerLog> ticker(new LogCountTicker);
        // At most about four labels: every first, second or third power of ten.
        const int decades = static_cast<int>(std::ceil(std::log10(maximum * 2)));
        ticker->setLogBase(std::pow(10, std::max(1, (decades + 2) / 4)));
        ticker->setSubTickCount(0);
        axis.setTicker(ticker);
        axis.setRange(0.5, std::max(2.0, maximum * 1.6));
        return;
    }
    const QSharedPointer<QCPAxisTicker> ticker(new CountTicker);
    ticker->setTickCount(3);
    axis.setTicker(ticker);
    axis.setRange(0, maximum * 1.06);
}

void setValueScale(QCPAxis& axis, bool logarithmic)
{
    axis.setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    const QSharedPointer<QCPAxisTicker> ticker(logarithmic ? static_cast<QCPAxisTicker*>(new LogValueTicker) : new ValueTicker);
    ticker->setTickCount(4);
    axis.setTicker(ticker);
}

QString shortCountText(double count)
{
    struct Unit
    {
        double size;
        const char* suffix;
    };
    for (const Unit unit : {Unit{1e12, "T"}, Unit{1e9, "G"}, Unit{1e6, "M"}, Unit{1e3, "k"}}) {
        if (count >= unit.size)
            return QString::number(count / unit.size, 'g', 4) + QLatin1String(unit.suffix);
    }
    return QString::number(count, 'g', 4);
}

bool savePlotAs(QCustomPlot& plot, const QString& path)
{
    constexpr double pngScale = 2;
    // A plot in a dock that was never shown has no size of its own.
    const QSize size = plot.size().expandedTo({320, 200});
    if (path.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive))
        return plot.savePdf(path, size.width(), size.height());
    if (path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive))
        return plot.savePng(path, size.width(), size.height(), pngScale);
    if (!path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive))
        return false;
    QSvgGenerator generator;
    generator.setFileName(path);
    generator.setSize(size);
    generator.setViewBox(QRect({}, size));
    QCPPainter painter;
    if (!painter.begin(&generator))
        return false;
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, size.width(), size.height());
    return painter.end();
}

} // namespace ui
