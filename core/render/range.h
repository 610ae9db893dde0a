// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/render.h"
#include "core/render/rows.h"

namespace core {

/// The colours chosen, or the default as defaultColors(). Limits are symmetric for coolwarm over values that can be negative.
ColorChoice chooseColors(const MapFacts& facts, bool isCount, std::optional<ColorMap> chosen);

/// Limits for several maps on one scale, `facts` being what inspect() says of all of them. As findRange() of colormap.h.
ValueRange findRange(std::span<const Tensor> maps, const RangeChoice& choice, bool symmetric, const MapFacts& facts);

/// The value below which `percent` (0 to 100) of the values lie, linear between neighbours as torch.quantile of float64.
/// Reorders `values`, which must not be empty.
double percentileOf(std::vector<double>& values, double percent);

} // namespace core
