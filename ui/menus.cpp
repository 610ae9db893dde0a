// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions.h"
#include "ui/icons.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenuBar>

namespace ui {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Menus", text);
}

} // namespace

Menus::Menus(QMenuBar* bar, const Actions& actions, const QList<QAction*>& docks)
{
    for (const auto& group : actions.groups()) {
        QMenu* menu = bar->addMenu(group.title);
        for (QAction* action : group.actions) {
            if (action)
                menu->addAction(action);
            else
                menu->addSeparator();
            if (action == actions.open) {
                recent = menu->addMenu(icon(QStringLiteral("recent")), tr("Open &Recent"));
                recent->setEnabled(false);
            }
            if (action == actions.colorBar) {
                QMenu* panels = menu->addMenu(tr("&Docks"));
                panels->addActions(docks);
                panels->addSeparator();
                panels->addAction(actions.resetDocks);
                QMenu* theme = menu->addMenu(tr("&Theme"));
                theme->addActions({actions.themeSystem, actions.themeLight, actions.themeDark});
            }
        }
    }
}

} // namespace ui
