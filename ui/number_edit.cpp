// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/number_edit.h"

#include "core/error.h"

#include <QLineEdit>
#include <QWheelEvent>

namespace ui {

NumberEdit::NumberEdit(QWidget* parent) : QAbstractSpinBox(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAlignment(Qt::AlignRight);
    setAccelerated(true);
    connect(lineEdit(), &QLineEdit::textEdited, this, [this] {
        if (const auto typed = number())
            Q_EMIT numberEdited(*typed);
    });
    connect(this, &QAbstractSpinBox::editingFinished, this, [this] { Q_EMIT problemFound(problem()); });
}

std::optional<core::Number> NumberEdit::number() const
{
    try {
        return core::Number::parse(numberText().toStdString());
    } catch (const core::Error&) {
        return std::nullopt;
    }
}

QString NumberEdit::problem() const
{
    try {
        core::Number::parse(numberText().toStdString());
        return {};
    } catch (const core::Error& error) {
        return QString::fromUtf8(error.what());
    }
}

void NumberEdit::setNumberText(const QString& text)
{
    if (lineEdit()->text() != text)
        lineEdit()->setText(text);
}

QString NumberEdit::numberText() const
{
    return lineEdit()->text().trimmed();
}

QValidator::State NumberEdit::validate(QString&, int&) const
{
    return QValidator::Acceptable;
}

void NumberEdit::stepBy(int steps)
{
    Q_EMIT stepRequested(steps);
}

QAbstractSpinBox::StepEnabled NumberEdit::stepEnabled() const
{
    return isReadOnly() ? StepNone : StepUpEnabled | StepDownEnabled;
}

QSize NumberEdit::sizeHint() const
{
    const QSize base = QAbstractSpinBox::sizeHint();
    return {fontMetrics().horizontalAdvance(QStringLiteral("-0.00000000")) + 32, base.height()};
}

QSize NumberEdit::minimumSizeHint() const
{
    return {fontMetrics().horizontalAdvance(QStringLiteral("0.000")) + 32, sizeHint().height()};
}

void NumberEdit::wheelEvent(QWheelEvent* event)
{
    // Scrolling a dock must not change the threshold in passing.
    if (hasFocus())
        QAbstractSpinBox::wheelEvent(event);
    else
        event->ignore();
}

} // namespace ui
