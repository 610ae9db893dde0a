// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/first_scan.h"
#include "core/engine/tensor_index.h"

#include <string>

namespace core {

/// What is kept beside a tensor so that a threshold can be dragged.
struct MemoryPlan
{
    ScanParts scan;
    IndexBudget index;
    /// What did not fit and what that costs, as a sentence; empty when nothing was left out.
    std::string leftOut;
};

/// Bytes that may be kept beside a tensor: half of what it holds itself and 24 MiB, and no more than a quarter of the machine's
/// memory.
std::int64_t memoryLimit(const Tensor& tensor);

/// In the order of their use: codes, ranges of blocks, the max map; histograms take what is left, for which some is set aside.
MemoryPlan planMemory(const PlaneGrid& grid, std::int64_t limitBytes);

} // namespace core
