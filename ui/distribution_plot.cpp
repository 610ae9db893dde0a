// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution_plot.h"

#include "ui/plot_style.h"
#include "ui/qcustomplot.h"
#include "ui/theme.h"
#include "ui/threshold_handle.h"

#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
QCPGraph* addGraph(QCPAxisRect& rect, QCPLayer* layer)
{
    auto* graph = new QCPGraph(rect.axis(QCPAxis::atBottom), rect.axis(QCPAxis::atLeft));
    graph->setLayer(layer);
    graph->setSelectable(QCP::stNone);
    graph->setAdaptiveSampling(false);
    return graph;
}

/// Handles of a condition: values of the first and second one.
std::vector<double> handleValues(const core::Condition& condition)
{
    using enum core::ConditionKind;
    switch (condition.kind) {
    case between:
    case outside:
        return {condition.a.real, condition.b.real};
    case absGt:
    case absGe:
        return {condition.a.real, -condition.a.real};
    case nan:
    case inf:
    case finite:
        return {};
    default:
        return {condition.a.real};
    }
}

} // namespace

DistributionPlot::DistributionPlot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->installEventFilter(this);
    build();
    wear(palette());
}

void DistributionPlot::build()
{
    prepareForDragging(*m_plot);
    m_plot->setMinimumSize(10, 10);
    // An item hangs on the first axis rect and is hidden with it: on this one, which goes.
    m_nothing = new QCPItemText(m_plot);
    m_plot->plotLayout()->clear();
    m_upper = new QCPAxisRect(m_plot);
    m_lower = new QCPAxisRect(m_plot);
    m_plot->plotLayout()->addElement(0, 0, m_upper);
    m_plot->plotLayout()->addElement(1, 0, m_lower);
    m_plot->plotLayout()->setRowSpacing(0);
    m_plot->plotLayout()->setRowStretchFactor(0, 1.5);
    auto* margins = new QCPMarginGroup(m_plot);
    for (QCPAxisRect* rect : {m_upper, m_lower}) {
        styleAxes(*rect);
        rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
        rect->setMinimumSize(20, 20);
    }
    m_upper->setMinimumMargins(QMargins(8, ThresholdHandle::tabHeight + 3, 10, 2));
    m_upper->axis(QCPAxis::atBottom)->setTickLabels(false);
    m_upper->axis(QCPAxis::atBottom)->setTickLength(0);
    m_lower->axis(QCPAxis::atBottom)->setLabel(tr("value"));
    m_live = addLiveLayer(*m_plot, QStringLiteral("live"));
    QCPLayer* still = m_plot->layer(QStringLiteral("main"));
    m_all = addGraph(*m_upper, still);
    m_hot = addGraph(*m_upper, m_live);
    m_curve = addGraph(*m_lower, still);
    m_curvePoint = addGraph(*m_lower, m_live);
    m_all->setLineStyle(QCPGraph::lsStepLeft);
    m_hot->setLineStyle(QCPGraph::lsStepLeft);
    m_curvePoint->setLineStyle(QCPGraph::lsNone);
    m_nothing->setLayer(still);
    m_nothing->setClipToAxisRect(false);
    m_nothing->position->setType(QCPItemPosition::ptViewportRatio);
    m_nothing->position->setCoords(0.5, 0.5);
    for (ThresholdHandle*& handle : m_handles)
        handle = new ThresholdHandle(m_plot, m_upper->axis(QCPAxis::atBottom), m_live);
}

void DistributionPlot::wear(const QPalette& palette)
{
    m_plot->setPalette(palette);
    applyColors(*m_plot);
    const PlotColors colors = plotColors(palette);
    m_all->setPen(QPen(colors.cold, 1));
    m_all->setBrush(colors.cold);
    m_hot->setPen(QPen(colors.hot, 1));
    m_hot->setBrush(colors.hot);
    m_curve->setPen(QPen(colors.dimText, 1));
    m_nothing->setColor(colors.dimText);
    m_nothing->setFont(font());
    QCPScatterStyle dot(QCPScatterStyle::ssDisc, colors.hot, colors.hot, 7);
    m_curvePoint->setScatterStyle(dot);
    replotAll();
}

void DistributionPlot::setDistribution(const core::Histogram& histogram, core::DType dtype)
{
    m_steps = stepsOf(histogram, dtype);
    QVector<double> keys;
    QVector<double> values;
    for (std::size_t i = 0; i < m_steps.edges.size(); ++i) {
        keys.append(m_steps.edges[i]);
        values.append(static_cast<double>(m_steps.counts[std::min(i, m_steps.counts.size() - 1)]));
    }
    m_all->setData(keys, values, true);
    m_nothing->setVisible(m_steps.isEmpty() && !m_nothing->text().isEmpty());
    for (QCPAxisRect* rect : {m_upper, m_lower})
        rect->setVisible(!m_steps.isEmpty());
    fillCurve();
    fitAxes();
    replotAll();
}

void DistributionPlot::setReason(const QString& reason)
{
    m_nothing->setText(reason);
}

QString DistributionPlot::reason() const
{
    return m_nothing->visible() ? m_nothing->text() : QString();
}

void DistributionPlot::setScales(bool logCount, bool logValue)
{
    if (m_logCount == logCount && m_logValue == logValue)
        return;
    m_logCount = logCount;
    m_logValue = logValue;
    fitAxes();
    replotAll();
}

bool DistributionPlot::hasPositiveValues() const
{
    return !m_steps.isEmpty() && m_steps.edges.back() > 0;
}

void DistributionPlot::setCondition(const core::Condition& condition)
{
    using enum core::ConditionKind;
    m_condition = condition;
    const bool below = condition.kind == lt || condition.kind == le;
    if (below != m_below) {
        m_below = below;
        fillCurve();
        fitAxes();
        replotAll();
        return;
    }
    replotLive();
}

void DistributionPlot::setHandlesShown(bool shown)
{
    if (m_handlesShown == shown)
        return;
    m_handlesShown = shown;
    replotLive();
}

void DistributionPlot::replotAll()
{
    fillHot();
    placeHandles();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void DistributionPlot::replotLive()
{
    fillHot();
    placeHandles();
    m_live->replot();
}

void DistributionPlot::fillHot()
{
    QVector<double> keys;
    QVector<double> values;
    const auto add = [&](double key, double value) {
        keys.append(key);
        values.append(value);
    };
    if (!m_steps.isEmpty() && m_handlesShown) {
        const double first = m_steps.edges.front();
        const double end = m_steps.edges.back();
        for (const Interval& interval : hotIntervals(m_condition, m_steps)) {
            const double lo = std::max(interval.lo, first);
            const double hi = std::min(interval.hi, end);
            if (!(lo < hi))
                continue;
            if (!keys.isEmpty())
                add(lo, notANumber);
            auto edge = std::upper_bound(m_steps.edges.begin(), m_steps.edges.end(), lo);
            add(lo, static_cast<double>(m_steps.at(lo)));
            for (; edge != m_steps.edges.end() && *edge < hi; ++edge)
                add(*edge, static_cast<double>(m_steps.counts[static_cast<std::size_t>(edge - m_steps.edges.begin())]));
            add(hi, values.last());
        }
    }
    m_hot->setData(keys, values, true);
}

void DistributionPlot::fillCurve()
{
    QVector<double> values;
    for (const std::int64_t count : cumulativeCounts(m_steps, m_below))
        values.append(static_cast<double>(count));
    m_curve->setData(QVector<double>(m_steps.edges.begin(), m_steps.edges.end()), values, true);
    nameCountAxes();
}

void DistributionPlot::nameCountAxes()
{
    // Upright names need room.
    constexpr int leastHeight = 150;
    const bool low = height() < leastHeight;
    m_upper->axis(QCPAxis::atLeft)->setLabel(low ? QString() : tr("elements"));
    m_lower->axis(QCPAxis::atLeft)->setLabel(low ? QString() : m_below ? tr("below") : tr("above"));
}

void DistributionPlot::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        wear(palette());
}

void DistributionPlot::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    nameCountAxes();
}

void DistributionPlot::fitAxes()
{
    const bool logValue = m_logValue && hasPositiveValues();
    double lo = m_steps.isEmpty() ? 0 : m_steps.edges.front();
    double hi = m_steps.isEmpty() ? 1 : m_steps.edges.back();
    if (logValue && lo <= 0)
        lo = *std::upper_bound(m_steps.edges.begin(), m_steps.edges.end(), 0.0) * 0.5;
    for (QCPAxisRect* rect : {m_upper, m_lower}) {
        setValueScale(*rect->axis(QCPAxis::atBottom), logValue);
        rect->axis(QCPAxis::atBottom)->setRange(lo, hi);
    }
    std::int64_t most = 0;
    std::int64_t all = 0;
    for (const std::int64_t count : m_steps.counts) {
        most = std::max(most, count);
        all += count;
    }
    setCountScale(*m_upper->axis(QCPAxis::atLeft), m_logCount, static_cast<double>(most));
    setCountScale(*m_lower->axis(QCPAxis::atLeft), m_logCount, static_cast<double>(all));
    m_lower->axis(QCPAxis::atLeft)->ticker()->setTickCount(2);
}

void DistributionPlot::showFullRange()
{
    fitAxes();
    replotAll();
}

void DistributionPlot::placeHandles()
{
    const std::vector<double> values = m_handlesShown && !m_steps.isEmpty() ? handleValues(m_condition) : std::vector<double>{};
    QVector<double> keys;
    QVector<double> counts;
    for (std::size_t i = 0; i < m_handles.size(); ++i) {
        m_handles[i]->setVisible(i < values.size());
        if (i >= values.size())
            continue;
        m_handles[i]->setValue(values[i]);
        const auto& curve = *m_curve->data();
        auto right = curve.findBegin(values[i], false);
        if (curve.isEmpty() || values[i] < m_steps.edges.front() || values[i] > m_steps.edges.back())
            continue;
        if (right == curve.constEnd())
            --right;
        const auto left = right == curve.constBegin() ? right : right - 1;
        const double width = right->key - left->key;
        const double share = width > 0 ? (values[i] - left->key) / width : 0;
        keys.append(values[i]);
        counts.append(left->value + share * (right->value - left->value));
    }
    m_curvePoint->setData(keys, counts);
}

double DistributionPlot::valuePerPixel(double value) const
{
    const QCPAxis* axis = m_upper->axis(QCPAxis::atBottom);
    const double pixel = axis->coordToPixel(value);
    return std::abs(axis->pixelToCoord(pixel + 1) - axis->pixelToCoord(pixel));
}

QPoint DistributionPlot::handlePosition(int handle) const
{
    const ThresholdHandle* item = m_handles[static_cast<std::size_t>(handle)];
    return {static_cast<int>(item->pixel()), m_upper->rect().top() - ThresholdHandle::tabHeight / 2};
}

int DistributionPlot::handleCount() const
{
    return static_cast<int>(std::count_if(m_handles.begin(), m_handles.end(), [](auto* handle) { return handle->visible(); }));
}

bool DistributionPlot::savePlot(const QString& path)
{
    // Paper is light whatever the window wears.
    wear(lightPalette());
    const bool saved = savePlotAs(*m_plot, path);
    wear(palette());
    return saved;
}

} // namespace ui
