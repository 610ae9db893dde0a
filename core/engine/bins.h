// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/rules.h"

#include <span>
#include <vector>

namespace core {

/// numpy.linspace(lo, hi, bins + 1) in float64.
std::vector<double> binEdges(double lo, double hi, int bins);

/// Counts of finite values between increasing edges: v falls in bin i when edges[i] <= v < edges[i + 1]; the last bin is
/// closed. All finite values lie between the first and the last edge.
std::vector<std::int64_t> countBins(const std::vector<double>& edges, const ValueSet& values, const Job& job);

/// Counts of the integers lo, lo + 1, ... (`bins` of them), for an integer dtype whose values lie there.
std::vector<std::int64_t> countIntegers(std::int64_t lo, std::int64_t bins, const ValueSet& values, const Job& job);

} // namespace core
