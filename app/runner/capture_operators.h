// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/symbol.h>

namespace runner {

/// The operators that instrumented programs call:
/// `actiscope::enter(int site) -> ()` before a layer is called, `actiscope::capture(Any value, int site) -> ()` at every site.
/// Both count as having side effects, so that no pass of LibTorch moves or removes them.
/// Registers them at the first call of either function.
c10::Symbol enterOperator();
c10::Symbol captureOperator();

} // namespace runner
