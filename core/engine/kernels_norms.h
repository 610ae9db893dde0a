// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/kernels.h"

namespace core {

/// What a norm adds up over the values of a tile, as float64. NaN and infinities take part.
enum class NormPart {
    /// |v|, and v * v: sums in the order of lane_sum.h.
    absolute,
    squares,
    /// The largest |v|; NaN when there is one.
    largest,
    /// Values that are not zero.
    nonzero,
};

/// Of one tile, n <= tileElements.
template <class Stored>
double normTile(const std::byte* values, std::int64_t n, NormPart part);

/// |v|^p in the order of lane_sum.h, p > 0 and finite. As exact as std::pow.
template <class Stored>
double powerTile(const std::byte* values, std::int64_t n, double p);

} // namespace core
