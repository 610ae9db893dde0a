// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout.h"
#include "core/tensor.h"
#include "gpu/parameters.h"

namespace gpu {

/// The elements of the selected part in the order of the tensor's own axes, over its packed values; axes that continue each
/// other are one, so that with one axis the order is that of the packed values.
Order ownOrder(const core::Tensor& tensor, const core::Selection& selection, const core::Extents& extents);

} // namespace gpu
