// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/engine/plane_grid.h"

namespace core {

/// The planes of a second tensor that stands beside `tensor` element by element. Throws Error when it is missing, sparse, or of
/// another dtype or extents. The operand outlives the grid.
PlaneGrid operandGrid(const LoadedTensor& tensor, const LoadedTensor* operand);

} // namespace core
