// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/engine/norm_tiles.h"
#include "core/engine/part_copy.h"
#include "core/engine/stored_update.h"

/// Passes over tensors in memory that fill a new one, whichever engine found the thresholds or the norms.
namespace core {

/// Norms per plane, batch-major.
std::vector<double> planeNorms(const PlaneGrid& grid, const NormTiles& norm, const Workers& workers, const Job& job);

/// Fills the copy with the chosen tensor's planes (Fused::isFirst).
void copyChosen(const PlaneGrid& grid, const PlaneGrid& other, const Fused& chosen, const PartCopy& copy,
                const Workers& workers, const Job& job);

/// Fills the copy with the updated elements and counts them; `update` is of `test`; `other` is for Update::replace, else null.
void updatePart(const PlaneGrid& grid, const PlaneGrid* other, const HotTest& test, const StoredUpdate& update,
                const PartCopy& copy, const Workers& workers, const Job& job, Selected& result);

} // namespace core
