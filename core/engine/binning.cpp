// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/binning.h"

#include "core/engine/stored_types.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace core {
namespace {

/// Where the middle piece ends: the bulk of the sample and as much again; the whole range when that is not much more.
template <class Work>
std::pair<Work, Work> middle(Work min, Work max, std::span<const Work> sample)
{
    constexpr double outliers = 0.005;
    constexpr Work worthwhile = 4;
    if (sample.empty())
        return {min, max};
    const auto at = [&](double fraction) {
        return sample[static_cast<std::size_t>(fraction * static_cast<double>(sample.size() - 1))];
    };
    const Work low = at(outliers);
    const Work high = at(1 - outliers);
    const Work margin = (high - low) / 2;
    if (!(margin > 0))
        return {min, max};
    const std::pair<Work, Work> found{std::max(min, low - margin), std::min(max, high + margin)};
    return (found.second - found.first) * worthwhile < max - min ? found : std::pair{min, max};
}

} // namespace

template <class Stored>
Binning<MapType<Stored>> makeBinning(CompareOf<Stored> min, CompareOf<Stored> max, int bins,
                                     std::span<const MapType<Stored>> sample)
{
    using Work = MapType<Stored>;
    Binning<Work> b;
    b.min = static_cast<Work>(min);
    b.max = static_cast<Work>(max);
    if constexpr (std::is_integral_v<Stored>) {
        const auto span = static_cast<unsigned __int128>(static_cast<__int128>(max) - static_cast<__int128>(min));
        if (span < static_cast<unsigned __int128>(bins) &&
            static_cast<Work>(max) - static_cast<Work>(min) == static_cast<Work>(span)) {
            b.bins = static_cast<int>(span) + 1;
            b.low = b.min;
            b.high = b.max;
            b.middleScale = 1;
            b.highBin = static_cast<Work>(b.bins);
            return b;
        }
    }
    b.bins = bins;
    b.prescale = std::isfinite((b.max - b.min) * 4) ? Work{1} : Work{0.0625};
    std::vector<Work> scaled(sample.begin(), sample.end());
    for (Work& value : scaled)
        value *= b.prescale;
    const Work begin = b.min * b.prescale;
    const Work end = b.max * b.prescale;
    std::tie(b.low, b.high) = middle<Work>(begin, end, scaled);
    // An eighth of the bins for each side that has outliers.
    const int below = b.low > begin ? bins / 8 : 0;
    const int above = b.high < end ? bins / 8 : 0;
    const auto scale = [](int count, Work width) { return width > 0 ? static_cast<Work>(count) / width : Work{0}; };
    const auto finite = [](Work value) { return std::min(value, std::numeric_limits<Work>::max()); };
    b.middleBin = static_cast<Work>(below);
    b.highBin = static_cast<Work>(bins - above);
    b.lowScale = finite(scale(below, b.low - begin));
    b.middleScale = finite(scale(bins - below - above, b.high - b.low));
    b.highScale = finite(scale(above, end - b.high));
    return b;
}

BinCounter::BinCounter(std::span<std::uint32_t> counts) : m_counts(counts)
{
    for (auto& table : m_tables)
        std::fill_n(table, counts.size(), std::uint16_t{0});
}

void BinCounter::add(std::span<const std::uint16_t> bins)
{
    constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
    while (!bins.empty()) {
        const auto part = bins.first(std::min(bins.size(), most));
        bins = bins.subspan(part.size());
        if (m_pending + part.size() > most)
            flush();
        m_pending += part.size();
        std::uint16_t* const even = m_tables[0];
        std::uint16_t* const odd = m_tables[1];
        std::size_t i = 0;
        for (; i + 4 <= part.size(); i += 4) {
            // Four at once: the counters could be the bins themselves, for all the compiler knows.
            std::uint64_t four = 0;
            std::memcpy(&four, part.data() + i, sizeof four);
            ++even[four & 0xffff];
            ++odd[four >> 16 & 0xffff];
            ++even[four >> 32 & 0xffff];
            ++odd[four >> 48];
        }
        for (; i < part.size(); ++i)
            ++even[part[i]];
    }
}

void BinCounter::flush()
{
    m_pending = 0;
    for (auto& table : m_tables)
        for (std::size_t bin = 0; bin < m_counts.size(); ++bin) {
            m_counts[bin] += table[bin];
            table[bin] = 0;
        }
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template Binning<MapType<Stored>> makeBinning<Stored>(CompareOf<Stored>, CompareOf<Stored>, int,                           \
                                                          std::span<const MapType<Stored>>);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
