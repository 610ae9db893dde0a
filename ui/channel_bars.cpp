// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/channel_bars.h"

#include "ui/channels_model.h"
#include "ui/number_text.h"
#include "ui/plot_style.h"
#include "ui/qcustomplot.h"
#include "ui/theme.h"

#include <QHelpEvent>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr int mostNamedBars = 12;

/// Positions along the axis are rows; labels are the channels that stand there.
class RowTicker : public QCPAxisTicker
{
public:
    explicit RowTicker(const ChannelsModel* model) : m_model(model) {}

protected:
    double getTickStep(const QCPRange& range) override { return std::max(1.0, QCPAxisTicker::getTickStep(range)); }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        const int row = static_cast<int>(std::lround(tick));
        return row >= 0 && row < m_model->rowCount() ? m_model->planeName(m_model->planeOf(row)) : QString();
    }

private:
    const ChannelsModel* m_model;
};

} // namespace

ChannelBars::ChannelBars(ChannelsModel* model, QWidget* parent) : QWidget(parent), m_model(model), m_plot(new QCustomPlot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->installEventFilter(this);
    setAccessibleName(tr("Hot elements of each channel"));
    build();
    wear(palette());
}

void ChannelBars::build()
{
    prepareForDragging(*m_plot);
    m_plot->setMinimumSize(10, 10);
    QCPAxisRect& rect = *m_plot->axisRect();
    styleAxes(rect);
    m_live = addLiveLayer(*m_plot, QStringLiteral("live"));
    for (QCPBars** bars : {&m_bars, &m_current}) {
        *bars = new QCPBars(m_plot->xAxis, m_plot->yAxis);
        (*bars)->setLayer(m_live);
        (*bars)->setSelectable(QCP::stNone);
        (*bars)->setPen(Qt::NoPen);
    }
    m_marker = new QCPItemStraightLine(m_plot);
    m_marker->setLayer(m_live);
    m_plot->yAxis->setLabel(tr("hot"));
    m_plot->xAxis->setTickLength(0);
}

void ChannelBars::wear(const QPalette& palette)
{
    m_plot->setPalette(palette);
    applyColors(*m_plot);
    const PlotColors colors = plotColors(palette);
    m_bars->setBrush(colors.hot);
    m_current->setBrush(colors.accent);
    m_marker->setPen(QPen(colors.accent, 1));
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

int ChannelBars::largestRow(int bar) const
{
    const int first = bar * m_rowsPerBar;
    const int end = std::min(first + m_rowsPerBar, m_model->rowCount());
    int largest = first;
    for (int row = first + 1; row < end; ++row) {
        if (m_model->countOf(m_model->planeOf(row)) > m_model->countOf(m_model->planeOf(largest)))
            largest = row;
    }
    return largest;
}

void ChannelBars::fill()
{
    const int rows = m_model->rowCount();
    QVector<double> keys;
    QVector<double> heights;
    QVector<double> currentKeys;
    QVector<double> currentHeights;
    for (int first = 0, bar = 0; first < rows; first += m_rowsPerBar, ++bar) {
        const auto height = static_cast<double>(m_model->countOf(m_model->planeOf(largestRow(bar))));
        const double key = first + (m_rowsPerBar - 1) / 2.0;
        keys.append(key);
        heights.append(height);
        if (m_currentRow >= first && m_currentRow < first + m_rowsPerBar) {
            currentKeys.append(key);
            // A channel without hot elements still shows where it is.
            currentHeights.append(std::max(height, m_plot->yAxis->range().upper * 0.04));
        }
    }
    m_bars->setData(keys, heights, true);
    m_current->setData(currentKeys, currentHeights, true);
    m_marker->setVisible(!currentKeys.isEmpty());
    if (!currentKeys.isEmpty()) {
        m_marker->point1->setCoords(currentKeys.first(), 0);
        m_marker->point2->setCoords(currentKeys.first(), 1);
    }
}

void ChannelBars::refresh()
{
    fill();
    m_live->replot();
}

void ChannelBars::settle()
{
    settleAxes();
    fill();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void ChannelBars::settleAxes()
{
    const int rows = m_model->rowCount();
    // Not the axis rect's width: that follows only with the next replot.
    const int pixels = std::max(40, width() - 60);
    m_rowsPerBar = std::max(1, (rows + pixels - 1) / pixels);
    std::int64_t most = 0;
    for (int row = 0; row < rows; ++row)
        most = std::max(most, m_model->countOf(m_model->planeOf(row)));
    setCountScale(*m_plot->yAxis, false, static_cast<double>(most));
    m_plot->xAxis->setRange(-0.5, std::max(1, rows) - 0.5);
    const bool wide = pixels >= 5 * rows;
    for (QCPBars* bars : {m_bars, m_current})
        bars->setWidth(wide ? std::min(0.8, 24.0 * rows / pixels) : m_rowsPerBar);
    m_current->setWidth(std::max(m_current->width(), 2.0 * rows / pixels));
    const bool byChannel = m_model->sortColumn() == ChannelsModel::channel;
    const QSharedPointer<QCPAxisTicker> ticker(new RowTicker(m_model));
    ticker->setTickCount(rows <= mostNamedBars ? std::max(1, rows) : 5);
    m_plot->xAxis->setTicker(ticker);
    m_plot->xAxis->setTickLabels(byChannel || rows <= mostNamedBars);
    QString label = tr("channel");
    if (!byChannel) {
        const QString by = m_model->headerData(m_model->sortColumn(), Qt::Horizontal, Qt::DisplayRole).toString();
        label = tr("channels by %1 %2")
                    .arg(by, m_model->sortOrder() == Qt::DescendingOrder ? QStringLiteral("\u2193") : QStringLiteral("\u2191"));
    }
    if (m_rowsPerBar > 1)
        label += tr(", largest of %1 a bar").arg(m_rowsPerBar);
    m_plot->xAxis->setLabel(label);
}

void ChannelBars::setCurrentRow(int row)
{
    if (row == m_currentRow)
        return;
    m_currentRow = row;
    refresh();
}

bool ChannelBars::savePlot(const QString& path)
{
    // Paper is light whatever the window wears.
    wear(lightPalette());
    const bool saved = savePlotAs(*m_plot, path);
    wear(palette());
    return saved;
}

QPoint ChannelBars::barPosition(int row) const
{
    const double middle = row / m_rowsPerBar * m_rowsPerBar + (m_rowsPerBar - 1) / 2.0;
    return {static_cast<int>(std::lround(m_plot->xAxis->coordToPixel(middle))), m_plot->axisRect()->center().y()};
}

int ChannelBars::rowAt(double x) const
{
    const int rows = m_model->rowCount();
    if (rows == 0)
        return -1;
    const int row = std::clamp(static_cast<int>(std::lround(m_plot->xAxis->pixelToCoord(x))), 0, rows - 1);
    return m_rowsPerBar == 1 ? row : largestRow(row / m_rowsPerBar);
}

bool ChannelBars::eventFilter(QObject* watched, QEvent* event)
{
    const auto isLeft = [](const QMouseEvent* mouse) { return mouse->buttons().testFlag(Qt::LeftButton); };
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseMove: {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const int row = isLeft(mouse) ? rowAt(mouse->position().x()) : -1;
        if (row >= 0 && row != m_currentRow)
            Q_EMIT rowChosen(row);
        return true;
    }
    case QEvent::MouseButtonDblClick:
    case QEvent::MouseButtonRelease:
        return true;
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos().x());
        if (row < 0)
            break;
        const std::int64_t plane = m_model->planeOf(row);
        const std::int64_t count = m_model->countOf(plane);
        QToolTip::showText(
            help->globalPos(),
            tr("channel %1: %2 hot, %3\nClick to go there (Left and Right: previous, next channel)")
                .arg(m_model->planeName(plane), countText(count), percentText(count, m_model->elementsOfPlane())),
            m_plot);
        return true;
    }
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void ChannelBars::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        wear(palette());
}

void ChannelBars::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    settle();
}

} // namespace ui
