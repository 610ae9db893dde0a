// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/model.h"
#include "core/document.h"

namespace app {

/// A layer as an entry without values yet.
core::Entry layerEntry(const ModelLayer& layer);

/// Whether a capture holds values.
bool isKept(const Capture& capture);

/// Gives an entry what a capture is: dtype, shape, notes and, where values were kept, how they are loaded.
void describeCapture(core::Entry& entry, const Capture& capture);

} // namespace app
