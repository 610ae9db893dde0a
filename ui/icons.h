// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

namespace ui {

/// One of our line icons by its file name without ending. Drawn in the text colour of the palette in use when it is painted, so
/// it follows light and dark by itself.
QIcon icon(const QString& name);
/// The same in a colour of its own.
QIcon icon(const QString& name, const QColor& color);

} // namespace ui
