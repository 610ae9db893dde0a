// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <optional>
#include <vector>

namespace ui {

/// A histogram as steps to draw: counts[i] lies over [edges[i], edges[i + 1]). Empty when there is no finite value.
struct Steps
{
    std::vector<double> edges;
    std::vector<std::int64_t> counts;
    /// Whole numbers, one step each, centred on them.
    bool perInteger = false;
    /// The value of all elements when they are equal.
    std::optional<double> only;

    bool isEmpty() const { return counts.empty(); }
    /// Count of the step that holds `value`; 0 outside.
    std::int64_t at(double value) const;
};

/// Steps of a histogram. Integers and bool of fewer values than bins get one step a number (their bins would show gaps);
/// equal values get one step around theirs.
Steps stepsOf(const core::Histogram& histogram, core::DType dtype);
/// One bin holds so much more than the rest that a linear scale would hide them (the zeros of a ReLU).
bool hasDominantSpike(const Steps& steps);

/// The part of the value axis that a condition calls hot, as intervals in order; steps of whole numbers are cut half-way
/// between those that are hot and those that are not.
struct Interval
{
    double lo;
    double hi;
};
std::vector<Interval> hotIntervals(const core::Condition& condition, const Steps& steps);

/// Count-versus-threshold: points[i] = elements that are at or above edges[i] (`below`: under it). As many as edges.
std::vector<std::int64_t> cumulativeCounts(const Steps& steps, bool below);

} // namespace ui
