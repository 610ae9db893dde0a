// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/limits_button.h"

#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QRadioButton>
#include <QWidgetAction>

#include <cmath>

namespace ui {
namespace {

using Kind = core::RangeChoice::Kind;

QString number(double value)
{
    return QString::number(value, 'g', 6);
}

QDoubleSpinBox* percentBox(double value, const QString& name, QWidget* parent)
{
    auto* box = new QDoubleSpinBox(parent);
    box->setLocale(QLocale::c());
    box->setRange(0, 100);
    box->setDecimals(2);
    box->setSingleStep(0.5);
    box->setValue(value);
    box->setSuffix(QStringLiteral(" %"));
    box->setAccessibleName(name);
    box->setToolTip(name);
    return box;
}

QLineEdit* limitField(const QString& name, QWidget* parent)
{
    auto* field = new QLineEdit(parent);
    field->setAccessibleName(name);
    field->setToolTip(name);
    field->setAlignment(Qt::AlignRight);
    field->setFixedWidth(96);
    return field;
}

} // namespace

LimitsButton::LimitsButton(QWidget* parent) : QPushButton(parent)
{
    setAccessibleName(tr("Colour limits"));
    setToolTip(tr("Limits of the colour scale (C: automatic)"));
    setMinimumWidth(fontMetrics().horizontalAdvance(tr("full range")) + 32);
    auto* menu = new QMenu(this);
    auto* panel = new QWidgetAction(menu);
    panel->setDefaultWidget(makePanel());
    menu->addAction(panel);
    setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, &LimitsButton::showChoice);
    showChoice();
}

QWidget* LimitsButton::makePanel()
{
    auto* panel = new QWidget(this);
    m_automatic = new QRadioButton(tr("Full range"), panel);
    m_percentiles = new QRadioButton(tr("Percentiles"), panel);
    m_typed = new QRadioButton(tr("Typed"), panel);
    m_lowPercent = percentBox(1, tr("Lower percentile"), panel);
    m_highPercent = percentBox(99, tr("Upper percentile"), panel);
    m_low = limitField(tr("Lower limit"), panel);
    m_high = limitField(tr("Upper limit"), panel);
    m_problem = new QLabel(panel);
    m_problem->setAccessibleName(tr("What is wrong with the limits"));
    m_problem->hide();
    for (auto* radio : {m_automatic, m_percentiles, m_typed})
        radio->setAccessibleName(tr("Limits: %1").arg(radio->text()));
    auto* grid = new QGridLayout(panel);
    grid->setContentsMargins(12, 8, 12, 8);
    grid->addWidget(m_automatic, 0, 0, 1, 3);
    grid->addWidget(m_percentiles, 1, 0);
    grid->addWidget(m_lowPercent, 1, 1);
    grid->addWidget(m_highPercent, 1, 2);
    grid->addWidget(m_typed, 2, 0);
    grid->addWidget(m_low, 2, 1);
    grid->addWidget(m_high, 2, 2);
    grid->addWidget(m_problem, 3, 0, 1, 3);
    connect(m_automatic, &QRadioButton::clicked, this, [this] { change({}); });
    connect(m_percentiles, &QRadioButton::clicked, this, &LimitsButton::choosePercentiles);
    connect(m_typed, &QRadioButton::clicked, this, &LimitsButton::chooseTyped);
    for (auto* box : {m_lowPercent, m_highPercent})
        connect(box, &QDoubleSpinBox::valueChanged, this, &LimitsButton::choosePercentiles);
    for (auto* field : {m_low, m_high})
        connect(field, &QLineEdit::textEdited, this, &LimitsButton::chooseTyped);
    return panel;
}

void LimitsButton::setChoice(const core::RangeChoice& choice)
{
    m_choice = choice;
    showChoice();
}

void LimitsButton::setRange(core::ValueRange range)
{
    m_range = range;
}

void LimitsButton::showChoice()
{
    m_problem->hide();
    m_automatic->setChecked(m_choice.kind == Kind::automatic);
    m_percentiles->setChecked(m_choice.kind == Kind::percentiles);
    m_typed->setChecked(m_choice.kind == Kind::typed);
    const QSignalBlocker blockLow(m_lowPercent);
    const QSignalBlocker blockHigh(m_highPercent);
    const bool typed = m_choice.kind == Kind::typed;
    const auto show = [](QLineEdit& field, double value) {
        // What is being typed ("1e") stays.
        if (field.text().isEmpty() || field.text().toDouble() != value)
            field.setText(number(value));
    };
    show(*m_low, typed ? m_choice.lo : m_range.lo);
    show(*m_high, typed ? m_choice.hi : m_range.hi);
    QString text = tr("full range");
    if (m_choice.kind == Kind::percentiles) {
        m_lowPercent->setValue(m_choice.lo);
        m_highPercent->setValue(m_choice.hi);
        text = tr("%1\u2013%2 %").arg(number(m_choice.lo), number(m_choice.hi));
    } else if (typed) {
        // The numbers stand beside the colour bar.
        text = tr("typed");
    }
    setText(text);
}

void LimitsButton::chooseTyped()
{
    bool lowGood = false;
    bool highGood = false;
    const core::RangeChoice choice{Kind::typed, m_low->text().toDouble(&lowGood), m_high->text().toDouble(&highGood)};
    QString problem;
    if (!lowGood || !highGood || !std::isfinite(choice.lo) || !std::isfinite(choice.hi))
        problem = tr("Both limits must be numbers, like -0.5 or 1e3.");
    else if (choice.lo > choice.hi)
        problem = tr("The lower limit is above the upper one.");
    m_typed->setChecked(true);
    if (problem.isEmpty()) {
        change(choice);
        return;
    }
    m_problem->setText(problem);
    m_problem->show();
}

void LimitsButton::choosePercentiles()
{
    m_percentiles->setChecked(true);
    const core::RangeChoice choice{Kind::percentiles, m_lowPercent->value(), m_highPercent->value()};
    if (choice.lo <= choice.hi) {
        change(choice);
        return;
    }
    m_problem->setText(tr("The lower percentile is above the upper one."));
    m_problem->show();
}

void LimitsButton::change(const core::RangeChoice& choice)
{
    setChoice(choice);
    Q_EMIT choiceChanged();
}

} // namespace ui
