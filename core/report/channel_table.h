// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/report/table.h"

#include <vector>

namespace core::report {

/// What a report tells of one analysis of a loaded tensor; the references must outlive it.
struct Analysis
{
    const LoadedTensor& tensor;
    const Where& where;
    /// With counts, and hot sums if the table is to have them.
    const Result& result;
};

/// The threshold actually compared: null for `nan`, `inf`, `finite` or a rule without finite values; a list of two bounds; an
/// integer where an integer was compared with integers or bool, else a float64.
Cell thresholdCell(const Threshold& threshold, const Where& where, DType dtype);

/// One row per selected plane, batch-major: batch and channel (indices in the file), threshold, elements, count, fraction,
/// min, max, mean, std, sum, hot_sum, nan. Statistics without values are null.
Table channelTable(const Analysis& analysis, const Job& job = {});

/// count / elements; null for no elements.
Cell fractionCell(std::int64_t count, std::int64_t elements);

/// Statistics as cells, null where there are no finite values (or no order, for complex numbers).
struct StatisticCells
{
    Cell min, max, mean, std, sum;
};
StatisticCells statisticCells(const Statistics& statistics);

} // namespace core::report
