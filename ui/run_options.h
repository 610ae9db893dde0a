// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/input_panel.h"

#include <QWidget>

class QCheckBox;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace ui {

class ReadOut;

/// How models are run: operators, memory, time limit, libraries.
class RunOptionsForm : public QWidget
{
    Q_OBJECT
public:
    explicit RunOptionsForm(QWidget* parent = nullptr);

    /// Emits nothing.
    void setOptions(const RunOptions& options);
    RunOptions options() const;

Q_SIGNALS:
    void changed();

private:
    QWidget* makeLibraries();
    void setLibraries(const QStringList& libraries);

    QCheckBox* m_operators;
    QLineEdit* m_memory;
    QSpinBox* m_timeLimit;
    ReadOut* m_libraryNames;
    QToolButton* m_addLibrary;
    QToolButton* m_removeLibraries;
    QStringList m_libraries;
};

} // namespace ui
