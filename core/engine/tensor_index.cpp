// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/tensor_index.h"

#include "core/engine/bin_codes.h"
#include "core/engine/bin_edges.h"
#include "core/engine/value_keys.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

namespace core {
namespace {

constexpr int fewestBins = 16;
/// Elements whose bins are found at a time: few, so that the next ones are found while these are counted.
constexpr std::int64_t stretch = 512;

std::int64_t chunksOf(const Extents& extents, std::int64_t chunkElements = TensorIndex::mostChunkElements)
{
    return std::max((extents.planeElements() + chunkElements - 1) / chunkElements, std::int64_t{1});
}

/// Elements of a chunk: few where a row is found by looking at elements that have no codes and lie apart from each other. The
/// bins of 8-bit values are so few that their counts take no more memory then.
std::int64_t chooseChunk(const BlockReader& reader, int bins)
{
    constexpr std::int64_t more = TensorIndex::mostChunkElements / TensorIndex::fewestChunkElements;
    constexpr std::int64_t narrowBins = 256 + 2;
    const bool isApart = itemSize(reader.grid().dtype) == 1 && !reader.grid().plane.isContiguous();
    return isApart && bins >= more * narrowBins && reader.plan().elements <= TensorIndex::fewestChunkElements
               ? TensorIndex::fewestChunkElements
               : TensorIndex::mostChunkElements;
}

/// Bins per chunk where memory is no matter.
int wantedBins(const Extents& extents)
{
    const std::int64_t wanted = std::clamp(std::min(extents.planeElements(), TensorIndex::mostChunkElements) / 4,
                                           std::int64_t{fewestBins}, std::int64_t{maxBins});
    return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(wanted)));
}

/// Bins per chunk within a budget; 0 when not even the fewest fit.
int chooseBins(const Extents& extents, std::int64_t budgetBytes)
{
    int bins = wantedBins(extents);
    while (bins >= fewestBins && histogramBytes(extents, bins) > budgetBytes)
        bins /= 2;
    return bins >= fewestBins ? bins : 0;
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
class Index : public TensorIndex
{
    using Compare = CompareOf<Seen>;
    using Work = MapType<Seen>;

public:
    Index(const BlockReader& reader, const Statistics& all, int bins)
        : m_extents(reader.grid().extents), m_planes(m_extents.planes()), m_planeElements(m_extents.planeElements()),
          m_edges(reader, all, bins), m_binning(m_edges.binning())
    {
        m_chunkElements = chooseChunk(reader, bins);
        m_chunks = chunksOf(m_extents, m_chunkElements);
    }

    void build(const BlockReader& reader, const IndexBudget& budget, const Workers& workers, const Job& job)
    {
        if (budget.codes) {
            m_ownedCodes.emplace(m_edges, m_extents, budget.pool);
            m_codes = &*m_ownedCodes;
            m_codeBytes = m_ownedCodes->bytes();
            m_codeScale = m_ownedCodes->scale();
        }
        m_atLeast.resize(static_cast<std::size_t>(m_planes * m_chunks) * row());
        countAll(reader, workers, job);
        m_totals.assign(row(), 0);
        for (std::int64_t chunk = 0; chunk < m_planes * m_chunks; ++chunk)
            accumulate(chunk);
        addUpPlanes();
        if (m_ownedCodes)
            m_ownedCodes->setTotals(m_totals,
                                    std::accumulate(m_totals.begin(), m_totals.end(), m_extents.elements(), std::minus<>()));
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

    std::vector<KeyRange> keyRanges() const override
    {
        std::vector<KeyRange> ranges;
        for (int bin = 0; bin < m_edges.bins(); ++bin)
            ranges.push_back({std::max(m_edges.firstKey(bin), m_edges.minKey()), m_edges.lastKey(bin)});
        return ranges;
    }

    std::span<const std::int64_t> totals() const override
    {
        return std::span(m_totals).first(static_cast<std::size_t>(m_edges.bins()));
    }

    void addCounts(std::int64_t plane, std::span<std::int64_t> counts) const override
    {
        for (std::int64_t chunk = plane * m_chunks; chunk < (plane + 1) * m_chunks; ++chunk) {
            const std::uint32_t* const atLeast = rowOf(chunk);
            for (std::size_t bin = 0; bin + 1 < counts.size(); ++bin)
                counts[bin] += std::int64_t{atLeast[bin]} - std::int64_t{atLeast[bin + 1]};
            counts.back() += std::int64_t{atLeast[counts.size() - 1]} - std::int64_t{atLeast[m_binning.infinityBin()]};
        }
    }

    std::uint8_t codeOf(int bin) const override { return codeOfBin(bin, m_codeScale); }

    std::span<const double> stops() const override { return m_edges.stops(); }

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
        return std::min(m_chunkElements, m_planeElements - chunk % m_chunks * m_chunkElements);
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
        const auto from =
            isEmpty ? std::optional(m_binning.nanBin()) : m_edges.edgeOf(firstKeyFrom<Seen>(predicate.lo), 0, m_totals);
        const auto to = isEmpty ? from : m_edges.edgeOf(lastKeyTo<Seen>(predicate.hi), 1, m_totals);
        if (!from || !to)
            return std::nullopt;
        return Lookup{*from, *to, predicate.invert, predicate.nanHot};
    }

    /// Every item counts a chunk of some channels, which nobody else counts.
    void countAll(const BlockReader& reader, const Workers& workers, const Job& job)
    {
        // A cache line of the shortest elements, where channels lie next to each other.
        constexpr std::int64_t fewest = 16;
        constexpr std::int64_t itemsPerThread = 4;
        BlockPlan plan = reader.plan();
        const auto groups = [&] { return (m_extents.channels + plan.channels - 1) / plan.channels; };
        const std::int64_t batchGroups = (m_extents.batches + plan.batches - 1) / plan.batches;
        const auto items = [&] { return batchGroups * groups() * m_chunks; };
        while (plan.channels >= 2 * fewest && items() < itemsPerThread * workers.threads())
            plan.channels /= 2;
        workers.forEach(items(), job, [&](std::int64_t item, Scratch& scratch) {
            BlockPlace chunk;
            chunk.batch = item / (groups() * m_chunks) * plan.batches;
            chunk.batches = std::min(plan.batches, m_extents.batches - chunk.batch);
            chunk.channel = item / m_chunks % groups() * plan.channels;
            chunk.channels = std::min(plan.channels, m_extents.channels - chunk.channel);
            chunk.first = item % m_chunks * m_chunkElements;
            chunk.elements = std::min(m_chunkElements, m_planeElements - chunk.first);
            countChunk(reader, chunk, plan.elements, scratch, job);
        });
    }

    void countChunk(const BlockReader& reader, const BlockPlace& chunk, std::int64_t blockElements, Scratch& scratch,
                    const Job& job)
    {
        const std::int64_t planes = chunk.batches * chunk.channels;
        const auto plane = [&](std::int64_t k) {
            return (chunk.batch + k / chunk.channels) * m_extents.channels + chunk.channel + k % chunk.channels;
        };
        const auto target = [&](std::int64_t k) {
            return m_atLeast.data() + static_cast<std::size_t>(plane(k) * m_chunks + chunk.first / m_chunkElements) * row();
        };
        // Counters of their own pay where more elements are counted than there are counters.
        std::optional<BinCounter> counter;
        const std::int64_t together = planes == 1 ? chunk.elements : std::min(blockElements, chunk.elements);
        const bool isLong = together >= 4 * static_cast<std::int64_t>(row());
        BlockPlace block = chunk;
        for (; block.first < chunk.first + chunk.elements; block.first += blockElements) {
            job.check();
            block.elements = std::min(blockElements, chunk.first + chunk.elements - block.first);
            const ValueBlock values = reader.read(block, scratch);
            for (std::int64_t k = 0; k < planes; ++k) {
                const std::byte* const from =
                    values.values + values.at(k / chunk.channels, k % chunk.channels) * static_cast<std::int64_t>(sizeof(Seen));
                const std::int64_t begin = plane(k) * m_planeElements + block.first;
                if (!isLong) {
                    forBins(from, block.elements, begin, [to = target(k)](std::span<const std::uint16_t> bins) {
                        for (const std::uint16_t bin : bins)
                            ++to[bin];
                    });
                    continue;
                }
                if (!counter)
                    counter.emplace(std::span(target(k), row()));
                forBins(from, block.elements, begin, [&](std::span<const std::uint16_t> bins) { counter->add(bins); });
                if (planes > 1)
                    counter.reset();
            }
        }
    }

    /// Calls use(bins) for the bins of some values, a stretch at a time, and writes their codes from element `begin` on.
    template <class Use>
    void forBins(const std::byte* values, std::int64_t n, std::int64_t begin, Use use)
    {
        std::uint16_t bins[stretch];
        for (std::int64_t first = 0; first < n; first += stretch) {
            const std::int64_t length = std::min(stretch, n - first);
            findBins<Seen>(values + first * static_cast<std::int64_t>(sizeof(Seen)), length, m_binning, bins);
            if (m_codeBytes)
                codesOfBins(bins, length, m_codeScale, m_codeBytes + begin + first);
            use(std::span(bins).first(static_cast<std::size_t>(length)));
        }
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

    Extents m_extents;
    std::int64_t m_planes;
    std::int64_t m_planeElements;
    const BinEdges<Seen> m_edges;
    const Binning<Work>& m_binning;
    std::vector<std::uint32_t> m_atLeast;
    /// The same per plane, where a plane has several chunks.
    std::vector<std::uint32_t> m_planeAtLeast;
    /// Elements of all planes per bin.
    std::vector<std::int64_t> m_totals;

    std::optional<BinCodes<Seen>> m_ownedCodes;
    /// Its bytes, null without codes, and its scale.
    std::uint8_t* m_codeBytes = nullptr;
    CodeScale m_codeScale;
};

} // namespace

std::int64_t histogramBytes(const Extents& extents, int mostBins)
{
    constexpr std::int64_t most = std::int64_t{1} << 62;
    const std::int64_t chunks = chunksOf(extents);
    const auto bytes = static_cast<__int128>(extents.planes()) * (chunks + (chunks > 1)) *
                       (std::min(wantedBins(extents), mostBins) + 2) * static_cast<int>(sizeof(std::uint32_t));
    return static_cast<std::int64_t>(std::min<__int128>(bytes, most));
}

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
    granted.codes = budget.codes && itemSize(dtype) >= 2;
    return withSeenType(dtype, [&](auto seen) -> std::shared_ptr<const TensorIndex> {
        auto index = std::make_shared<Index<decltype(seen)>>(reader, all, bins);
        index->build(reader, granted, workers, job);
        return index;
    });
}

std::vector<double> indexStops(const BlockReader& reader, const Statistics& all, const IndexBudget& budget)
{
    const DType dtype = reader.grid().dtype;
    const int bins = chooseBins(reader.grid().extents, budget.histogramBytes);
    if (isComplex(dtype) || !all.min || bins == 0)
        return {};
    return withSeenType(dtype, [&](auto seen) {
        const Index<decltype(seen)> unfilled(reader, all, bins);
        return std::vector<double>(unfilled.stops().begin(), unfilled.stops().end());
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
