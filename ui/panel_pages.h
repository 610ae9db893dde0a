// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QStackedLayout;
class QWidget;

namespace ui {

/// Gives a panel two pages: `content`, and before it, shown at first, a line that says what will be there and how to get it.
/// Page 0 is the line, page 1 the content.
QStackedLayout* makePages(QWidget* panel, QWidget* content, const QString& what);
/// How to get there depends: by opening a file, or by choosing a tensor of an open one.
void setFilesOpen(QWidget* panel, bool open);
/// A line of the panel's own in place of both.
void setEmptyLine(QWidget* panel, const QString& text);

} // namespace ui
