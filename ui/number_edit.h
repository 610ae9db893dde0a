// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/condition.h"

#include <QAbstractSpinBox>

#include <optional>

namespace ui {

/// A field for one number that keeps it exactly as typed. Arrows, the wheel (with focus) and the up and down keys ask for
/// steps; what a step is, the owner decides.
class NumberEdit : public QAbstractSpinBox
{
    Q_OBJECT
public:
    explicit NumberEdit(QWidget* parent = nullptr);

    /// The number as it stands, or nothing while the text is none.
    std::optional<core::Number> number() const;
    /// Why the text is no number; empty when it is one.
    QString problem() const;
    /// Replaces the text without a signal.
    void setNumberText(const QString& text);
    QString numberText() const;

    QValidator::State validate(QString& text, int& position) const override;
    void stepBy(int steps) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The user typed a number (at each key that leaves one).
    void numberEdited(const core::Number& number);
    /// Return or leaving the field with something that is no number.
    void problemFound(const QString& problem);
    void stepRequested(int steps);

protected:
    bool event(QEvent* event) override;
    StepEnabled stepEnabled() const override;
    void wheelEvent(QWheelEvent* event) override;

private:
    /// Whether the field shows only a part of the text.
    bool isTooLong() const;
};

} // namespace ui
