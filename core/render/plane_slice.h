// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

namespace core {

/// The [H, W] slice at `depth` of a [D, H, W] map; a [H, W] map as it is.
inline Tensor sliceOf(const Tensor& map, std::int64_t depth)
{
    return map.rank() == 3 ? map.select(0, depth) : map;
}

} // namespace core
