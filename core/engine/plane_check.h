// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

namespace core {

/// Throws Error that names the plane, the shape and what it has, when the plane is not among the selected ones.
void checkPlane(const LoadedTensor& tensor, PlaneIndex plane);
/// The same for a batch item, which has a map also where it has no channels.
void checkBatch(const LoadedTensor& tensor, std::int64_t batch);
/// Throws Error where pixels have no label: complex values, no channels.
void checkLabels(DType dtype, const Extents& extents);

} // namespace core
