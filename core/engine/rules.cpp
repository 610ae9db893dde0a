// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/rules.h"

#include "core/engine/bins.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace core {

namespace {

void forEachChosen(const BlockReader& reader, const Workers& workers, const PlaneChoice& planes, const Job& job,
                   const ValueSet::Visit& visit)
{
    constexpr std::int64_t piece = 65536;
    const Extents& extents = reader.grid().extents;
    const std::int64_t elements = extents.planeElements();
    const std::int64_t pieces = (elements + piece - 1) / piece;
    const std::int64_t batches = planes.batch ? 1 : extents.batches;
    const std::int64_t channels = planes.channel ? 1 : extents.channels;
    workers.forEach(batches * channels * pieces, job, [&](std::int64_t item, Scratch& scratch) {
        const std::int64_t plane = item / pieces;
        const std::int64_t first = item % pieces * piece;
        const BlockPlace place{planes.batch.value_or(0) + plane / channels, planes.channel.value_or(0) + plane % channels, 1,
                               first, std::min(piece, elements - first)};
        visit(reader.read(place, scratch).values, place.elements);
    });
}

} // namespace

ValueSet denseValues(const BlockReader& reader, const Workers& workers, const PlaneChoice& planes, Statistics statistics)
{
    const auto forEach = [&reader, &workers, planes](const Job& job, const ValueSet::Visit& visit) {
        if (planes.batch || planes.channel)
            return forEachChosen(reader, workers, planes, job, visit);
        const int size = seenSize(reader.grid().dtype);
        forEachBlock(reader, workers, job, [&](const BlockPlace& place, const ValueBlock& block) {
            for (std::int64_t c = 0; c < place.channels; ++c)
                visit(block.values + c * block.channelStride * size, place.elements);
        });
    };
    return {reader.grid().dtype, std::move(statistics), forEach, 0, nullptr};
}

std::optional<double> findThreshold(const Rule& rule, const ValueSet& values, const Job& job)
{
    if (isComplex(values.dtype))
        throw Error(fmt::format("a rule needs an order, which {} values do not have; use ==, !=, abs, nan, inf or finite",
                                dtypeName(values.dtype)));
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

std::optional<Condition> TestMaker::find(const Where& where, std::optional<std::int64_t> channel, const Values& values,
                                         const Job& job)
{
    const auto condition = [](std::optional<double> threshold) {
        return threshold ? std::optional(Condition{ConditionKind::gt, Number::fromReal(*threshold), {}}) : std::nullopt;
    };
    const Key key{where.rule->kind, where.rule->parameter, where.storedOnly, channel.value_or(-1)};
    {
        const std::lock_guard lock(m_mutex);
        if (const auto found = m_found.find(key); found != m_found.end())
            return condition(found->second);
    }
    const std::optional<double> threshold = findThreshold(*where.rule, values(channel), job);
    constexpr std::size_t most = 65536;
    const std::lock_guard lock(m_mutex);
    if (m_found.size() >= most)
        m_found.clear();
    m_found.emplace(key, threshold);
    return condition(threshold);
}

HotTest TestMaker::make(const Where& where, DType dtype, std::int64_t channels, const Values& values, const Job& job)
{
    std::vector<std::optional<Condition>> conditions;
    if (!where.rule)
        conditions.push_back(where.condition);
    else if (!where.perChannel)
        conditions.push_back(find(where, std::nullopt, values, job));
    else
        for (std::int64_t channel = 0; channel < channels; ++channel)
            conditions.push_back(find(where, channel, values, job));
    return HotTest(dtype, where.comparison, std::move(conditions));
}

HotTest TestMaker::make(const Where& where, DType dtype, const Channels& channels, const Values& values, const Job& job)
{
    if (!where.rule || !where.perChannel)
        return make(where, dtype, 0, values, job);
    std::vector<std::optional<Condition>> conditions;
    for (const std::int64_t channel : channels.own)
        conditions.push_back(find(where, channel, values, job));
    if (channels.other)
        conditions.push_back(find(where, channels.other, values, job));
    return HotTest(dtype, where.comparison, channels.own, std::move(conditions));
}

} // namespace core
