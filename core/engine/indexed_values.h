// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/first_scan.h"
#include "core/engine/rules.h"
#include "core/engine/tensor_index.h"

namespace core {

/// Adds to values that denseValues() gave what the index of their tensor knows of them. Keeps references to what these values
/// keep, and to `zones`, ranges of the tensor's blocks, which may be empty. Does nothing without an index.
void setBins(ValueSet& values, const PlaneChoice& planes, std::shared_ptr<const TensorIndex> index, const BlockReader& reader,
             const ZoneMap& zones, const Workers& workers);

} // namespace core
