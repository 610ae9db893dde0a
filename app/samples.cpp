// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/samples.h"

#include <QCoreApplication>
#include <QFile>

namespace app {

QString samplePath(const QString& name)
{
    const QString folders[] = {QCoreApplication::applicationDirPath() + QStringLiteral("/../share/actiscope/samples/"),
                               QStringLiteral(ACTISCOPE_SAMPLES "/")};
    for (const auto& folder : folders)
        if (QFile::exists(folder + name))
            return folder + name;
    return {};
}

} // namespace app
