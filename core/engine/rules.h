// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/statistics.h"

#include <span>

namespace core {

/// Some planes taken as one set of values, of which rules and histograms see the finite ones.
struct ValueSet
{
    const BlockReader& reader;
    const Workers& workers;
    /// Positions, or nothing for all.
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> channel;
    /// Of the whole set.
    Statistics statistics;

    /// Calls work(values, n) for all seen values, on several threads, in no order.
    void forEach(const Job& job, const std::function<void(const std::byte*, std::int64_t)>& work) const;
};

/// Threshold of a rule; nothing when no value is finite. Throws Error for complex values.
std::optional<double> findThreshold(const Rule& rule, const ValueSet& values, const Job& job);

/// torch.quantile(x.double(), fraction) over the finite values, linear, whatever the size: found by counting in the order of
/// the values' bits, without a copy.
double quantile(double fraction, const ValueSet& values, const Job& job);

/// scikit-image 0.26's threshold_otsu with 256 bins, in the arithmetic NumPy uses for the dtype; integers that span up to
/// 65,536 values have one bin per value. Equal values: that value.
double otsuThreshold(const ValueSet& values, const Job& job);

/// Counts of finite values in equal bins over their finite range, as numpy.histogram of x.double(); equal values lie in the
/// middle of a range of 1. No bins when no value is finite.
Histogram histogramOf(int bins, const ValueSet& values, const Job& job);

} // namespace core
