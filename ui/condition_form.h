// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/condition.h"
#include "core/engine/predicate.h"
#include "core/tensor.h"

#include <QWidget>

#include <array>
#include <optional>
#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;

namespace ui {

class NumberEdit;

/// The controls that make a core::Where: condition, one or two values, rule with its parameter, scope, comparison.
/// While a rule is on, the value field shows the threshold that it found; a value set or typed makes it a fixed value again.
class ConditionForm : public QWidget
{
    Q_OBJECT
public:
    explicit ConditionForm(QWidget* parent = nullptr);

    /// Enables what makes sense for the elements; a condition undefined for them becomes `abs >`.
    void setElements(core::DType dtype, core::StorageKind storage);
    /// Where the elements lie: a second bound begins at their end. Nothing where there are none or they have no order.
    void setRange(std::optional<std::pair<double, double>> range) { m_range = range; }
    core::Where where() const;
    void setWhere(const core::Where& where);
    /// What handles and colours follow: where().condition, or `> T` with the threshold that the rule found.
    core::Condition shownCondition() const;
    bool hasRule() const;
    /// A rule for each channel: there is no single threshold.
    bool isPerChannel() const;
    /// Thresholds of a frame that answered the present rule.
    void setFoundThresholds(const std::vector<core::Threshold>& thresholds);

    /// Number of values that the condition takes (0 to 2).
    int valueCount() const;
    /// The value as it stands (what the rule found, with a rule); NaN when the text is no number.
    double value(int index) const;
    /// Sets a fixed value; emits nothing.
    void setValueText(int index, const QString& text);
    void focusValue();

Q_SIGNALS:
    void edited();
    /// Arrows of value field `index`.
    void stepRequested(int index, int steps);

private:
    void build();
    void buildConditionCombo();
    void buildRuleCombo();
    void connectControls();
    void ruleChosen();
    void valueEdited(int index);
    void parameterEdited();
    void stepParameter(int steps);
    void adapt();
    /// Two bounds that make an interval: the one there is, and an end of the range.
    void spreadBounds();
    core::ConditionKind kind() const;
    QString conditionText() const;
    QString foundText(const core::Threshold& threshold) const;
    void showProblem(const QString& problem);

    QComboBox* m_condition;
    std::array<NumberEdit*, 2> m_values;
    QLabel* m_and;
    QLabel* m_problem;
    QComboBox* m_rule;
    NumberEdit* m_parameter;
    QComboBox* m_scope;
    QComboBox* m_comparison;
    QCheckBox* m_storedOnly;
    core::DType m_dtype = core::DType::f32;
    std::optional<std::pair<double, double>> m_range;
    /// Parameter texts as last used, by rule.
    std::array<QString, 4> m_parameters;
    std::vector<core::Threshold> m_found;
};

} // namespace ui
