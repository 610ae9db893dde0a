// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panel_pages.h"

#include <QCoreApplication>
#include <QLabel>
#include <QStackedLayout>

namespace ui {
namespace {

const auto lineName = QStringLiteral("emptyLine");
constexpr auto whatProperty = "what";

} // namespace

void setFilesOpen(QWidget* panel, bool open)
{
    auto* line = panel->findChild<QLabel*>(lineName, Qt::FindDirectChildrenOnly);
    const QString how = open ? QCoreApplication::translate("ui::Panel", "Choose a tensor in Contents.")
                             : QCoreApplication::translate("ui::Panel", "Open a file with Ctrl+O.");
    line->setText(line->property(whatProperty).toString() + QLatin1Char('\n') + how);
}

void setEmptyLine(QWidget* panel, const QString& text)
{
    panel->findChild<QLabel*>(lineName, Qt::FindDirectChildrenOnly)->setText(text);
}

QStackedLayout* makePages(QWidget* panel, QWidget* content, const QString& what)
{
    auto* pages = new QStackedLayout(panel);
    auto* line = new QLabel;
    line->setAlignment(Qt::AlignCenter);
    line->setWordWrap(true);
    line->setMargin(16);
    line->setForegroundRole(QPalette::PlaceholderText);
    line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    line->setObjectName(lineName);
    line->setProperty(whatProperty, what);
    pages->addWidget(line);
    pages->addWidget(content);
    setFilesOpen(panel, false);
    return pages;
}

} // namespace ui
