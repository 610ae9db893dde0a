// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace app {

/// Path of a file of the samples: beside the installed program, else in the source tree. Empty when there is none.
QString samplePath(const QString& name);

} // namespace app
