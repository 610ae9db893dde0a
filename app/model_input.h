// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/arguments.h"
#include "ui/input_panel.h"

namespace app {

/// What the Input dock shows of a model, with an input that suits it where its weights tell one.
ui::InputModel inputModel(int document, const QString& name, const ModelInfo& info);

/// What the user's choice stands for. Throws core::UsageError.
ModelInput modelInput(const ui::InputChoice& choice);

/// A message of the command line's core in the window's words: names of fields in place of options.
QString windowWords(QString message);

/// What the network would get, for the Input dock: shapes, and the fixes that they suggest; without the picture.
ui::InputPreview inputPreview(const PreparedArguments& arguments, const ui::InputChoice& choice, const ModelInfo& info);

} // namespace app
