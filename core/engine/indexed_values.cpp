// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/indexed_values.h"

#include "core/engine/value_keys.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace core {
namespace {

using Visit = std::function<void(std::span<const std::int64_t>)>;

/// Elements of one step.
constexpr std::int64_t piece = 65536;
constexpr std::size_t maskSlot = 2;

template <class Seen>
class IndexedValues : public ValueBins
{
    using Compare = CompareOf<Seen>;

public:
    IndexedValues(const ValueSet& values, const PlaneChoice& planes, std::shared_ptr<const TensorIndex> index,
                  const BlockReader& reader, const ZoneMap& zones, const Workers& workers)
        : m_forEach(values.forEach), m_zeros(values.statistics.zeros), m_negativeInf(values.statistics.negativeInf),
          m_index(std::move(index)), m_ranges(m_index->keyRanges()), m_reader(reader), m_zones(zones), m_workers(workers)
    {
        const Extents& extents = reader.grid().extents;
        for (std::int64_t plane = 0; plane < extents.planes(); ++plane)
            if ((!planes.batch || plane / extents.channels == *planes.batch) &&
                (!planes.channel || plane % extents.channels == *planes.channel))
                m_planes.push_back(plane);
        m_isAll = std::ssize(m_planes) == extents.planes();
        if (const Statistics& statistics = values.statistics; statistics.min)
            m_keys = {firstKeyFrom<Seen>(toCompareType(*statistics.min)), lastKeyTo<Seen>(toCompareType(*statistics.max))};
    }

    std::vector<Bin> bins() const override
    {
        std::vector<std::int64_t> counts(m_ranges.size());
        if (m_isAll)
            std::copy_n(m_index->totals().begin(), counts.size(), counts.begin());
        else
            for (const std::int64_t plane : m_planes)
                m_index->addCounts(plane, counts);
        counts.front() -= m_negativeInf;
        std::vector<Bin> bins;
        for (std::size_t i = 0; i < counts.size(); ++i)
            append(bins, {std::max(m_ranges[i].first, m_keys.first), std::min(m_ranges[i].last, m_keys.last), counts[i]});
        return bins;
    }

    void forEachKey(const Bin& bin, const Job& job, const Visit& visit) const override
    {
        const auto found = std::upper_bound(m_ranges.begin(), m_ranges.end(), bin.first,
                                            [](std::int64_t key, const KeyRange& range) { return key < range.first; });
        const int number = static_cast<int>(found - m_ranges.begin()) - 1;
        const std::int64_t elements = m_reader.grid().extents.planeElements();
        if (m_index->codes() && shareOfCode(number) <= mostByCodes())
            return forEachPiece(number, job, [&](std::int64_t plane, std::int64_t first, Scratch& scratch) {
                lookByCodes(plane, first, std::min(piece, elements - first), number, bin, scratch, visit);
            });
        const Predicate<Compare> predicate{compareOfKey<Seen>(bin.first), compareOfKey<Seen>(bin.last)};
        if (!m_reader.isDirect())
            return m_forEach(job, [&](const std::byte* values, std::int64_t n) {
                std::vector<std::uint64_t> words(static_cast<std::size_t>(maskWords(n)));
                look(values, n, predicate, bin, words.data(), visit);
            });
        forEachPiece(number, job, [&](std::int64_t plane, std::int64_t first, Scratch& scratch) {
            const std::int64_t n = std::min(piece, elements - first);
            if (!mayHold(plane, first, n, predicate))
                return;
            const std::int64_t channels = m_reader.grid().extents.channels;
            const ValueBlock block = m_reader.read({plane / channels, plane % channels, 1, first, n}, scratch);
            look(block.values, n, predicate, bin, scratch.take<std::uint64_t>(maskSlot, maskWords(n)), visit);
        });
    }

private:
    static Compare toCompareType(const Scalar& value)
    {
        return std::visit([](auto v) { return static_cast<Compare>(v); }, value);
    }

    /// Appends a bin unless it is empty; one that begins with zero, of which there are often many, in two.
    void append(std::vector<Bin>& bins, Bin bin) const
    {
        constexpr std::int64_t zero = keyOf(Seen{});
        const bool isZeroFirst = bin.first <= zero && zero <= bin.last && compareOfKey<Seen>(bin.first) == Compare{};
        if (isZeroFirst && m_zeros > 0) {
            bins.push_back({zero, zero, m_zeros});
            bin.first = zero + 1;
            bin.count -= m_zeros;
        }
        if (bin.count > 0)
            bins.push_back(bin);
    }

    /// Calls work(plane, first, scratch) for pieces of the planes whose chunks have elements in a bin.
    template <class Work>
    void forEachPiece(int bin, const Job& job, Work work) const
    {
        CodeAnswer inside;
        inside.hotBins.emplace_back(bin, bin + 1);
        static_assert(TensorIndex::fewestChunkElements % piece == 0);
        const std::int64_t pieces = (m_reader.grid().extents.planeElements() + piece - 1) / piece;
        m_workers.forEach(std::ssize(m_planes) * pieces, job, [&](std::int64_t item, Scratch& scratch) {
            const std::int64_t plane = m_planes[static_cast<std::size_t>(item / pieces)];
            const std::int64_t first = item % pieces * piece;
            if (m_index->elementsIn(plane * m_index->chunksOfPlane() + first / m_index->chunkElements(), inside) > 0)
                work(plane, first, scratch);
        });
    }

    /// Part of the tensor's elements that has the code of a bin.
    double shareOfCode(int bin) const
    {
        std::int64_t count = 0;
        for (int other = 0; other < static_cast<int>(m_ranges.size()); ++other)
            if (m_index->codeOf(other) == m_index->codeOf(bin))
                count += m_index->totals()[static_cast<std::size_t>(other)];
        return static_cast<double>(count) / static_cast<double>(m_reader.grid().extents.elements());
    }

    /// The share of elements to be looked at one by one up to which that costs less than reading all.
    static constexpr double mostByCodes() { return 0.0015 * (sizeof(Seen) - 1); }

    void lookByCodes(std::int64_t plane, std::int64_t first, std::int64_t n, int number, const Bin& bin, Scratch& scratch,
                     const Visit& visit) const
    {
        const PlaneGrid& grid = m_reader.grid();
        const std::int64_t batch = plane / grid.extents.channels;
        const std::int64_t channel = plane % grid.extents.channels;
        CodeTest test;
        test.first = m_index->codeOf(number);
        test.isNone = false;
        auto* const words = scratch.take<std::uint64_t>(maskSlot, maskWords(n));
        markCodes(m_index->codes()->plane(batch, channel) + first, n, test, words, nullptr);
        auto* const places = scratch.take<const std::byte*>(maskSlot + 1, n);
        const std::byte* const base = grid.planeBase(batch, channel);
        const bool isOneRun = grid.plane.isOneRun() && grid.plane.innerStride() == 1;
        std::int64_t found = 0;
        for (std::int64_t word = 0; word < maskWords(n); ++word)
            for (std::uint64_t bits = words[word]; bits; bits &= bits - 1) {
                const std::int64_t element = first + word * 64 + std::countr_zero(bits);
                const std::byte* const at = base + (isOneRun ? element : grid.plane.offsetOf(element)) * size;
                __builtin_prefetch(at);
                places[found++] = at;
            }
        auto* const keys = scratch.take<std::int64_t>(maskSlot + 2, found);
        std::int64_t inside = 0;
        for (std::int64_t i = 0; i < found; ++i) {
            keys[inside] = keyAt(places[i]);
            inside += bin.first <= keys[inside] && keys[inside] <= bin.last;
        }
        if (inside > 0)
            visit({keys, static_cast<std::size_t>(inside)});
    }

    /// Whether the ranges of some block let a value into an interval.
    bool mayHold(std::int64_t plane, std::int64_t first, std::int64_t n, const Predicate<Compare>& interval) const
    {
        if (m_zones.isEmpty())
            return true;
        const auto zones = m_zones.plane<Compare>(plane).subspan(
            static_cast<std::size_t>(first / zoneElements), static_cast<std::size_t>((n + zoneElements - 1) / zoneElements));
        return std::any_of(zones.begin(), zones.end(), [&](const ZoneRange<Compare>& zone) {
            return zone.lowest <= interval.hi && interval.lo <= zone.highest;
        });
    }

    static void look(const std::byte* values, std::int64_t n, const Predicate<Compare>& predicate, const Bin& bin,
                     std::uint64_t* words, const Visit& visit)
    {
        const std::int64_t hot = markHot<Seen>(values, n, predicate, words);
        if (hot == 0)
            return;
        std::vector<std::int64_t> keys;
        keys.reserve(static_cast<std::size_t>(hot));
        for (std::int64_t word = 0; word < maskWords(n); ++word)
            for (std::uint64_t bits = words[word]; bits; bits &= bits - 1) {
                // Of zeros, which are equal, the bin may hold one only.
                const std::int64_t key = keyAt(values + (word * 64 + std::countr_zero(bits)) * size);
                if (bin.first <= key && key <= bin.last)
                    keys.push_back(key);
            }
        visit(keys);
    }

    static std::int64_t keyAt(const std::byte* at)
    {
        Seen value;
        std::memcpy(&value, at, sizeof value);
        return keyOf(value);
    }

    static constexpr std::int64_t size = sizeof(Seen);

    std::function<void(const Job&, const ValueSet::Visit&)> m_forEach;
    /// Of the finite values of these planes.
    KeyRange m_keys{0, -1};
    std::int64_t m_zeros;
    std::int64_t m_negativeInf;
    std::shared_ptr<const TensorIndex> m_index;
    std::vector<KeyRange> m_ranges;
    const BlockReader& m_reader;
    const ZoneMap& m_zones;
    const Workers& m_workers;
    std::vector<std::int64_t> m_planes;
    bool m_isAll = false;
};

} // namespace

void setBins(ValueSet& values, const PlaneChoice& planes, std::shared_ptr<const TensorIndex> index, const BlockReader& reader,
             const ZoneMap& zones, const Workers& workers)
{
    if (!index)
        return;
    values.bins = withSeenType(values.dtype, [&](auto seen) -> std::shared_ptr<const ValueBins> {
        return std::make_shared<IndexedValues<decltype(seen)>>(values, planes, std::move(index), reader, zones, workers);
    });
}

} // namespace core
