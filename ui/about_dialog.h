// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace ui {

/// Versions, vector width, GPU, engine in use and the licences of what is linked.
class AboutDialog : public QDialog
{
    Q_OBJECT
public:
    /// `machine`: lines about what this build and this machine can do; `engine`: what answered last, or empty.
    AboutDialog(const QString& machine, const QString& engine, QWidget* parent);
};

} // namespace ui
