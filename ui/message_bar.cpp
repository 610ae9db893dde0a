// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/message_bar.h"

#include "ui/icons.h"
#include "ui/main_window.h"
#include "ui/theme.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace ui {
namespace {

constexpr int leastTextWidth = 120;

} // namespace

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), m_icon(new QLabel(this)), m_text(new QLabel(this)), m_more(new QLabel(this)),
      m_action(new QPushButton(this)), m_dismiss(new QPushButton(this))
{
    setAccessibleName(tr("Message"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setAccessibleName(tr("Message text"));
    QSizePolicy wide(QSizePolicy::Expanding, QSizePolicy::Preferred);
    wide.setHeightForWidth(true);
    m_text->setSizePolicy(wide);
    // A long path, which has no place to break at, must not widen the window.
    m_text->setMinimumWidth(leastTextWidth);
    m_more->setAccessibleName(tr("Other messages"));
    m_action->setAccessibleName(tr("Act on the message"));
    m_dismiss->setText(tr("Dismiss"));
    m_dismiss->setToolTip(tr("Dismiss this message"));
    m_dismiss->setAccessibleName(tr("Dismiss"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->setSpacing(8);
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    row->addWidget(m_more);
    row->addWidget(m_action);
    row->addWidget(m_dismiss);
    connect(m_dismiss, &QPushButton::clicked, this, &MessageBar::dismiss);
    connect(m_action, &QPushButton::clicked, this, [this] {
        const QString id = m_messages.last().id;
        dismiss();
        Q_EMIT actionChosen(id);
    });
    hide();
}

void MessageBar::show(Severity severity, const QString& text, const QString& action, const QString& id)
{
    m_messages.removeIf([&](const Message& message) { return message.text == text && message.id == id; });
    m_messages.append({severity, text, action, id});
    showNewest();
}

void MessageBar::dismiss()
{
    if (!m_messages.isEmpty())
        m_messages.removeLast();
    showNewest();
}

void MessageBar::withdraw(const QString& id)
{
    if (m_messages.removeIf([&](const Message& message) { return message.id == id; }) > 0)
        showNewest();
}

QString MessageBar::text() const
{
    return m_messages.isEmpty() ? QString() : m_messages.last().text;
}

void MessageBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_messages.isEmpty())
        dress();
}

void MessageBar::showNewest()
{
    if (m_messages.isEmpty()) {
        hide();
        return;
    }
    const Message& message = m_messages.last();
    m_text->setText(message.text);
    m_text->setToolTip(message.text);
    m_action->setText(message.action);
    m_action->setVisible(!message.action.isEmpty());
    m_more->setText(tr("%1 more").arg(count() - 1));
    m_more->setVisible(count() > 1);
    dress();
    setVisible(true);
}

void MessageBar::dress()
{
    const Severity severity = m_messages.last().severity;
    const QString name = severity == Severity::error     ? QStringLiteral("error")
                         : severity == Severity::warning ? QStringLiteral("warning")
                                                         : QStringLiteral("information");
    const ThemeColors colors = themeColors(QApplication::palette());
    const QColor tint = severity == Severity::error     ? colors.error
                        : severity == Severity::warning ? colors.warning
                                                        : colors.information;
    m_icon->setPixmap(icon(name, tint).pixmap(QSize(16, 16), devicePixelRatioF()));
    m_icon->setAccessibleName(severity == Severity::error     ? tr("Error")
                              : severity == Severity::warning ? tr("Warning")
                                                              : tr("Information"));
    m_tint = tint;
    update();
}

void MessageBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    QColor ground = m_tint;
    ground.setAlphaF(0.10F);
    painter.fillRect(rect(), ground);
    painter.fillRect(QRect(0, 0, 3, height()), m_tint);
}

} // namespace ui
