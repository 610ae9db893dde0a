// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bin_edges.h"

#include "core/engine/stored_types.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace core {
namespace {

template <class Compare>
Compare asCompare(const Scalar& value)
{
    return std::visit([](auto v) { return static_cast<Compare>(v); }, value);
}

/// Finite values from all over the tensor, ascending.
template <class Seen>
std::vector<MapType<Seen>> sample(const BlockReader& reader)
{
    using Work = MapType<Seen>;
    constexpr std::int64_t places = 64;
    constexpr std::int64_t length = 128;
    const Extents& extents = reader.grid().extents;
    const std::int64_t elements = extents.planeElements();
    Scratch scratch;
    std::vector<Work> values;
    for (std::int64_t i = 0; i < places; ++i) {
        // Places that lie at a golden-section step from each other in both senses.
        const auto plane = static_cast<std::int64_t>(std::fmod(static_cast<double>(i) * 0.6180339887498949, 1.0) *
                                                     static_cast<double>(extents.planes()));
        const std::int64_t n = std::min(length, elements);
        const std::int64_t first = (elements - n) * i / places;
        const ValueBlock block = reader.read({plane / extents.channels, plane % extents.channels, 1, first, n}, scratch);
        for (std::int64_t k = 0; k < n; ++k) {
            Seen stored;
            std::memcpy(&stored, block.values + k * static_cast<std::int64_t>(sizeof(Seen)), sizeof(Seen));
            const auto value = static_cast<Work>(toCompare(stored));
            if (std::isfinite(value))
                values.push_back(value);
        }
    }
    std::sort(values.begin(), values.end());
    return values;
}

std::int64_t middle(std::int64_t below, std::int64_t above)
{
    const auto gap = static_cast<std::uint64_t>(above) - static_cast<std::uint64_t>(below);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(below) + gap / 2);
}

} // namespace

template <class Seen>
BinEdges<Seen>::BinEdges(const BlockReader& reader, const Statistics& all, int bins)
    : m_minKey(firstKeyFrom<Seen>(asCompare<Compare>(*all.min))), m_maxKey(lastKeyTo<Seen>(asCompare<Compare>(*all.max))),
      m_hasNegativeInf(all.negativeInf > 0),
      m_binning(makeBinning<Seen>(asCompare<Compare>(*all.min), asCompare<Compare>(*all.max), bins, sample<Seen>(reader)))
{
    m_binning.isBounded = all.nan + all.positiveInf + all.negativeInf == 0;
    findEdges();
    listStops();
}

template <class Seen>
std::int64_t BinEdges<Seen>::lowestKey() const
{
    if constexpr (std::is_integral_v<Seen>)
        return m_minKey;
    else
        return m_hasNegativeInf ? nearestKey<Seen>(-std::numeric_limits<Compare>::infinity()) : m_minKey;
}

/// By halving, for all bins at once.
template <class Seen>
void BinEdges<Seen>::findEdges()
{
    const Seen largest = valueOfKey<Seen>(m_maxKey);
    std::uint16_t last = 0;
    findBins<Seen>(reinterpret_cast<const std::byte*>(&largest), 1, m_binning, &last);
    const auto bins = static_cast<std::size_t>(last) + 1;
    std::vector<std::int64_t> below(bins, m_minKey);
    m_edges.assign(bins, m_maxKey);
    std::vector<Seen> tried(bins);
    std::vector<std::uint16_t> found(bins);
    for (int step = 0; step < 64 && below != m_edges; ++step) {
        for (std::size_t k = 0; k < bins; ++k)
            tried[k] = valueOfKey<Seen>(middle(below[k], m_edges[k]));
        findBins<Seen>(reinterpret_cast<const std::byte*>(tried.data()), std::ssize(tried), m_binning, found.data());
        for (std::size_t k = 0; k < bins; ++k) {
            const std::int64_t key = middle(below[k], m_edges[k]);
            if (found[k] >= k)
                m_edges[k] = key;
            else
                below[k] = key + 1;
        }
    }
}

template <class Seen>
void BinEdges<Seen>::listStops()
{
    const auto addStop = [&](std::int64_t key) {
        const auto value = static_cast<double>(compareOfKey<Seen>(key));
        if (m_stops.empty() || value > m_stops.back())
            m_stops.push_back(value);
    };
    for (std::size_t k = 1; k < m_edges.size(); ++k)
        if (m_edges[k] > m_edges[k - 1])
            addStop(m_edges[k] - 1);
    addStop(m_maxKey);
}

template <class Seen>
std::optional<int> BinEdges<Seen>::edgeOf(std::int64_t key, int past, std::span<const std::int64_t> totals) const
{
    if (key > m_maxKey || (key == m_maxKey && past)) {
        // Above every finite value: what is left is +inf, or nothing.
        if constexpr (std::is_integral_v<Seen>)
            return m_binning.nanBin();
        else
            return key + past > nearestKey<Seen>(std::numeric_limits<Compare>::infinity()) ? m_binning.nanBin()
                                                                                           : m_binning.infinityBin();
    }
    key += past;
    if (key <= m_minKey && !m_hasNegativeInf)
        return 0;
    if constexpr (!std::is_integral_v<Seen>)
        if (key <= nearestKey<Seen>(-std::numeric_limits<Compare>::infinity()))
            return 0;
    // The last edge at or below the key.
    const auto next = std::upper_bound(m_edges.begin(), m_edges.end(), key);
    if (next == m_edges.begin())
        return std::nullopt;
    const auto bin = static_cast<int>(next - m_edges.begin()) - 1;
    if (m_edges[static_cast<std::size_t>(bin)] == key && !(bin == 0 && m_hasNegativeInf))
        return bin;
    return totals[static_cast<std::size_t>(bin)] == 0 ? std::optional(bin) : std::nullopt;
}

#define ACTISCOPE_INSTANTIATE(Stored) template class BinEdges<Stored>;
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
