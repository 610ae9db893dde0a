// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/analysis_worker.h"
#include "ui/main_window.h"

namespace app {

/// What the window must know of a tensor taken in.
ui::TensorSummary summaryOf(const TakenTensor& taken, const QString& file);

/// Whether a selection makes sense for a shape.
bool fits(const core::Selection& selection, const core::Shape& shape);

} // namespace app
