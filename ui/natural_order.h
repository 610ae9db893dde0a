// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ui {

/// Order of names as people count, letter case aside: "layer2" before "layer10".
bool naturallyBefore(const QString& a, const QString& b);

} // namespace ui
