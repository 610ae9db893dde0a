// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/allowance.h"
#include "core/io/byte_view.h"
#include "core/io/pickle_value.h"
#include "core/progress.h"

namespace core::io {

/// Deepest nesting of values that readers follow.
inline constexpr int deepestNesting = 1000;

/// Reads one pickle (protocols 0 to 5; Python's pickletools.py describes them) from the view's position to its STOP. Builds
/// values only: no class is looked up, nothing is called, whatever the pickle asks for. Charges what it builds to `allowance`.
/// Throws Error (view's subject, byte) for a damaged pickle or an opcode that needs more than the pickle itself; Cancelled.
Pickle readPickle(ByteView& view, Allowance& allowance, const Job& job);

} // namespace core::io
