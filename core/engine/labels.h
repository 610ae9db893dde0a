// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <optional>

namespace core {

/// Asks for the channel with the largest value at every pixel.
struct LabelQuery
{
    /// Position among the selected batch items, or all of them.
    std::optional<std::int64_t> batch;
    /// Also the values that won.
    bool values = false;
};

/// The answer, [N, H, W] or, with a depth axis, [N, D, H, W]; N is 1 when one batch item was asked. As torch.argmax over the
/// channels: of equal values (also -0 and 0) the first channel's wins, and NaN counts as larger than any number.
struct LabelMap
{
    /// Position of the winner among the selected channels: uint8 for at most 256 channels, else int32.
    Tensor labels;
    /// Its value in the tensor's own dtype, bit for bit; absent unless asked.
    std::optional<Tensor> values;
};

/// How often each id occurs in an integer or bool tensor: torch.unique(return_counts=True) over the selected elements.
struct LabelCounts
{
    /// [n] in the tensor's own dtype, ascending.
    Tensor ids;
    /// How often, in the order of `ids`.
    std::vector<std::int64_t> counts;
};

} // namespace core
