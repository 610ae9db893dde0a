// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/number_edit.h"

#include "core/error.h"

#include <QHelpEvent>
#include <QLineEdit>
#include <QToolTip>
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
    if (lineEdit()->text() == text)
        return;
    lineEdit()->setText(text);
    // Of a number that is too long for the field its first digits say most.
    if (!hasFocus() && isTooLong())
        lineEdit()->setCursorPosition(0);
}

bool NumberEdit::isTooLong() const
{
    return fontMetrics().horizontalAdvance(numberText()) > lineEdit()->width();
}

bool NumberEdit::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && isTooLong()) {
        const QStringList lines{numberText(), toolTip()};
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), lines.join(u'\n').trimmed(), this);
        return true;
    }
    return QAbstractSpinBox::event(event);
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
