// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/engine.h"
#include "core/engine/hot_test.h"

#include <memory>

namespace core {

/// What makes a dragged threshold live: for every plane, how many of its values lie at or above each of many edges. An edge is
/// known exactly as a value of the dtype, so counts at edges are exact. Immutable once built.
class TensorIndex
{
public:
    virtual ~TensorIndex() = default;

    /// Per-plane counts of a condition, batch-major, when every bound of it is an edge or lies where no plane has values;
    /// nothing when it has to be counted.
    virtual std::optional<std::vector<std::int64_t>> counts(const HotTest& test) const = 0;
    /// Thresholds T, ascending, at which counts of `> T` come by look-up.
    virtual std::span<const double> stops() const = 0;
    virtual std::int64_t bytes() const = 0;
};

/// Scans the tensor once, in parallel. `all`: its statistics. Bins per plane: min(4096, elements of a plane / 4) rounded down
/// to a power of two, none below 16; fewer where `budgetBytes` would be passed. Null where an index does not help: complex
/// dtypes, no finite value, planes too many for the budget or of more than 2^32 - 1 elements. Throws Cancelled.
std::shared_ptr<const TensorIndex> buildTensorIndex(const BlockReader& reader, const Statistics& all, std::int64_t budgetBytes,
                                                    const Workers& workers, const Job& job);

/// The stop nearest to `value`; `value` itself without stops.
double nearestStop(std::span<const double> stops, double value);
/// The stop `steps` further up or down from the one nearest to `value`, held to the first and the last.
double stepStop(std::span<const double> stops, double value, std::int64_t steps);

} // namespace core
