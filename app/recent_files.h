// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace app {

/// Files opened last, newest first; kept in the user's settings.
QStringList recentFiles();
/// Puts a file first and returns the new list.
QStringList addRecentFile(const QString& file);

} // namespace app
