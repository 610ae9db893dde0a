// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bins.h"

#include "core/engine/binning.h"
#include "core/engine/kernels_linear.h"
#include "core/engine/tensor_index.h"
#include "core/engine/value_keys.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace core {
namespace {

using Counts = std::vector<std::int64_t>;

/// Adds up counters that every thread keeps for itself. add(block, n, counts) counts a block of values.
template <class Add>
Counts countBlocks(std::size_t bins, const ValueSet& values, const Job& job, Add add)
{
    tbb::enumerable_thread_specific<Counts> counters(Counts(bins, 0));
    values.forEach(job, [&](const std::byte* block, std::int64_t n) { add(block, n, counters.local()); });
    Counts sum(bins);
    for (const Counts& counts : counters)
        std::transform(sum.begin(), sum.end(), counts.begin(), sum.begin(), std::plus<>());
    return sum;
}

/// Counts one by one. index(value) is the bin of a seen value, or -1.
template <class Seen, class Index>
Counts countBy(std::int64_t bins, const ValueSet& values, const Job& job, Index index)
{
    Counts sum =
        countBlocks(static_cast<std::size_t>(bins), values, job, [&](const std::byte* block, std::int64_t n, Counts& counts) {
            for (std::int64_t i = 0; i < n; ++i) {
                Seen stored;
                std::memcpy(&stored, block + i * static_cast<std::int64_t>(sizeof stored), sizeof stored);
                if (const std::int64_t bin = index(toCompare(stored)); bin >= 0)
                    ++counts[static_cast<std::size_t>(bin)];
            }
        });
    if (values.zeros > 0)
        sum[static_cast<std::size_t>(index(toCompare(Seen{})))] += values.zeros;
    return sum;
}

/// What the bins of an index tell alone; nothing when one of them lies on both sides of an edge.
template <class Seen, class Index>
std::optional<Counts> countByIndex(std::int64_t bins, const ValueSet& values, Index index)
{
    if (!values.bins)
        return std::nullopt;
    Counts counts(static_cast<std::size_t>(bins));
    for (const ValueBins::Bin& bin : values.bins->bins()) {
        const std::int64_t place = index(compareOfKey<Seen>(bin.first));
        if (place != index(compareOfKey<Seen>(bin.last)))
            return std::nullopt;
        counts[static_cast<std::size_t>(place)] += bin.count;
    }
    return counts;
}

/// How far, in bins, some value's place is on the wrong side of an edge.
template <class Seen>
double largestError(const LinearBins& linear, KeyRange keys)
{
    const auto valueOf = [](std::int64_t key) { return static_cast<double>(compareOfKey<Seen>(key)); };
    double error = 0;
    for (std::size_t i = 1; i + 1 < linear.edges.size(); ++i) {
        // The first value at or above the edge, by halving.
        std::int64_t below = keys.first;
        std::int64_t above = keys.last;
        while (below != above) {
            const auto gap = static_cast<std::uint64_t>(above) - static_cast<std::uint64_t>(below);
            const auto key = static_cast<std::int64_t>(static_cast<std::uint64_t>(below) + gap / 2);
            if (valueOf(key) >= linear.edges[i])
                above = key;
            else
                below = key + 1;
        }
        const auto edge = static_cast<double>(i);
        if (valueOf(above) >= linear.edges[i])
            error = std::max(error, edge - linear.placeOf(valueOf(above)));
        if (above > keys.first)
            error = std::max(error, linear.placeOf(valueOf(above - 1)) - edge);
    }
    return error;
}

/// Nothing where that would be wrong, or most values would have to be compared with edges.
template <class Seen>
std::optional<LinearBins> linearBins(const std::vector<double>& edges, const Statistics& statistics)
{
    using Compare = CompareOf<Seen>;
    const double width = edges.back() - edges.front();
    LinearBins linear{edges, static_cast<double>(edges.size() - 1) / width};
    if (linear.bins() > maxBins || !(width > 0) || !std::isfinite(width) || !std::isfinite(linear.scale))
        return std::nullopt;
    const auto compare = [](const Scalar& value) { return std::visit([](auto v) { return static_cast<Compare>(v); }, value); };
    const KeyRange keys{firstKeyFrom<Seen>(compare(*statistics.min)), lastKeyTo<Seen>(compare(*statistics.max))};
    const double error = largestError<Seen>(linear, keys);
    constexpr double most = 0x1p-8;
    linear.near = 2 * std::max(error, 0x1p-30);
    return error < most ? std::optional(linear) : std::nullopt;
}

template <class Seen>
void addLinear(const LinearBins& linear, const std::byte* block, std::int64_t n, Counts& counts)
{
    constexpr std::int64_t stretch = 512;
    std::uint16_t bins[stretch];
    const auto forStretches = [&](auto add) {
        for (std::int64_t first = 0; first < n; first += stretch) {
            const std::span<std::uint16_t> found(bins, static_cast<std::size_t>(std::min(stretch, n - first)));
            findLinearBins<Seen>(block + first * static_cast<std::int64_t>(sizeof(Seen)), std::ssize(found), linear,
                                 found.data());
            add(found);
        }
    };
    // A counter pays when it counts more elements than it has bins.
    if (n < 4 * std::ssize(counts))
        return forStretches([&](std::span<const std::uint16_t> found) {
            for (const std::uint16_t bin : found)
                ++counts[bin];
        });
    std::uint32_t counted[maxBins + 2];
    std::fill_n(counted, counts.size(), 0U);
    {
        BinCounter counter({counted, counts.size()});
        forStretches([&](std::span<const std::uint16_t> found) { counter.add(found); });
    }
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
        counts[bin] += counted[bin];
}

/// Of a set without zeros that are not handed over.
template <class Seen>
Counts countLinear(const LinearBins& linear, const ValueSet& values, const Job& job)
{
    Counts sum = countBlocks(linear.edges.size(), values, job, [&](const std::byte* block, std::int64_t n, Counts& counts) {
        addLinear<Seen>(linear, block, n, counts);
    });
    sum.pop_back();
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
    const auto binOfSeen = [&](auto value) { return bin(static_cast<double>(value)); };
    return withSeenType(values.dtype, [&](auto seen) {
        using Seen = decltype(seen);
        if (auto counts = countByIndex<Seen>(bins, values, binOfSeen))
            return std::move(*counts);
        if (const auto linear = linearBins<Seen>(edges, values.statistics)) {
            Counts counts = countLinear<Seen>(*linear, values, job);
            if (values.zeros > 0)
                counts[static_cast<std::size_t>(bin(0))] += values.zeros;
            return counts;
        }
        return countBy<Seen>(bins, values, job, binOfSeen);
    });
}

std::vector<std::int64_t> countIntegers(std::int64_t lo, std::int64_t bins, const ValueSet& values, const Job& job)
{
    if (values.counter)
        return values.counter->countIntegers(lo, bins, job);
    const auto binOfSeen = [lo](auto value) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(lo));
    };
    return withSeenType(values.dtype, [&](auto seen) {
        using Seen = decltype(seen);
        if (auto counts = countByIndex<Seen>(bins, values, binOfSeen))
            return std::move(*counts);
        return countBy<Seen>(bins, values, job, binOfSeen);
    });
}

} // namespace core
