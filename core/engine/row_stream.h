// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/row_lister.h"

namespace core {

/// All rows of hot elements, in order and in blocks; the sink returns false to stop early.
void streamRows(const RowLister& lister, bool values, const std::function<bool(const RowBlock&)>& sink, const Workers& workers,
                const Job& job);

} // namespace core
