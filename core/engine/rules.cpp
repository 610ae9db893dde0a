// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/rules.h"

#include "core/engine/bins.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace core {

void ValueSet::forEach(const Job& job, const std::function<void(const std::byte*, std::int64_t)>& work) const
{
    const Extents& extents = reader.grid().extents;
    const int size = seenSize(reader.grid().dtype);
    if (!channel && !batch) {
        forEachBlock(reader, workers, job, [&](const BlockPlace& place, const ValueBlock& block) {
            for (std::int64_t c = 0; c < place.channels; ++c)
                work(block.values + c * block.channelStride * size, place.elements);
        });
        return;
    }
    constexpr std::int64_t piece = 65536;
    const std::int64_t elements = extents.planeElements();
    const std::int64_t pieces = (elements + piece - 1) / piece;
    const std::int64_t batches = batch ? 1 : extents.batches;
    const std::int64_t channels = channel ? 1 : extents.channels;
    workers.forEach(batches * channels * pieces, job, [&](std::int64_t item, Scratch& scratch) {
        const std::int64_t plane = item / pieces;
        const std::int64_t first = item % pieces * piece;
        const BlockPlace place{batch.value_or(0) + plane / channels, channel.value_or(0) + plane % channels, 1, first,
                               std::min(piece, elements - first)};
        work(reader.read(place, scratch).values, place.elements);
    });
}

std::optional<double> findThreshold(const Rule& rule, const ValueSet& values, const Job& job)
{
    if (isComplex(values.reader.grid().dtype))
        throw Error(fmt::format("a rule needs an order, which {} values do not have; use ==, !=, abs, nan, inf or finite",
                                dtypeName(values.reader.grid().dtype)));
    const Statistics& s = values.statistics;
    if (s.finite == 0)
        return std::nullopt;
    switch (rule.kind) {
    case RuleKind::percentile:
        return quantile(rule.parameter / 100, values, job);
    case RuleKind::sigma:
        return *s.mean + rule.parameter * *s.std;
    case RuleKind::max:
        return rule.parameter * toDouble(*s.max);
    default:
        return otsuThreshold(values, job);
    }
}

Histogram histogramOf(int bins, const ValueSet& values, const Job& job)
{
    const Statistics& s = values.statistics;
    if (s.finite == 0 || bins < 1 || !s.min)
        return {};
    double lo = toDouble(*s.min);
    double hi = toDouble(*s.max);
    if (lo == hi) {
        lo -= 0.5;
        hi += 0.5;
    }
    return {lo, hi, countBins(binEdges(lo, hi, bins), values, job)};
}

} // namespace core
