// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/condition_form.h"

#include "ui/condition_items.h"
#include "ui/number_edit.h"
#include "ui/number_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStandardItemModel>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

using Kind = core::ConditionKind;

QString numberText(const core::Number& number)
{
    if (!number.text.empty())
        return QString::fromStdString(number.text);
    return valueText(number.real, number.isInteger ? core::DType::i64 : core::DType::f64);
}

} // namespace

ConditionForm::ConditionForm(QWidget* parent)
    : QWidget(parent), m_condition(new QComboBox), m_values{new NumberEdit, new NumberEdit}, m_and(new QLabel(tr("and"))),
      m_problem(new QLabel), m_rule(new QComboBox), m_parameter(new NumberEdit), m_scope(new QComboBox),
      m_comparison(new QComboBox), m_storedOnly(new QCheckBox(tr("Stored only")))
{
    buildConditionCombo();
    buildRuleCombo();
    build();
    connectControls();
    for (std::size_t i = 0; i < ruleItems.size(); ++i)
        m_parameters[i] = QString::fromLatin1(ruleItems[i].parameter);
    for (NumberEdit* edit : m_values)
        edit->setNumberText(QStringLiteral("0"));
    adapt();
}

void ConditionForm::buildConditionCombo()
{
    for (const ConditionItem& item : conditionItems) {
        m_condition->addItem(QString::fromUtf8(item.text), static_cast<int>(item.kind));
        m_condition->setItemData(m_condition->count() - 1, tr(item.tip), Qt::ToolTipRole);
    }
    m_condition->setAccessibleName(tr("Condition"));
    m_condition->setMaxVisibleItems(static_cast<int>(conditionItems.size()));
}

void ConditionForm::buildRuleCombo()
{
    m_rule->addItem(tr("fixed value"), -1);
    m_rule->setItemData(0, tr("The threshold is the value above"), Qt::ToolTipRole);
    for (std::size_t i = 0; i < ruleItems.size(); ++i) {
        m_rule->addItem(QString::fromUtf8(ruleItems[i].text), static_cast<int>(i));
        m_rule->setItemData(m_rule->count() - 1, tr(ruleItems[i].tip), Qt::ToolTipRole);
    }
    m_rule->setAccessibleName(tr("Rule that finds the threshold"));
    m_rule->setToolTip(tr("How the threshold is found"));
    m_scope->addItem(tr("for all values"));
    m_scope->addItem(tr("per channel"));
    m_scope->setAccessibleName(tr("Scope of the rule"));
    m_scope->setToolTip(tr("One threshold for the tensor, or the rule applied to each channel by itself"));
    m_comparison->addItem(tr("as PyTorch"));
    m_comparison->addItem(tr("exact"));
    m_comparison->setAccessibleName(tr("Comparison"));
    m_comparison->setToolTip(tr("As PyTorch: the value is first rounded to the tensor's type, like x > value in Python.\n"
                                "Exact: values are compared as real numbers."));
    m_storedOnly->setToolTip(tr("Sparse tensors: only stored elements can be hot"));
}

void ConditionForm::build()
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(4);
    auto* hot = new QLabel(tr("Hot if"));
    auto* rule = new QLabel(tr("Rule"));
    hot->setBuddy(m_condition);
    rule->setBuddy(m_rule);
    grid->addWidget(hot, 0, 0);
    grid->addWidget(m_condition, 0, 1);
    grid->addWidget(m_values[0], 0, 2);
    grid->addWidget(m_and, 1, 1, Qt::AlignRight | Qt::AlignVCenter);
    grid->addWidget(m_values[1], 1, 2);
    grid->addWidget(m_problem, 2, 0, 1, 3);
    grid->addWidget(rule, 3, 0);
    grid->addWidget(m_rule, 3, 1);
    grid->addWidget(m_parameter, 3, 2);
    grid->addWidget(m_comparison, 4, 1);
    grid->addWidget(m_scope, 4, 2);
    grid->addWidget(m_storedOnly, 5, 1, 1, 2);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(2, 1);
    m_problem->setWordWrap(true);
    m_problem->hide();
    m_storedOnly->hide();
    m_values[0]->setAccessibleName(tr("Threshold"));
    m_values[0]->setToolTip(tr("Threshold (T); , and . step it, Shift steps ten times as far"));
    m_values[1]->setAccessibleName(tr("Upper threshold"));
    m_values[1]->setToolTip(tr("Upper threshold"));
    m_parameter->setAccessibleName(tr("Parameter of the rule"));
    for (QComboBox* combo : {m_condition, m_rule, m_scope, m_comparison}) {
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        combo->setMinimumContentsLength(7);
    }
}

void ConditionForm::connectControls()
{
    connect(m_condition, &QComboBox::activated, this, [this] {
        if (valueCount() > 1)
            spreadBounds();
        adapt();
        Q_EMIT edited();
    });
    connect(m_rule, &QComboBox::activated, this, &ConditionForm::ruleChosen);
    for (QComboBox* combo : {m_scope, m_comparison}) {
        connect(combo, &QComboBox::activated, this, [this] {
            adapt();
            Q_EMIT edited();
        });
    }
    connect(m_storedOnly, &QCheckBox::clicked, this, &ConditionForm::edited);
    for (int i = 0; i < 2; ++i) {
        NumberEdit* edit = m_values[static_cast<std::size_t>(i)];
        connect(edit, &NumberEdit::numberEdited, this, [this, i] { valueEdited(i); });
        connect(edit, &NumberEdit::stepRequested, this, [this, i](int steps) { Q_EMIT stepRequested(i, steps); });
        connect(edit, &NumberEdit::problemFound, this, &ConditionForm::showProblem);
    }
    connect(m_parameter, &NumberEdit::numberEdited, this, &ConditionForm::parameterEdited);
    connect(m_parameter, &NumberEdit::stepRequested, this, &ConditionForm::stepParameter);
    connect(m_parameter, &NumberEdit::problemFound, this, &ConditionForm::showProblem);
}

void ConditionForm::ruleChosen()
{
    m_found.clear();
    if (!hasRule() && !m_values[0]->number())
        m_values[0]->setNumberText(QStringLiteral("0"));
    adapt();
    Q_EMIT edited();
}

void ConditionForm::spreadBounds()
{
    // Bounds that the user has set apart stay.
    if (!m_range || value(1) > value(0))
        return;
    const core::DType dtype = m_comparison->currentIndex() == 0 ? m_dtype : core::DType::f64;
    const auto [least, most] = *m_range;
    if (value(0) < most) {
        m_values[1]->setNumberText(valueText(most, dtype));
        return;
    }
    m_values[1]->setNumberText(m_values[0]->numberText());
    m_values[0]->setNumberText(valueText(least, dtype));
}

void ConditionForm::valueEdited(int index)
{
    const QString text = m_values[static_cast<std::size_t>(index)]->numberText();
    setValueText(index, text);
    Q_EMIT edited();
}

void ConditionForm::parameterEdited()
{
    const RuleItem& item = ruleItems[m_rule->currentData().toUInt()];
    const double parameter = m_parameter->number()->real;
    if (!(parameter >= item.least && parameter <= item.most))
        return showProblem(tr("A percentile lies between 0 and 100."));
    m_parameters[m_rule->currentData().toUInt()] = m_parameter->numberText();
    showProblem({});
    Q_EMIT edited();
}

void ConditionForm::stepParameter(int steps)
{
    const RuleItem& item = ruleItems[m_rule->currentData().toUInt()];
    const auto number = m_parameter->number();
    const double next = std::clamp((number ? number->real : 0) + steps * item.step, item.least, item.most);
    // Four decimals swallow what binary steps of 0.05 leave behind.
    m_parameter->setNumberText(valueText(std::round(next * 1e4) / 1e4, core::DType::f64));
    parameterEdited();
}

void ConditionForm::adapt()
{
    const bool rule = hasRule();
    if (rule) {
        const QSignalBlocker blocker(m_condition);
        m_condition->setCurrentIndex(0);
        const auto index = m_rule->currentData().toUInt();
        m_parameter->setNumberText(m_parameters[index]);
        m_parameter->setToolTip(tr(ruleItems[index].tip));
    }
    m_condition->setEnabled(!rule);
    m_condition->setToolTip(rule ? tr("Rules find T and test > T") : tr("Which elements are hot"));
    m_parameter->setVisible(rule && ruleItems[m_rule->currentData().toUInt()].kind != core::RuleKind::otsu);
    m_scope->setEnabled(rule);
    m_values[0]->setVisible(valueCount() > 0);
    m_values[0]->setEnabled(!isPerChannel());
    m_values[1]->setVisible(valueCount() > 1);
    m_and->setVisible(valueCount() > 1);
    if (rule)
        setFoundThresholds(m_found);
    showProblem({});
}

void ConditionForm::setElements(core::DType dtype, core::StorageKind storage)
{
    m_dtype = dtype;
    const bool complex = core::isComplex(dtype);
    const auto enable = [](QComboBox* combo, int index, bool on) {
        qobject_cast<QStandardItemModel*>(combo->model())->item(index)->setEnabled(on);
    };
    for (std::size_t i = 0; i < conditionItems.size(); ++i)
        enable(m_condition, static_cast<int>(i), !complex || conditionItems[i].forComplex);
    for (int i = 1; i < m_rule->count(); ++i)
        enable(m_rule, i, !complex);
    m_storedOnly->setVisible(storage != core::StorageKind::strided);
    if (complex && (hasRule() || !itemOf(kind()).forComplex)) {
        m_rule->setCurrentIndex(0);
        m_condition->setCurrentIndex(m_condition->findData(static_cast<int>(Kind::absGt)));
    }
    m_found.clear();
    adapt();
}

core::ConditionKind ConditionForm::kind() const
{
    return static_cast<Kind>(m_condition->currentData().toInt());
}

bool ConditionForm::hasRule() const
{
    return m_rule->currentIndex() > 0;
}

bool ConditionForm::isPerChannel() const
{
    return hasRule() && m_scope->currentIndex() == 1;
}

int ConditionForm::valueCount() const
{
    return itemOf(kind()).values;
}

double ConditionForm::value(int index) const
{
    const auto number = m_values[static_cast<std::size_t>(index)]->number();
    return number ? number->real : std::numeric_limits<double>::quiet_NaN();
}

core::Condition ConditionForm::shownCondition() const
{
    core::Condition condition;
    condition.kind = kind();
    if (valueCount() > 0)
        condition.a = m_values[0]->number().value_or(core::Number::fromReal(0));
    if (valueCount() > 1)
        condition.b = m_values[1]->number().value_or(core::Number::fromReal(0));
    return condition;
}

QString ConditionForm::conditionText() const
{
    QString text = QString::fromLatin1(itemOf(kind()).word);
    for (int i = 0; i < valueCount(); ++i)
        text += QLatin1Char(' ') + m_values[static_cast<std::size_t>(i)]->numberText();
    return text;
}

core::Where ConditionForm::where() const
{
    core::Where where;
    where.comparison = m_comparison->currentIndex() == 1 ? core::Comparison::exact : core::Comparison::torch;
    where.storedOnly = m_storedOnly->isVisibleTo(this) && m_storedOnly->isChecked();
    if (!hasRule()) {
        where.condition = shownCondition();
        where.text = conditionText().toStdString();
        return where;
    }
    const RuleItem& item = ruleItems[m_rule->currentData().toUInt()];
    const auto parameter = m_parameter->number();
    where.rule = core::Rule{item.kind, parameter ? parameter->real : 0};
    where.perChannel = m_scope->currentIndex() == 1;
    where.text = item.word;
    if (item.kind != core::RuleKind::otsu)
        where.text += " " + m_parameter->numberText().toStdString();
    return where;
}

void ConditionForm::setWhere(const core::Where& where)
{
    m_comparison->setCurrentIndex(where.comparison == core::Comparison::exact ? 1 : 0);
    m_storedOnly->setChecked(where.storedOnly);
    m_found.clear();
    if (where.rule) {
        for (std::size_t i = 0; i < ruleItems.size(); ++i) {
            if (ruleItems[i].kind != where.rule->kind)
                continue;
            m_rule->setCurrentIndex(static_cast<int>(i) + 1);
            m_parameters[i] = valueText(where.rule->parameter, core::DType::f64);
        }
        m_scope->setCurrentIndex(where.perChannel ? 1 : 0);
    } else {
        m_rule->setCurrentIndex(0);
        m_condition->setCurrentIndex(m_condition->findData(static_cast<int>(where.condition.kind)));
        m_values[0]->setNumberText(numberText(where.condition.a));
        m_values[1]->setNumberText(numberText(where.condition.b));
    }
    adapt();
}

QString ConditionForm::foundText(const core::Threshold& threshold) const
{
    if (!threshold.a)
        return tr("none");
    const bool rounded = core::isFloating(m_dtype) && m_comparison->currentIndex() == 0;
    return valueText(*threshold.a, rounded ? m_dtype : core::DType::f64);
}

void ConditionForm::setFoundThresholds(const std::vector<core::Threshold>& thresholds)
{
    if (!hasRule())
        return;
    m_found = thresholds;
    if (isPerChannel())
        m_values[0]->setNumberText(tr("per channel"));
    else
        m_values[0]->setNumberText(m_found.empty() ? QStringLiteral("\u2026") : foundText(m_found.front()));
}

void ConditionForm::setValueText(int index, const QString& text)
{
    if (hasRule()) {
        m_rule->setCurrentIndex(0);
        m_found.clear();
        adapt();
    }
    m_values[static_cast<std::size_t>(index)]->setNumberText(text);
    if (!m_problem->isHidden())
        showProblem({});
}

void ConditionForm::focusValue()
{
    m_values[0]->setFocus(Qt::ShortcutFocusReason);
    m_values[0]->selectAll();
}

void ConditionForm::showProblem(const QString& problem)
{
    // What a rule shows instead of a value ("per channel") is not the user's mistake.
    const bool own = problem.isEmpty() || (hasRule() && sender() != m_parameter);
    m_problem->setText(own ? QString() : QStringLiteral("\u26a0 ") + problem);
    m_problem->setVisible(!own);
}

} // namespace ui
