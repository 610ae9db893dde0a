// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace ui {

/// Versions, vector width, engine in use and the licences of what is linked.
class AboutDialog : public QDialog
{
    Q_OBJECT
public:
    AboutDialog(const QString& engine, QWidget* parent);
};

} // namespace ui
