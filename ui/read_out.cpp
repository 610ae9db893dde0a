// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/read_out.h"

#include "ui/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace ui {

ReadOut::ReadOut(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ReadOut::setText(const QString& text)
{
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleDescription(text);
    update();
}

void ReadOut::setRoom(int characters)
{
    m_room = characters;
    updateGeometry();
}

void ReadOut::setAlignment(Qt::Alignment alignment)
{
    m_alignment = alignment | Qt::AlignVCenter;
    update();
}

void ReadOut::setElideMode(Qt::TextElideMode mode)
{
    m_elide = mode;
    update();
}

void ReadOut::setQuiet(bool quiet)
{
    m_quiet = quiet;
    update();
}

QSize ReadOut::sizeHint() const
{
    return {m_room * fontMetrics().horizontalAdvance(u'0'), fontMetrics().height() + 4};
}

QSize ReadOut::minimumSizeHint() const
{
    return {sizeHint().width() / 3, sizeHint().height()};
}

void ReadOut::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(m_quiet ? themeColors(palette()).quietText : palette().color(QPalette::WindowText));
    const QString shown = fontMetrics().elidedText(m_text, m_elide, width());
    painter.drawText(rect(), static_cast<int>(m_alignment) | Qt::TextSingleLine, shown);
}

bool ReadOut::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const bool fits = fontMetrics().horizontalAdvance(m_text) <= width();
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), fits ? toolTip() : m_text, this);
    return true;
}

} // namespace ui
