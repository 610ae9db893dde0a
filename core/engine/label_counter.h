// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/engine.h"

#include <utility>

namespace core {

/// Throws Error unless the dtype is an integer or bool.
void checkIds(DType dtype);

/// How often each id occurs among the selected elements. A table over the range of the ids where that is short, else a hash
/// table.
LabelCounts countIds(const PlaneGrid& grid, const Workers& workers, const Job& job);

/// Pairs of id and count, an id at most once. Ids of uint64 are given by their bits.
using IdCounts = std::vector<std::pair<std::int64_t, std::int64_t>>;
/// The answer made of them, in any order.
LabelCounts listIds(IdCounts counts, DType dtype);

} // namespace core
