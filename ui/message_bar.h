// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace ui {

enum class Severity;

/// Messages that stay until dismissed: the newest is shown, dismissing it shows the one before. The same text is kept once.
class MessageBar : public QFrame
{
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    /// `action` (may be empty) is a button that emits actionChosen(id) and dismisses the message.
    void show(Severity severity, const QString& text, const QString& action, const QString& id);
    void dismiss();
    /// Takes back the messages with this id, which no longer hold.
    void withdraw(const QString& id);
    /// The text shown, empty when there is none.
    QString text() const;
    int count() const { return static_cast<int>(m_messages.size()); }

Q_SIGNALS:
    void actionChosen(const QString& id);

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct Message
    {
        Severity severity;
        QString text;
        QString action;
        QString id;
    };
    void showNewest();
    void dress();

    QList<Message> m_messages;
    QLabel* m_icon;
    QLabel* m_text;
    QLabel* m_more;
    QPushButton* m_action;
    QPushButton* m_dismiss;
    QColor m_tint;
};

} // namespace ui
