// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/actions.h"

#include <QDialog>

namespace ui {

/// All keys, made from the actions themselves, and what the mouse does on the canvas.
class ShortcutList : public QDialog
{
    Q_OBJECT
public:
    ShortcutList(const Actions& actions, QWidget* parent);
};

} // namespace ui
