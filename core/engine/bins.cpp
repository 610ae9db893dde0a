// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bins.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace core {
namespace {

/// Adds up `bins` counters that every thread keeps for itself. index(value) is the bin of a seen value, or -1.
template <class Seen, class Index>
std::vector<std::int64_t> countBy(std::int64_t bins, const ValueSet& values, const Job& job, Index index)
{
    tbb::enumerable_thread_specific<std::vector<std::int64_t>> counters(
        std::vector<std::int64_t>(static_cast<std::size_t>(bins)));
    values.forEach(job, [&](const std::byte* block, std::int64_t n) {
        std::vector<std::int64_t>& counts = counters.local();
        for (std::int64_t i = 0; i < n; ++i) {
            Seen stored;
            std::memcpy(&stored, block + i * static_cast<std::int64_t>(sizeof stored), sizeof stored);
            if (const std::int64_t bin = index(toCompare(stored)); bin >= 0)
                ++counts[static_cast<std::size_t>(bin)];
        }
    });
    std::vector<std::int64_t> sum(static_cast<std::size_t>(bins));
    for (const std::vector<std::int64_t>& counts : counters)
        std::transform(sum.begin(), sum.end(), counts.begin(), sum.begin(), std::plus<>());
    if (values.zeros > 0)
        sum[static_cast<std::size_t>(index(toCompare(Seen{})))] += values.zeros;
    return sum;
}

} // namespace

std::vector<double> binEdges(double lo, double hi, int bins)
{
    std::vector<double> edges;
    const double delta = hi - lo;
    const double step = delta / bins;
    for (int i = 0; i < bins; ++i) {
        if (!std::isfinite(delta))
            edges.push_back(lo * (1 - static_cast<double>(i) / bins) + hi * (static_cast<double>(i) / bins));
        else
            edges.push_back(step == 0 ? i / static_cast<double>(bins) * delta + lo : i * step + lo);
    }
    edges.push_back(hi);
    return edges;
}

std::vector<std::int64_t> countBins(const std::vector<double>& edges, const ValueSet& values, const Job& job)
{
    if (values.counter)
        return values.counter->countBins(edges, job);
    const auto bins = static_cast<std::int64_t>(edges.size()) - 1;
    const double lo = edges.front();
    const double scale = static_cast<double>(bins) / (edges.back() - lo);
    const auto bin = [&](double value) -> std::int64_t {
        if (!std::isfinite(value))
            return -1;
        const double guess = (value - lo) * scale;
        std::int64_t i = guess < static_cast<double>(bins) ? static_cast<std::int64_t>(guess) : bins - 1;
        while (i > 0 && value < edges[static_cast<std::size_t>(i)])
            --i;
        while (i < bins - 1 && value >= edges[static_cast<std::size_t>(i) + 1])
            ++i;
        return i;
    };
    return withSeenType(values.dtype, [&](auto seen) {
        return countBy<decltype(seen)>(bins, values, job, [&](auto value) { return bin(static_cast<double>(value)); });
    });
}

std::vector<std::int64_t> countIntegers(std::int64_t lo, std::int64_t bins, const ValueSet& values, const Job& job)
{
    if (values.counter)
        return values.counter->countIntegers(lo, bins, job);
    return withSeenType(values.dtype, [&](auto seen) {
        return countBy<decltype(seen)>(bins, values, job, [lo](auto value) -> std::int64_t {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(lo));
        });
    });
}

} // namespace core
