// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/tensor.h"

#include <cstddef>
#include <vector>

namespace core {

/// A sparse tensor in one form: scalar elements by their position in row-major order over the whole shape.
struct CanonicalSparse
{
    /// Ascending, without duplicates.
    std::vector<std::int64_t> positions;
    /// One element of the tensor's dtype for each position, packed.
    std::vector<std::byte> values;
};

/// Expands blocks and dense axes to scalars, sorts, and adds up duplicates in the tensor's dtype in the order stored, as
/// torch.sparse's coalesce does (bool: or). Throws Error for an index outside the shape or arrays that do not fit each other.
CanonicalSparse canonicalise(const SparseTensor& tensor, const Job& job);

} // namespace core
