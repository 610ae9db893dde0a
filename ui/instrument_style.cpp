// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/instrument_style.h"

#include "ui/theme.h"

#include <QPainter>
#include <QStyleOption>

namespace ui {
namespace {

QColor mix(const QColor& a, const QColor& b, double partOfB)
{
    const auto channel = [partOfB](int x, int y) { return qRound(x + (y - x) * partOfB); };
    return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

void drawSwitchedOn(const QStyleOption& option, QPainter& painter)
{
    const QColor accent = option.palette.color(QPalette::Highlight);
    const QColor ground = option.palette.color(QPalette::Button);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(mix(ground, accent, 0.9));
    painter.setBrush(mix(ground, accent, isDark(option.palette) ? 0.55 : 0.22));
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.restore();
}

} // namespace

InstrumentStyle::InstrumentStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void InstrumentStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                    const QWidget* widget) const
{
    if (element == PE_IndicatorDockWidgetResizeHandle) {
        const QPoint centre = option->rect.center();
        painter->setPen(themeColors(option->palette).hairline);
        if (option->rect.height() > option->rect.width())
            painter->drawLine(centre.x(), option->rect.top(), centre.x(), option->rect.bottom());
        else
            painter->drawLine(option->rect.left(), centre.y(), option->rect.right(), centre.y());
        return;
    }
    if (element == PE_PanelButtonTool && option->state & State_On && option->state & State_Enabled) {
        drawSwitchedOn(*option, *painter);
        return;
    }
    if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
        header && element == PE_IndicatorHeaderArrow && header->sortIndicator != QStyleOptionHeader::None) {
        // Qt points down for ascending; elsewhere in the window down stands for descending, as people read it.
        QStyleOptionHeader turned(*header);
        turned.sortIndicator =
            header->sortIndicator == QStyleOptionHeader::SortDown ? QStyleOptionHeader::SortUp : QStyleOptionHeader::SortDown;
        QProxyStyle::drawPrimitive(element, &turned, painter, widget);
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void InstrumentStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                                  const QWidget* widget) const
{
    if (const auto* dock = qstyleoption_cast<const QStyleOptionDockWidget*>(option);
        dock && element == CE_DockWidgetTitle && !dock->verticalTitleBar) {
        QFont font = painter->font();
        font.setBold(true);
        painter->save();
        painter->setFont(font);
        painter->setPen(dock->palette.color(QPalette::WindowText));
        const QRect room = subElementRect(SE_DockWidgetTitleBarText, option, widget).adjusted(4, 0, 0, 0);
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                          QFontMetrics(font).elidedText(dock->title, Qt::ElideRight, room.width()));
        painter->restore();
        return;
    }
    if (element == CE_MenuBarEmptyArea)
        return;
    if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option); item && element == CE_MenuBarItem) {
        const bool open = item->state & (State_Selected | State_Sunken);
        if (open)
            painter->fillRect(item->rect, item->palette.color(QPalette::Highlight));
        drawItemText(painter, item->rect, Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextSingleLine, item->palette,
                     item->state & State_Enabled, item->text, open ? QPalette::HighlightedText : QPalette::WindowText);
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

int InstrumentStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    if (metric == PM_DockWidgetSeparatorExtent)
        return 5;
    if (metric == PM_DockWidgetTitleMargin)
        return 4;
    return QProxyStyle::pixelMetric(metric, option, widget);
}

} // namespace ui
