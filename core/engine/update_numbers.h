// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/element_update.h"
#include "core/engine/kernels.h"

namespace core {

/// The update that a query means for a dtype, Work being the type that computes: the compare type of the stored one; float for
/// 8-bit floats; the part's type for complex values, of which it updates the real part. Throws Error where PyTorch refuses (see
/// SelectQuery), and for a query without the numbers that its update takes.
template <class Work>
ElementUpdate<Work> elementUpdate(const SelectQuery& query, DType dtype);

} // namespace core
