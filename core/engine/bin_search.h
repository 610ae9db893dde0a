// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/rules.h"

namespace core {

/// Keys of two neighbouring ranks.
struct RankedKeys
{
    std::int64_t lower = 0;
    /// As `lower` where that is the last one.
    std::int64_t upper = 0;
};

/// The values of rank `rank` (counted from 0, below the number of values) and rank + 1: the bins tell where they lie, and what
/// is in these is looked at; bins with many values are counted in finer ones first.
RankedKeys selectKeys(const ValueBins& values, std::int64_t rank, const Job& job);

} // namespace core
