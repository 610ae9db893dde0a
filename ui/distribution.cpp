// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace ui {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Steps integerSteps(const core::Histogram& histogram, double width)
{
    const auto numbers = static_cast<std::size_t>(width) + 1;
    Steps steps;
    steps.perInteger = true;
    steps.counts.resize(numbers);
    for (std::size_t i = 0; i <= numbers; ++i)
        steps.edges.push_back(histogram.lo + static_cast<double>(i) - 0.5);
    const double binsPerNumber = static_cast<double>(histogram.bins.size()) / width;
    for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
        // A bin [lo + i w, lo + (i + 1) w) with w < 1 holds at most one whole number.
        const auto number = static_cast<std::size_t>(std::ceil(static_cast<double>(i) / binsPerNumber - 1e-9));
        steps.counts[std::min(number, numbers - 1)] += histogram.bins[i];
    }
    return steps;
}

/// The bound of a half-line: thresholds of whole numbers are cut half-way.
double cutAbove(double t, bool closed, bool perInteger)
{
    if (!perInteger || !std::isfinite(t))
        return t;
    return closed ? std::ceil(t) - 0.5 : std::floor(t) + 0.5;
}

double cutBelow(double t, bool closed, bool perInteger)
{
    if (!perInteger || !std::isfinite(t))
        return t;
    return closed ? std::floor(t) + 0.5 : std::ceil(t) - 0.5;
}

bool meets(const core::Condition& condition, double value)
{
    using enum core::ConditionKind;
    const double a = condition.a.real;
    const double b = condition.b.real;
    switch (condition.kind) {
    case gt:
        return value > a;
    case ge:
        return value >= a;
    case lt:
        return value < a;
    case le:
        return value <= a;
    case eq:
        return value == a;
    case ne:
        return value != a;
    case between:
        return a <= value && value <= b;
    case outside:
        return value < a || value > b;
    case absGt:
        return std::abs(value) > a;
    case absGe:
        return std::abs(value) >= a;
    case finite:
        return true;
    case nan:
    case inf:
        return false;
    }
    return false;
}

} // namespace

std::int64_t Steps::at(double value) const
{
    if (isEmpty() || !(value >= edges.front()) || value > edges.back())
        return 0;
    const auto above = std::upper_bound(edges.begin(), edges.end(), value);
    const auto index = static_cast<std::size_t>(above - edges.begin()) - 1;
    return counts[std::min(index, counts.size() - 1)];
}

Steps stepsOf(const core::Histogram& histogram, core::DType dtype)
{
    if (histogram.bins.empty())
        return {};
    const bool isWhole = dtype == core::DType::boolean || core::isInteger(dtype);
    const double width = histogram.hi - histogram.lo;
    if (!(width > 0)) {
        std::int64_t all = 0;
        for (const std::int64_t bin : histogram.bins)
            all += bin;
        const double half = isWhole ? 0.5 : std::max(std::abs(histogram.lo) * 0.05, 1e-3);
        return {{histogram.lo - half, histogram.lo + half}, {all}, isWhole, histogram.lo};
    }
    if (isWhole && width < static_cast<double>(histogram.bins.size()))
        return integerSteps(histogram, width);
    Steps steps;
    steps.counts = histogram.bins;
    const auto bins = static_cast<double>(histogram.bins.size());
    for (std::size_t i = 0; i < histogram.bins.size(); ++i)
        steps.edges.push_back(histogram.lo + width * (static_cast<double>(i) / bins));
    steps.edges.push_back(histogram.hi);
    return steps;
}

bool hasDominantSpike(const Steps& steps)
{
    if (steps.counts.size() < 3)
        return false;
    std::vector<std::int64_t> sorted = steps.counts;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    constexpr std::int64_t hidden = 12;
    return sorted[0] > hidden * std::max<std::int64_t>(1, sorted[1 + (sorted.size() - 1) / 16]);
}

std::vector<Interval> hotIntervals(const core::Condition& condition, const Steps& steps)
{
    const bool perInteger = steps.perInteger;
    if (steps.only) {
        if (meets(condition, *steps.only))
            return {{-infinity, infinity}};
        return {};
    }
    using enum core::ConditionKind;
    const double a = condition.a.real;
    const double b = condition.b.real;
    switch (condition.kind) {
    case gt:
    case ge:
        return {{cutAbove(a, condition.kind == ge, perInteger), infinity}};
    case lt:
    case le:
        return {{-infinity, cutBelow(a, condition.kind == le, perInteger)}};
    case between:
        return {{cutAbove(a, true, perInteger), cutBelow(b, true, perInteger)}};
    case outside:
        if (a > b)
            return {{-infinity, infinity}};
        return {{-infinity, cutBelow(a, false, perInteger)}, {cutAbove(b, false, perInteger), infinity}};
    case absGt:
    case absGe: {
        const bool closed = condition.kind == absGe;
        if (a < 0)
            return {{-infinity, infinity}};
        return {{-infinity, cutBelow(-a, closed, perInteger)}, {cutAbove(a, closed, perInteger), infinity}};
    }
    case eq:
        return {{cutAbove(a, true, perInteger), cutBelow(a, true, perInteger)}};
    case ne:
        return {{-infinity, cutBelow(a, false, perInteger)}, {cutAbove(a, false, perInteger), infinity}};
    case finite:
        return {{-infinity, infinity}};
    case nan:
    case inf:
        return {};
    }
    return {};
}

std::vector<std::int64_t> cumulativeCounts(const Steps& steps, bool below)
{
    if (steps.isEmpty())
        return {};
    std::vector<std::int64_t> points(steps.edges.size(), 0);
    if (below) {
        for (std::size_t i = 0; i < steps.counts.size(); ++i)
            points[i + 1] = points[i] + steps.counts[i];
    } else {
        for (std::size_t i = steps.counts.size(); i-- > 0;)
            points[i] = points[i + 1] + steps.counts[i];
    }
    return points;
}

} // namespace ui
