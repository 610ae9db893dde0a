// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/tensor.h"

#include <cstddef>
#include <span>
#include <string>

namespace core::io {

/// Bytes of the numbers that an element consists of: half an element for complex dtypes, else the element.
int swapUnit(DType dtype);
/// Writes `from` to `to` (which may be the same place) with each `unit` (1, 2, 4 or 8) bytes reversed; a rest that is shorter
/// is left out.
void swapNumbers(std::span<const std::byte> from, std::byte* to, int unit);
/// A copy of `bytes` with each `unit` (1, 2, 4 or 8) of them reversed; a rest that is shorter is left out. Throws Error that
/// begins with `subject` when memory is short, Cancelled.
Storage swapBytes(std::span<const std::byte> bytes, int unit, const std::string& subject, const Job& job);

} // namespace core::io
