// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/tensor_index.h"

#include "core/engine/binning.h"
#include "core/engine/value_keys.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

namespace core {
namespace {

constexpr int fewestBins = 16;
/// Elements whose bins are found at a time: few, so that the next ones are found while these are counted.
constexpr std::int64_t stretch = 512;

/// Bins per plane within a budget; 0 when not even the fewest fit.
int chooseBins(const Extents& extents, std::int64_t budgetBytes)
{
    const std::int64_t wanted = std::clamp(extents.planeElements() / 4, std::int64_t{fewestBins}, std::int64_t{maxBins});
    auto bins = static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(wanted)));
    const auto bytes = [&](int count) {
        return static_cast<__int128>(extents.planes()) * (count + 2) * static_cast<int>(sizeof(std::uint32_t));
    };
    while (bins >= fewestBins && bytes(bins) > budgetBytes)
        bins /= 2;
    return bins >= fewestBins ? bins : 0;
}

template <class Compare>
Compare asCompare(const Scalar& value)
{
    return std::visit([](auto v) { return static_cast<Compare>(v); }, value);
}

template <class Seen>
class Index : public TensorIndex
{
    using Compare = CompareOf<Seen>;
    using Work = MapType<Seen>;

public:
    Index(const BlockReader& reader, const Statistics& all, int bins)
        : m_planes(reader.grid().extents.planes()), m_planeElements(reader.grid().extents.planeElements()),
          m_minKey(firstKeyFrom<Seen>(asCompare<Compare>(*all.min))), m_maxKey(lastKeyTo<Seen>(asCompare<Compare>(*all.max))),
          m_hasNegativeInf(all.negativeInf > 0)
    {
        m_binning = makeBinning<Seen>(asCompare<Compare>(*all.min), asCompare<Compare>(*all.max), bins, sample(reader));
        findEdges();
        listStops();
    }

    void build(const BlockReader& reader, const Workers& workers, const Job& job)
    {
        m_atLeast.resize(static_cast<std::size_t>(m_planes) * row());
        forEachBlock(reader, workers, job, [&](const BlockPlace& place, const ValueBlock& block) {
            for (std::int64_t c = 0; c < place.channels; ++c)
                add(place.batch * reader.grid().extents.channels + place.channel + c,
                    block.values + c * block.channelStride * static_cast<std::int64_t>(sizeof(Seen)), place.elements);
        });
        m_totals.assign(row(), 0);
        for (std::int64_t plane = 0; plane < m_planes; ++plane)
            accumulate(plane);
    }

    std::optional<std::vector<std::int64_t>> counts(const HotTest& test) const override
    {
        if (test.isPerChannel())
            return std::nullopt;
        const auto predicate = test.predicate<Seen>(0);
        // An interval without values may have its bounds the wrong way round.
        const bool isEmpty = !(predicate.lo <= predicate.hi);
        const auto from = isEmpty ? std::optional(m_binning.nanBin()) : edgeOf(firstKeyFrom<Seen>(predicate.lo));
        const auto to = isEmpty ? from : edgeOf(lastKeyTo<Seen>(predicate.hi), 1);
        if (!from || !to)
            return std::nullopt;
        std::vector<std::int64_t> out(static_cast<std::size_t>(m_planes));
        for (std::size_t plane = 0; plane < out.size(); ++plane) {
            const std::uint32_t* const atLeast = m_atLeast.data() + plane * row();
            const std::int64_t numbers = atLeast[0];
            const std::int64_t within = std::int64_t{atLeast[*from]} - std::int64_t{atLeast[*to]};
            out[plane] = (predicate.invert ? numbers - within : within) + (predicate.nanHot ? m_planeElements - numbers : 0);
        }
        return out;
    }

    std::span<const double> stops() const override { return m_stops; }

    std::int64_t bytes() const override { return std::ssize(m_atLeast) * static_cast<std::int64_t>(sizeof(std::uint32_t)); }

private:
    /// Entries of a plane: values at or above each finite edge, +inf, and 0 (where NaNs were counted).
    std::size_t row() const { return static_cast<std::size_t>(m_binning.allBins()); }

    /// Finite values from all over the tensor, ascending.
    static std::vector<Work> sample(const BlockReader& reader)
    {
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

    /// m_edges[k]: key of the smallest stored value in bin k or above, up to the largest value's bin; found by halving, for all
    /// bins at once.
    void findEdges()
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

    static std::int64_t middle(std::int64_t below, std::int64_t above)
    {
        const auto gap = static_cast<std::uint64_t>(above) - static_cast<std::uint64_t>(below);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(below) + gap / 2);
    }

    void listStops()
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

    /// Adds the elements of a plane, or of a part of one.
    void add(std::int64_t plane, const std::byte* values, std::int64_t n)
    {
        BinCounter counter(m_binning.allBins());
        std::uint16_t bins[stretch];
        for (std::int64_t first = 0; first < n; first += stretch) {
            const std::int64_t length = std::min(stretch, n - first);
            findBins<Seen>(values + first * static_cast<std::int64_t>(sizeof(Seen)), length, m_binning, bins);
            counter.add(std::span(bins).first(static_cast<std::size_t>(length)));
        }
        std::uint32_t* const target = m_atLeast.data() + static_cast<std::size_t>(plane) * row();
        if (n == m_planeElements)
            return counter.deliver(target);
        std::uint32_t counts[maxBins + 2];
        counter.deliver(counts);
        for (std::size_t bin = 0; bin < row(); ++bin)
            if (counts[bin] > 0)
                std::atomic_ref(target[bin]).fetch_add(counts[bin], std::memory_order_relaxed);
    }

    /// Counts per bin become counts at or above each edge.
    void accumulate(std::int64_t plane)
    {
        std::uint32_t* const counts = m_atLeast.data() + static_cast<std::size_t>(plane) * row();
        counts[m_binning.nanBin()] = 0;
        std::uint32_t sum = 0;
        for (int bin = m_binning.infinityBin(); bin >= 0; --bin) {
            m_totals[static_cast<std::size_t>(bin)] += counts[bin];
            sum += counts[bin];
            counts[bin] = sum;
        }
    }

    /// The entry that tells how many values have a key >= `key` + `past`, if one does.
    std::optional<int> edgeOf(std::int64_t key, int past = 0) const
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
        // Between two edges: as exact where no plane has a value there.
        return m_totals[static_cast<std::size_t>(bin)] == 0 ? std::optional(bin) : std::nullopt;
    }

    std::int64_t m_planes;
    std::int64_t m_planeElements;
    std::int64_t m_minKey;
    std::int64_t m_maxKey;
    bool m_hasNegativeInf;
    Binning<Work> m_binning;
    std::vector<std::int64_t> m_edges;
    std::vector<double> m_stops;
    std::vector<std::uint32_t> m_atLeast;
    /// Elements of all planes per bin.
    std::vector<std::int64_t> m_totals;
};

} // namespace

std::shared_ptr<const TensorIndex> buildTensorIndex(const BlockReader& reader, const Statistics& all, std::int64_t budgetBytes,
                                                    const Workers& workers, const Job& job)
{
    const Extents& extents = reader.grid().extents;
    const int bins = chooseBins(extents, budgetBytes);
    if (isComplex(reader.grid().dtype) || !all.min || bins == 0 ||
        extents.planeElements() > std::numeric_limits<std::uint32_t>::max())
        return nullptr;
    return withSeenType(reader.grid().dtype, [&](auto seen) -> std::shared_ptr<const TensorIndex> {
        auto index = std::make_shared<Index<decltype(seen)>>(reader, all, bins);
        index->build(reader, workers, job);
        return index;
    });
}

double nearestStop(std::span<const double> stops, double value)
{
    if (stops.empty() || std::isnan(value))
        return value;
    const auto above = std::lower_bound(stops.begin(), stops.end(), value);
    if (above == stops.end())
        return stops.back();
    if (above == stops.begin())
        return stops.front();
    const double below = *(above - 1);
    return value - below <= *above - value ? below : *above;
}

double stepStop(std::span<const double> stops, double value, std::int64_t steps)
{
    if (stops.empty() || std::isnan(value))
        return value;
    const std::int64_t from = std::lower_bound(stops.begin(), stops.end(), nearestStop(stops, value)) - stops.begin();
    return stops[static_cast<std::size_t>(
        std::clamp(from + std::clamp(steps, -std::ssize(stops), std::ssize(stops)), std::int64_t{0}, std::ssize(stops) - 1))];
}

} // namespace core
