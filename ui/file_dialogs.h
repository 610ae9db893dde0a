// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include <functional>

class QWidget;

namespace ui {

enum class ExportKind;

/// Dialogs that do not block: `take` is called with what was chosen, and not at all when nothing was.
void chooseTensorFiles(QWidget* parent, const std::function<void(const QStringList&)>& take);
void chooseImageFile(QWidget* parent, const std::function<void(const QString&)>& take);
/// Pictures or tensor files for a model; one, unless `many`.
void chooseInputFiles(QWidget* parent, bool many, const std::function<void(const QStringList&)>& take);
/// A library of custom operators.
void chooseOperatorLibrary(QWidget* parent, const std::function<void(const QString&)>& take);
/// `name`: the file name suggested, without ending.
void chooseExportFile(QWidget* parent, ExportKind kind, const QString& name, const std::function<void(const QString&)>& take);

} // namespace ui
