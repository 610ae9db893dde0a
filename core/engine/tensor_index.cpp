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

std::int64_t chunksOf(const Extents& extents)
{
    return std::max((extents.planeElements() + TensorIndex::chunkElements - 1) / TensorIndex::chunkElements, std::int64_t{1});
}

/// Bins per chunk within a budget; 0 when not even the fewest fit.
int chooseBins(const Extents& extents, std::int64_t budgetBytes)
{
    const std::int64_t wanted = std::clamp(std::min(extents.planeElements(), TensorIndex::chunkElements) / 4,
                                           std::int64_t{fewestBins}, std::int64_t{maxBins});
    auto bins = static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(wanted)));
    const std::int64_t chunks = chunksOf(extents);
    const auto bytes = [&](int count) {
        return static_cast<__int128>(extents.planes()) * (chunks + (chunks > 1)) * (count + 2) *
               static_cast<int>(sizeof(std::uint32_t));
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

/// Where the values of a condition lie among the edges.
struct Lookup
{
    int from = 0;
    int to = 0;
    bool invert = false;
    bool nanHot = false;
};

template <class Seen>
class Index : public TensorIndex, private ValueCodes
{
    using Compare = CompareOf<Seen>;
    using Work = MapType<Seen>;

public:
    Index(const BlockReader& reader, const Statistics& all, int bins)
        : m_extents(reader.grid().extents), m_planes(m_extents.planes()), m_planeElements(m_extents.planeElements()),
          m_minKey(firstKeyFrom<Seen>(asCompare<Compare>(*all.min))), m_maxKey(lastKeyTo<Seen>(asCompare<Compare>(*all.max))),
          m_hasNegativeInf(all.negativeInf > 0)
    {
        m_chunks = chunksOf(m_extents);
        m_binning = makeBinning<Seen>(asCompare<Compare>(*all.min), asCompare<Compare>(*all.max), bins, sample(reader));
        m_binning.isBounded = all.nan + all.positiveInf + all.negativeInf == 0;
        findEdges();
        listStops();
    }

    void build(const BlockReader& reader, const IndexBudget& budget, const Workers& workers, const Job& job)
    {
        if (budget.codes)
            reserveCodes(budget.pool);
        m_atLeast.resize(static_cast<std::size_t>(m_planes * m_chunks) * row());
        forEachBlock(reader, workers, job, [&](const BlockPlace& place, const ValueBlock& block) {
            for (std::int64_t c = 0; c < place.channels; ++c)
                add(place.batch * m_extents.channels + place.channel + c, place.first,
                    block.values + c * block.channelStride * static_cast<std::int64_t>(sizeof(Seen)), place.elements);
        });
        m_totals.assign(row(), 0);
        for (std::int64_t chunk = 0; chunk < m_planes * m_chunks; ++chunk)
            accumulate(chunk);
        addUpPlanes();
        m_nanTotal = m_planes * m_planeElements;
        for (const std::int64_t total : m_totals)
            m_nanTotal -= total;
    }

    std::optional<std::vector<std::int64_t>> chunkCounts(const HotTest& test) const override
    {
        return look(test, m_atLeast, m_chunks);
    }

    std::optional<std::vector<std::int64_t>> counts(const HotTest& test) const override
    {
        if (!m_planeAtLeast.empty())
            return look(test, m_planeAtLeast, 1);
        auto chunks = chunkCounts(test);
        return chunks ? std::optional(planesOf(std::move(*chunks))) : std::nullopt;
    }

    std::int64_t elementsIn(std::int64_t chunk, const CodeAnswer& answer) const override
    {
        const std::uint32_t* const atLeast = rowOf(chunk);
        std::int64_t count = answer.nanHot ? elementsOf(chunk) - std::int64_t{atLeast[0]} : 0;
        for (const auto& [first, last] : answer.hotBins)
            count += std::int64_t{atLeast[first]} - std::int64_t{atLeast[last]};
        return count;
    }

    std::optional<CodeAnswer> answer(const HotTest& test, std::size_t condition, bool near) const override
    {
        const auto predicate = test.predicateOf<Seen>(condition);
        CodeAnswer out;
        out.nanHot = predicate.nanHot;
        CodeState states[256] = {};
        std::int64_t open = 0;
        int mixed = 0;
        for (int code = 0; code < m_codeCount; ++code) {
            const Parts parts = partsOf(code, predicate);
            if (parts.hot == 0 && parts.cold == 0 && parts.open == 0)
                continue;
            const bool isMixed = parts.open > 0 || (parts.hot > 0 && parts.cold > 0);
            if (isMixed && near) {
                states[code] = parts.hot > parts.cold ? CodeState::hot : CodeState::cold;
                out.isExact = false;
            } else if (isMixed) {
                open += parts.open + parts.hot + parts.cold;
                out.test.mixed[mixed ? 1 : 0] = static_cast<std::uint8_t>(code);
                ++mixed;
            } else {
                states[code] = parts.hot > 0 ? CodeState::hot : CodeState::cold;
                if (parts.hot > 0)
                    addHotBins(out, m_firstBin[static_cast<std::size_t>(code)], m_firstBin[static_cast<std::size_t>(code) + 1]);
            }
        }
        if (m_totals[static_cast<std::size_t>(m_binning.infinityBin())] > 0) {
            const bool hot = predicate(static_cast<Compare>(std::numeric_limits<Compare>::infinity()));
            states[infinityCode] = hot ? CodeState::hot : CodeState::cold;
            if (hot)
                addHotBins(out, m_binning.infinityBin(), m_binning.nanBin());
        }
        if (m_nanTotal > 0)
            states[nanCode] = predicate.nanHot ? CodeState::hot : CodeState::cold;
        if (mixed == 1)
            out.test.mixed[1] = out.test.mixed[0];
        out.test.hasMixed = mixed > 0;
        out.test.regularFirst = m_regularFirst;
        out.test.regularWidth = m_regularWidth;
        out.openShare = static_cast<double>(open) / static_cast<double>(m_planes * m_planeElements);
        return mixed <= 2 && findInterval(states, out.test) ? std::optional(out) : std::nullopt;
    }

    std::span<const double> stops() const override { return m_stops; }

    std::int64_t bytes() const override
    {
        return (std::ssize(m_atLeast) + std::ssize(m_planeAtLeast)) * static_cast<std::int64_t>(sizeof(std::uint32_t));
    }

private:
    /// Entries of a chunk: values at or above each finite edge, +inf, and 0 (where NaNs were counted).
    std::size_t row() const { return static_cast<std::size_t>(m_binning.allBins()); }

    const std::uint32_t* rowOf(std::int64_t chunk) const { return m_atLeast.data() + static_cast<std::size_t>(chunk) * row(); }

    std::int64_t elementsOf(std::int64_t chunk) const
    {
        return std::min(chunkElements, m_planeElements - chunk % m_chunks * chunkElements);
    }

    /// Counts from rows of entries, `pieces` of them per plane: chunks, or one for all.
    std::optional<std::vector<std::int64_t>> look(const HotTest& test, const std::vector<std::uint32_t>& entries,
                                                  std::int64_t pieces) const
    {
        std::vector<Lookup> lookups;
        for (std::size_t condition = 0; condition < test.conditionCount(); ++condition) {
            const auto found = lookup(test.predicateOf<Seen>(condition));
            if (!found)
                return std::nullopt;
            lookups.push_back(*found);
        }
        std::vector<std::int64_t> out(static_cast<std::size_t>(m_planes * pieces));
        for (std::int64_t plane = 0; plane < m_planes; ++plane) {
            const Lookup& one = lookups[test.isPerChannel() ? test.conditionOf(plane % m_extents.channels) : 0];
            for (std::int64_t piece = plane * pieces; piece < (plane + 1) * pieces; ++piece)
                out[static_cast<std::size_t>(piece)] = count(entries.data() + static_cast<std::size_t>(piece) * row(),
                                                             pieces == 1 ? m_planeElements : elementsOf(piece), one);
        }
        return out;
    }

    static std::int64_t count(const std::uint32_t* atLeast, std::int64_t elements, const Lookup& lookup)
    {
        const std::int64_t numbers = atLeast[0];
        const std::int64_t within = std::int64_t{atLeast[lookup.from]} - std::int64_t{atLeast[lookup.to]};
        return (lookup.invert ? numbers - within : within) + (lookup.nanHot ? elements - numbers : 0);
    }

    std::optional<Lookup> lookup(const Predicate<Compare>& predicate) const
    {
        // An interval without values may have its bounds the wrong way round.
        const bool isEmpty = !(predicate.lo <= predicate.hi);
        const auto from = isEmpty ? std::optional(m_binning.nanBin()) : edgeOf(firstKeyFrom<Seen>(predicate.lo));
        const auto to = isEmpty ? from : edgeOf(lastKeyTo<Seen>(predicate.hi), 1);
        if (!from || !to)
            return std::nullopt;
        return Lookup{*from, *to, predicate.invert, predicate.nanHot};
    }

    void reserveCodes(const std::shared_ptr<BufferPool>& pool)
    {
        m_codeMemory.emplace(pool, static_cast<std::size_t>(m_planes * m_planeElements));
        m_codeBytes = reinterpret_cast<std::uint8_t*>(m_codeMemory->data());
        m_codeScale = makeCodeScale(m_binning.bins);
        m_codeCount = codeOfBin(m_binning.bins - 1, m_codeScale) + 1;
        for (int bin = 0; bin < m_binning.bins; ++bin)
            if (codeOfBin(bin, m_codeScale) == std::ssize(m_firstBin))
                m_firstBin.push_back(bin);
        m_firstBin.push_back(m_binning.bins);
        m_first = m_codeBytes;
        m_channelStride = m_planeElements;
        m_batchStride = m_planeElements * m_extents.channels;
        findRegular();
        m_codes = this;
    }

    /// The codes of the middle piece stand for values by their distance: the middle of a code's bins.
    void findRegular()
    {
        int first = m_codeCount;
        int last = -1;
        for (int code = m_hasNegativeInf ? 1 : 0; code < m_codeCount; ++code)
            if (m_firstBin[static_cast<std::size_t>(code)] >= static_cast<int>(m_binning.middleBin) &&
                m_firstBin[static_cast<std::size_t>(code) + 1] <= static_cast<int>(m_binning.highBin)) {
                first = std::min(first, code);
                last = code;
            }
        if (last < 0 || !(m_binning.middleScale > 0)) {
            // Every hot element is looked at: no code stands for anything.
            m_regularFirst = nanCode;
            m_regularWidth = 0;
            return;
        }
        m_regularFirst = static_cast<std::uint8_t>(first);
        m_regularWidth = static_cast<std::uint8_t>(last - first);
        const double binsOfCode = m_codeScale.factor ? 65536.0 / m_codeScale.factor : 1;
        const bool isBinPerValue = std::is_integral_v<Seen> && m_binning.middleScale == 1 && m_binning.prescale == 1;
        const double middle = isBinPerValue ? (binsOfCode - 1) / 2 : binsOfCode / 2;
        const double scale = static_cast<double>(m_binning.middleScale) * static_cast<double>(m_binning.prescale);
        m_step = binsOfCode / scale;
        m_base = static_cast<double>(m_binning.low) / static_cast<double>(m_binning.prescale) +
                 (middle - static_cast<double>(m_binning.middleBin)) / scale;
    }

    /// Elements of a code by what a condition says of their bins.
    struct Parts
    {
        std::int64_t hot = 0;
        std::int64_t cold = 0;
        std::int64_t open = 0;
    };

    Parts partsOf(int code, const Predicate<Compare>& predicate) const
    {
        Parts parts;
        const bool isEmpty = !(predicate.lo <= predicate.hi);
        const std::int64_t from = isEmpty ? 0 : firstKeyFrom<Seen>(predicate.lo);
        const std::int64_t to = isEmpty ? 0 : lastKeyTo<Seen>(predicate.hi);
        const int end = std::min(m_firstBin[static_cast<std::size_t>(code) + 1], static_cast<int>(m_edges.size()));
        for (int bin = m_firstBin[static_cast<std::size_t>(code)]; bin < end; ++bin) {
            const std::int64_t total = m_totals[static_cast<std::size_t>(bin)];
            if (total == 0)
                continue;
            const std::int64_t low = bin == 0 ? lowestKey() : m_edges[static_cast<std::size_t>(bin)];
            const std::int64_t high = bin + 1 < std::ssize(m_edges) ? m_edges[static_cast<std::size_t>(bin) + 1] - 1 : m_maxKey;
            const bool isInside = !isEmpty && from <= low && high <= to;
            const bool isOutside = isEmpty || high < from || to < low;
            if (!isInside && !isOutside)
                parts.open += total;
            else
                (isInside != predicate.invert ? parts.hot : parts.cold) += total;
        }
        return parts;
    }

    std::int64_t lowestKey() const
    {
        if constexpr (std::is_integral_v<Seen>)
            return m_minKey;
        else
            return m_hasNegativeInf ? nearestKey<Seen>(-std::numeric_limits<Compare>::infinity()) : m_minKey;
    }

    static void addHotBins(CodeAnswer& answer, int first, int last)
    {
        if (!answer.hotBins.empty() && answer.hotBins.back().second == first)
            answer.hotBins.back().second = last;
        else
            answer.hotBins.emplace_back(first, last);
    }

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

    /// Adds elements [begin, begin + n) of a plane.
    void add(std::int64_t plane, std::int64_t begin, const std::byte* values, std::int64_t n)
    {
        while (n > 0) {
            const std::int64_t length = std::min(n, chunkElements - begin % chunkElements);
            addToChunk(plane, begin, values, length);
            begin += length;
            values += length * static_cast<std::int64_t>(sizeof(Seen));
            n -= length;
        }
    }

    void addToChunk(std::int64_t plane, std::int64_t begin, const std::byte* values, std::int64_t n)
    {
        BinCounter counter(m_binning.allBins());
        std::uint16_t bins[stretch];
        for (std::int64_t first = 0; first < n; first += stretch) {
            const std::int64_t length = std::min(stretch, n - first);
            findBins<Seen>(values + first * static_cast<std::int64_t>(sizeof(Seen)), length, m_binning, bins);
            if (m_codeBytes)
                codesOfBins(bins, length, m_codeScale, m_codeBytes + plane * m_planeElements + begin + first);
            counter.add(std::span(bins).first(static_cast<std::size_t>(length)));
        }
        std::uint32_t* const target =
            m_atLeast.data() + static_cast<std::size_t>(plane * m_chunks + begin / chunkElements) * row();
        if (n == m_planeElements)
            return counter.deliver(target);
        std::uint32_t counts[maxBins + 2];
        counter.deliver(counts);
        for (std::size_t bin = 0; bin < row(); ++bin)
            if (counts[bin] > 0)
                std::atomic_ref(target[bin]).fetch_add(counts[bin], std::memory_order_relaxed);
    }

    /// Counts per bin become counts at or above each edge.
    void accumulate(std::int64_t chunk)
    {
        std::uint32_t* const counts = m_atLeast.data() + static_cast<std::size_t>(chunk) * row();
        counts[m_binning.nanBin()] = 0;
        std::uint32_t sum = 0;
        for (int bin = m_binning.infinityBin(); bin >= 0; --bin) {
            m_totals[static_cast<std::size_t>(bin)] += counts[bin];
            sum += counts[bin];
            counts[bin] = sum;
        }
    }

    void addUpPlanes()
    {
        if (m_chunks == 1 || m_planeElements > std::numeric_limits<std::uint32_t>::max())
            return;
        m_planeAtLeast.resize(static_cast<std::size_t>(m_planes) * row());
        for (std::int64_t chunk = 0; chunk < m_planes * m_chunks; ++chunk)
            for (std::size_t bin = 0; bin < row(); ++bin)
                m_planeAtLeast[static_cast<std::size_t>(chunk / m_chunks) * row() + bin] += rowOf(chunk)[bin];
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

    Extents m_extents;
    std::int64_t m_planes;
    std::int64_t m_planeElements;
    std::int64_t m_minKey;
    std::int64_t m_maxKey;
    bool m_hasNegativeInf;
    Binning<Work> m_binning;
    std::vector<std::int64_t> m_edges;
    std::vector<double> m_stops;
    std::vector<std::uint32_t> m_atLeast;
    /// The same per plane, where a plane has several chunks.
    std::vector<std::uint32_t> m_planeAtLeast;
    /// Elements of all planes per bin.
    std::vector<std::int64_t> m_totals;
    std::int64_t m_nanTotal = 0;

    /// Null without codes.
    std::uint8_t* m_codeBytes = nullptr;
    std::optional<PooledStorage> m_codeMemory;
    CodeScale m_codeScale;
    /// Codes of finite values.
    int m_codeCount = 0;
    /// First bin of each code, and the end of the last.
    std::vector<int> m_firstBin;
    std::uint8_t m_regularFirst = 0;
    std::uint8_t m_regularWidth = 0;
};

} // namespace

std::vector<std::int64_t> TensorIndex::planesOf(std::vector<std::int64_t> chunks) const
{
    if (m_chunks == 1)
        return chunks;
    std::vector<std::int64_t> planes(chunks.size() / static_cast<std::size_t>(m_chunks));
    for (std::size_t i = 0; i < chunks.size(); ++i)
        planes[i / static_cast<std::size_t>(m_chunks)] += chunks[i];
    return planes;
}

std::shared_ptr<const TensorIndex> buildTensorIndex(const BlockReader& reader, const Statistics& all, const IndexBudget& budget,
                                                    const Workers& workers, const Job& job)
{
    const DType dtype = reader.grid().dtype;
    const int bins = chooseBins(reader.grid().extents, budget.histogramBytes);
    if (isComplex(dtype) || !all.min || bins == 0)
        return nullptr;
    IndexBudget granted = budget;
    granted.codes = budget.codes && itemSize(dtype) >= 4;
    return withSeenType(dtype, [&](auto seen) -> std::shared_ptr<const TensorIndex> {
        auto index = std::make_shared<Index<decltype(seen)>>(reader, all, bins);
        index->build(reader, granted, workers, job);
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
