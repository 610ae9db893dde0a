// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// QCustomPlot 2.1's header uses Qt's keyword macros; the rest of the program is built without them.
#include <QObject>
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit
#define foreach Q_FOREACH
#include <qcustomplot.h> // IWYU pragma: export
#undef signals
#undef slots
#undef emit
#undef foreach
