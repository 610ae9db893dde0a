// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTextEdit>

namespace ui {
namespace {

bool isText(const QWidget* widget)
{
    const auto* box = qobject_cast<const QComboBox*>(widget);
    return qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget) ||
           qobject_cast<const QTextEdit*>(widget) || qobject_cast<const QPlainTextEdit*>(widget) || (box && box->isEditable());
}

bool isSingle(const QKeyEvent& event)
{
    const bool plain = !(event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
    return plain && !(event.key() >= Qt::Key_F1 && event.key() <= Qt::Key_F35);
}

bool isSideways(int key)
{
    return key == Qt::Key_Left || key == Qt::Key_Right;
}

bool isUpOrDown(int key)
{
    return key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown;
}

/// Whether `widget` uses the key itself.
bool belongsTo(const QWidget* widget, const QKeyEvent& event)
{
    if (isText(widget) || qobject_cast<const QAbstractItemView*>(widget))
        return isSingle(event) || event.matches(QKeySequence::Copy);
    if (!isSingle(event))
        return false;
    if (qobject_cast<const QAbstractButton*>(widget))
        return event.key() == Qt::Key_Space;
    if (qobject_cast<const QComboBox*>(widget))
        return isUpOrDown(event.key()) || event.key() == Qt::Key_Space;
    if (qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QTabBar*>(widget))
        return isSideways(event.key()) || isUpOrDown(event.key());
    return false;
}

/// Qt asks the focused widget first whether it wants a key that is a shortcut; answers for the widgets that do not say so.
class FocusRule : public QObject
{
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
            return false;
        auto* widget = qobject_cast<QWidget*>(watched);
        const auto* key = static_cast<QKeyEvent*>(event);
        if (!widget || widget->window() != parent())
            return false;
        if (event->type() == QEvent::KeyPress) {
            // Esc leaves a text, after the text has made of it what it wants.
            if (key->key() == Qt::Key_Escape && isText(widget))
                QMetaObject::invokeMethod(
                    widget, [widget] { widget->clearFocus(); }, Qt::QueuedConnection);
            return false;
        }
        if (!belongsTo(widget, *key))
            return false;
        event->accept();
        return true;
    }
};

} // namespace

void installFocusRule(QWidget* window)
{
    auto* rule = new FocusRule(window);
    QApplication::instance()->installEventFilter(rule);
}

} // namespace ui
