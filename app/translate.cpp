// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/translate.h"

#include <QFile>
#include <new>

namespace app {

QString messageOf(const std::exception& error)
{
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return QStringLiteral("Not enough memory for this; close other files or choose a smaller part of the tensor");
    return QString::fromUtf8(error.what());
}

std::filesystem::path toPath(const QString& file)
{
    return QFile::encodeName(file).toStdString();
}

QString fromPath(const std::filesystem::path& path)
{
    return QFile::decodeName(path.c_str());
}

} // namespace app
