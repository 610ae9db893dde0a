// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/dtype.h"
#include "core/engine/norms.h"
#include "core/engine/parallel.h"

#include <span>

namespace core {

/// A norm made ready for a dtype: of tiles first, then of the planes that they make up, in the order of lane_sum.h.
class NormTiles
{
public:
    /// Throws Error unless p >= 0.
    NormTiles(const Norm& norm, DType dtype);

    /// What each tile of a run of `n` seen values (see withSeenType), which begins with a tile, adds: tileCount(n) parts.
    void fill(const std::byte* values, std::int64_t n, double* parts) const { m_fill(values, n, m_p, parts); }
    /// The norm of a plane, from the parts of all its tiles.
    double total(std::span<const double> parts) const;
    /// The norm of a plane of `n` seen values.
    double of(const std::byte* values, std::int64_t n, Scratch& scratch) const;

private:
    double m_p;
    void (*m_fill)(const std::byte*, std::int64_t, double, double*);
};

} // namespace core
