// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threshold_panel.h"

#include "ui/condition_form.h"
#include "ui/distribution_plot.h"
#include "ui/main_window.h"
#include "ui/number_text.h"
#include "ui/panel_pages.h"
#include "ui/total_readout.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSettings>
#include <QStackedLayout>
#include <QToolButton>

namespace ui {
namespace {

QToolButton* makeToggle(const QString& text, const QString& tip)
{
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

/// Why a tensor has no histogram; empty when it has one.
QString unplottedReason(const TensorSummary& tensor)
{
    if (core::isComplex(tensor.dtype))
        return ThresholdPanel::tr("Complex values have no order:\nno histogram, no count curve");
    if (tensor.total.elements == 0)
        return ThresholdPanel::tr("No elements");
    if (tensor.total.finite == 0)
        return ThresholdPanel::tr("No finite values: %1 NaN, %2 inf")
            .arg(countText(tensor.total.nan), countText(tensor.total.positiveInf + tensor.total.negativeInf));
    return {};
}

} // namespace

ThresholdPanel::ThresholdPanel(QWidget* parent)
    : QWidget(parent), m_form(new ConditionForm), m_total(new TotalReadout), m_part(new QComboBox),
      m_logCount(makeToggle(tr("log n"), tr("Logarithmic counts"))),
      m_logValue(makeToggle(tr("log v"), tr("Logarithmic values (positive values only)"))), m_plot(new DistributionPlot),
      m_unplotted(new QLabel)
{
    build();
    connectControls();
    m_plot->setCondition(m_form->shownCondition());
}

ThresholdPanel::~ThresholdPanel() = default;

void ThresholdPanel::build()
{
    m_part->addItems({tr("whole tensor"), tr("shown plane")});
    m_part->setAccessibleName(tr("Values of"));
    m_part->setToolTip(tr("Whose values the histogram shows"));
    m_plot->setAccessibleName(tr("Histogram and count curve"));
    m_plot->setAccessibleDescription(tr("Left and right arrow move the threshold, with Shift ten steps"));
    m_unplotted->setForegroundRole(QPalette::PlaceholderText);
    m_unplotted->hide();
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(6);
    auto* scales = new QHBoxLayout;
    scales->setSpacing(4);
    scales->addWidget(m_part, 1);
    scales->addWidget(m_logCount);
    scales->addWidget(m_logValue);
    column->addWidget(m_form);
    column->addWidget(m_total);
    column->addLayout(scales);
    column->addWidget(m_plot, 1);
    column->addWidget(m_unplotted);
    m_pages = makePages(this, content, tr("Threshold, histogram and counts of the tensor that is shown."));
}

void ThresholdPanel::connectControls()
{
    connect(m_form, &ConditionForm::edited, this, &ThresholdPanel::conditionEdited);
    connect(m_form, &ConditionForm::stepRequested, this, &ThresholdPanel::stepValue);
    connect(m_plot, &DistributionPlot::stepRequested, this, &ThresholdPanel::stepValue);
    connect(m_plot, &DistributionPlot::handlePressed, this, [this] {
        m_dragging = true;
        Q_EMIT dragStarted();
    });
    connect(m_plot, &DistributionPlot::handleMoved, this, &ThresholdPanel::moveHandle);
    connect(m_plot, &DistributionPlot::handleReleased, this, &ThresholdPanel::endDrag);
    connect(m_plot, &DistributionPlot::scaleMenuRequested, this, &ThresholdPanel::openScaleMenu);
    connect(m_part, &QComboBox::activated, this, [this](int part) { Q_EMIT planeHistogramChanged(part == 1); });
    connect(m_logCount, &QToolButton::clicked, this, [this](bool on) {
        m_logCountChoice = on;
        showScales();
    });
    connect(m_logValue, &QToolButton::clicked, this, &ThresholdPanel::showScales);
}

void ThresholdPanel::setTensor(const TensorSummary& tensor)
{
    m_tensor = std::make_unique<TensorSummary>(tensor);
    m_distribution.reset();
    m_form->setElements(tensor.dtype, tensor.storage);
    const auto& total = tensor.total;
    m_form->setRange(total.min && total.max ? std::optional(std::pair(toDouble(*total.min), toDouble(*total.max)))
                                            : std::nullopt);
    m_total->clear();
    m_plot->setReason(unplottedReason(tensor));
    m_plot->setDistribution({}, tensor.dtype);
    m_plot->setCondition(m_form->shownCondition());
    showUnplotted();
    m_pages->setCurrentIndex(1);
}

void ThresholdPanel::setFrame(const core::Frame& frame)
{
    if (!m_tensor)
        return;
    m_total->setTotal(frame.count, frame.elements, frame.exact);
    showDistribution(frame);
    if (!m_form->hasRule() || !frame.request.where.rule)
        return;
    m_form->setFoundThresholds(frame.thresholds);
    m_plot->setHandlesShown(!m_form->isPerChannel() && !frame.thresholds.empty());
    m_plot->setCondition(m_form->shownCondition());
}

void ThresholdPanel::showDistribution(const core::Frame& frame)
{
    if (!frame.distribution || frame.distribution == m_distribution)
        return;
    m_distribution = frame.distribution;
    const QString reason = unplottedReason(*m_tensor);
    m_plot->setReason(reason.isEmpty() ? tr("No finite values in the shown plane") : reason);
    m_plot->setDistribution(m_distribution->histogram, m_tensor->dtype);
    m_logValue->setEnabled(m_plot->hasPositiveValues());
    showScales();
}

void ThresholdPanel::showScales()
{
    m_logCount->setChecked(m_logCountChoice.value_or(hasDominantSpike(m_plot->steps())));
    m_plot->setScales(m_logCount->isChecked(), m_logValue->isChecked());
}

void ThresholdPanel::showUnplotted()
{
    const core::Statistics& total = m_tensor->total;
    QStringList parts;
    if (total.nan > 0)
        parts.append(tr("%1 NaN").arg(countText(total.nan)));
    if (total.positiveInf > 0)
        parts.append(tr("%1 inf").arg(countText(total.positiveInf)));
    if (total.negativeInf > 0)
        parts.append(tr("%1 -inf").arg(countText(total.negativeInf)));
    m_unplotted->setText(parts.join(QStringLiteral(", ")) + tr(" not in the plot"));
    m_unplotted->setVisible(!parts.isEmpty());
}

void ThresholdPanel::clear()
{
    m_tensor.reset();
    m_distribution.reset();
    m_dragging = false;
    m_total->clear();
    m_pages->setCurrentIndex(0);
}

void ThresholdPanel::setStopFunctions(std::function<double(double)> nearest, std::function<double(double, std::int64_t)> step)
{
    m_nearestStop = std::move(nearest);
    m_stepStop = std::move(step);
}

core::Where ThresholdPanel::where() const
{
    return m_form->where();
}

void ThresholdPanel::setWhere(const core::Where& where)
{
    m_form->setWhere(where);
    m_plot->setHandlesShown(!m_form->hasRule());
    m_plot->setCondition(m_form->shownCondition());
}

bool ThresholdPanel::planeHistogram() const
{
    return m_part->currentIndex() == 1;
}

bool ThresholdPanel::isDragging() const
{
    return m_dragging;
}

void ThresholdPanel::conditionEdited()
{
    m_plot->setHandlesShown(!m_form->hasRule());
    m_plot->setCondition(m_form->shownCondition());
    Q_EMIT whereChanged(m_form->where());
}

void ThresholdPanel::focusValue()
{
    m_form->focusValue();
}

bool ThresholdPanel::savePlot(const QString& path) const
{
    return m_tensor && m_plot->savePlot(path);
}

void ThresholdPanel::openScaleMenu(const QPoint& position)
{
    QMenu menu(this);
    QAction* logCount = menu.addAction(tr("Logarithmic counts"), m_logCount, &QToolButton::click);
    QAction* logValue = menu.addAction(tr("Logarithmic values"), m_logValue, &QToolButton::click);
    logCount->setCheckable(true);
    logCount->setChecked(m_logCount->isChecked());
    logValue->setCheckable(true);
    logValue->setChecked(m_logValue->isChecked());
    logValue->setEnabled(m_logValue->isEnabled());
    menu.addSeparator();
    menu.addAction(tr("Show the full range"), m_plot, &DistributionPlot::showFullRange);
    menu.exec(position);
}

void ThresholdPanel::saveState(QSettings& settings) const
{
    const QString choice = m_logCountChoice ? QString::number(int(*m_logCountChoice)) : QStringLiteral("auto");
    settings.setValue(QStringLiteral("threshold/logCount"), choice);
    settings.setValue(QStringLiteral("threshold/logValue"), m_logValue->isChecked());
    settings.setValue(QStringLiteral("threshold/exact"), where().comparison == core::Comparison::exact);
}

void ThresholdPanel::restoreState(const QSettings& settings)
{
    const QString choice = settings.value(QStringLiteral("threshold/logCount"), QStringLiteral("auto")).toString();
    m_logCountChoice = choice == QLatin1String("auto") ? std::nullopt : std::optional(choice == QLatin1String("1"));
    m_logValue->setChecked(settings.value(QStringLiteral("threshold/logValue"), false).toBool());
    core::Where restored = where();
    if (settings.value(QStringLiteral("threshold/exact"), false).toBool())
        restored.comparison = core::Comparison::exact;
    setWhere(restored);
    showScales();
}

} // namespace ui
