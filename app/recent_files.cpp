// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/recent_files.h"

#include <QSettings>

namespace app {

namespace {

// As many as there are keys for them (Ctrl+1 to Ctrl+9).
constexpr qsizetype limit = 9;
const auto key = QStringLiteral("recentFiles");

} // namespace

QStringList recentFiles()
{
    return QSettings().value(key).toStringList();
}

QStringList addRecentFile(const QString& file)
{
    auto files = recentFiles();
    files.removeAll(file);
    files.prepend(file);
    files = files.mid(0, limit);
    QSettings().setValue(key, files);
    return files;
}

} // namespace app
