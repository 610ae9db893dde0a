// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace core {

/// Bins between ascending edges that lie about equally far apart: value v is in bin i when edges[i] <= v < edges[i + 1], the
/// last one is closed. Where v lies is computed in float64, and only near an edge compared with it.
struct LinearBins
{
    /// One more than bins, of which there are at most 65,535.
    std::span<const double> edges;
    /// Bins per unit.
    double scale = 0;

    /// Bins to both sides of an edge within which values are compared with it: more than any value is on the wrong side of its
    /// place.
    double near = 0;

    int bins() const { return static_cast<int>(edges.size()) - 1; }
    /// Bins from the first edge to a value.
    double placeOf(double value) const { return (value - edges.front()) * scale; }
};

/// Bins of `n` values of a stored type, of which the finite ones lie between the first and the last edge; NaN and infinities
/// have bin bins(). A kernel: see kernels.h.
template <class Stored>
void findLinearBins(const std::byte* values, std::int64_t n, const LinearBins& linear, std::uint16_t* bins);

} // namespace core
