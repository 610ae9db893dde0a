// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panel_pages.h"

#include <QLabel>
#include <QStackedLayout>

namespace ui {

QStackedLayout* makePages(QWidget* panel, QWidget* content, const QString& emptyLine)
{
    auto* pages = new QStackedLayout(panel);
    auto* line = new QLabel(emptyLine);
    line->setAlignment(Qt::AlignCenter);
    line->setWordWrap(true);
    line->setMargin(16);
    line->setForegroundRole(QPalette::PlaceholderText);
    line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    line->setObjectName(QStringLiteral("emptyLine"));
    pages->addWidget(line);
    pages->addWidget(content);
    return pages;
}

} // namespace ui
