// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

namespace core {

/// The p of a norm: (sum |v|^p)^(1/p). 0 counts the elements that are not zero, infinity takes the largest magnitude.
struct Norm
{
    double p = 2;
};

/// One of two tensors for each plane: torch.where(norm(x) >= norm(y), x, y), the norms per (batch, channel).
struct Fused
{
    /// The selected part in the tensor's own axes, fixed ones with extent 1; memory as of Selected::values.
    Tensor values;
    /// Norms of both, per plane, batch-major.
    std::vector<double> norms;
    std::vector<double> otherNorms;

    /// Whether a plane is this tensor's. A norm that is NaN loses, as in PyTorch.
    bool isFirst(std::size_t plane) const { return norms[plane] >= otherNorms[plane]; }
};

} // namespace core
