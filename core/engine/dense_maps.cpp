// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/code_sums.h"
#include "core/engine/dense_scan.h"
#include "core/engine/memory_order.h"
#include "core/engine/reductions.h"
#include "core/engine/value_codes.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

namespace core {
namespace {

/// Most values of a tile: more would keep a thread from seeing a stop, or take too much scratch memory.
constexpr std::int64_t tileValues = 1 << 20;
/// Of values that are copied, as many as the cache holds.
constexpr std::int64_t copiedBytes = 512 << 10;
constexpr std::size_t firstAccumulatorSlot = 2;

/// Accumulators of the pixels of a tile; null where no map needs them.
template <class Seen>
struct Accumulators
{
    std::int32_t* count = nullptr;
    double* sum = nullptr;
    double* absolute = nullptr;
    double* square = nullptr;
    MapType<Seen>* max = nullptr;

    Accumulators(const MapNeeds& needs, std::int64_t pixels, Scratch& scratch)
    {
        if (needs.count)
            count = scratch.take<std::int32_t>(firstAccumulatorSlot, pixels);
        if (needs.sum)
            sum = scratch.take<double>(firstAccumulatorSlot + 1, pixels);
        if (needs.absolute)
            absolute = scratch.take<double>(firstAccumulatorSlot + 2, pixels);
        if (needs.square)
            square = scratch.take<double>(firstAccumulatorSlot + 3, pixels);
        if (needs.max)
            max = scratch.take<MapType<Seen>>(firstAccumulatorSlot + 4, pixels);
    }

    void clear(std::int64_t pixels) const
    {
        std::fill_n(count, count ? pixels : 0, 0);
        std::fill_n(sum, sum ? pixels : 0, 0.0);
        std::fill_n(absolute, absolute ? pixels : 0, 0.0);
        std::fill_n(square, square ? pixels : 0, 0.0);
        std::fill_n(max, max ? pixels : 0, std::numeric_limits<MapType<Seen>>::quiet_NaN());
    }
};

/// Adds one channel to the accumulators, value by value: for one threshold per channel, and for more channels than a tile
/// takes. Needs the count where the maximum is wanted. Returns the number of hot pixels.
template <class Seen>
std::int64_t addChannel(const std::byte* values, std::int64_t pixels, const Predicate<CompareOf<Seen>>& hot,
                        const Accumulators<Seen>& to)
{
    std::int64_t hotPixels = 0;
    for (std::int64_t i = 0; i < pixels; ++i) {
        Seen stored;
        std::memcpy(&stored, values + i * static_cast<std::int64_t>(sizeof stored), sizeof stored);
        const auto value = toCompare(stored);
        if (!hot(value))
            continue;
        ++hotPixels;
        const auto real = static_cast<double>(value);
        if (to.sum)
            to.sum[i] += real;
        if (to.absolute)
            to.absolute[i] += std::abs(real);
        if (to.square)
            to.square[i] += real * real;
        if (to.max) {
            const auto mapped = static_cast<MapType<Seen>>(value);
            if (to.count[i] == 0 || mapped > to.max[i] || mapped != mapped)
                to.max[i] = mapped;
        }
        if (to.count)
            ++to.count[i];
    }
    return hotPixels;
}

/// One pass over some batch items that fills all maps asked.
template <class Seen>
class MapPass
{
public:
    MapPass(const PlaneGrid& grid, const HotTest& test, const MapJob& maps)
        : m_grid(grid), m_maps(maps), m_reader(grid, test.complexView()), m_needs(needsOf(maps.queries)),
          m_out(maps.queries, grid.dtype, maps.batches * grid.extents.planeElements(), maps.pool)
    {
        for (std::int64_t c = 0; c < (test.isPerChannel() ? grid.extents.channels : 1); ++c)
            m_hot.push_back(test.predicate<Seen>(c));
        if constexpr (isNarrow)
            if (!test.isPerChannel() && !m_needs.absolute && !m_needs.square && !m_needs.max)
                m_codeTest = ownCodeTest<Seen>(m_hot.front());
        m_byChannel = test.isPerChannel() || grid.extents.channels > tileValues / 64;
        // A maximum is known to be the first of its pixel by the count.
        m_needs.count = m_needs.count || m_codeTest || (m_byChannel && m_needs.max);
        BlockNeeds needs;
        if (!m_reader.isDirect())
            needs.add(grid);
        m_together = std::clamp(maps.batches, std::int64_t{1}, needs.batches);
        m_pixels = m_reader.isDirect() || m_byChannel
                       ? maxTilePixels
                       : std::clamp(copiedBytes / seenSize(grid.dtype) / m_together /
                                        std::max(grid.extents.channels, std::int64_t{1}) / 64 * 64,
                                    std::int64_t{64}, maxTilePixels);
    }

    std::vector<Tensor> run(const Workers& workers, const Job& job)
    {
        const std::int64_t elements = m_grid.extents.planeElements();
        const std::int64_t groups = (m_maps.batches + m_together - 1) / m_together;
        m_pixels = evenTilePixels(elements, groups, workers.threads(), m_pixels);
        const std::int64_t tiles = (elements + m_pixels - 1) / m_pixels;
        workers.forEach(groups * tiles, job, [&](std::int64_t item, Scratch& scratch) {
            const std::int64_t first = item % tiles * m_pixels;
            const std::int64_t batch = item / tiles * m_together;
            const BlockPlace place{m_maps.firstBatch + batch,
                                   0,
                                   m_grid.extents.channels,
                                   first,
                                   std::min(m_pixels, elements - first),
                                   std::min(m_together, m_maps.batches - batch)};
            reduceItems(place, batch * elements + first, scratch, job);
        });
        Shape shape = planeShape(m_grid.extents);
        shape.insert(shape.begin(), m_maps.batches);
        return m_out.take(shape);
    }

private:
    /// The same pixels of some batch items.
    void reduceItems(const BlockPlace& place, std::int64_t target, Scratch& scratch, const Job& job)
    {
        ValueBlock block;
        if (!m_byChannel)
            block = m_reader.read(place, scratch);
        BlockPlace one = place;
        one.batches = 1;
        for (std::int64_t b = 0; b < place.batches; ++b, ++one.batch) {
            reduceItem(one, block, target + b * m_grid.extents.planeElements(), scratch, job);
            block.values += block.batchStride * static_cast<std::int64_t>(sizeof(Seen));
        }
    }

    void reduceItem(const BlockPlace& place, const ValueBlock& block, std::int64_t target, Scratch& scratch, const Job& job)
    {
        const Accumulators<Seen> sums(m_needs, place.elements, scratch);
        std::int64_t* counts = nullptr;
        if (!m_maps.counts.empty()) {
            counts = scratch.take<std::int64_t>(countSlot, place.channels);
            std::fill_n(counts, place.channels, 0);
        }
        if (m_byChannel)
            addByChannel(place, sums, counts, scratch, job);
        else if (m_codeTest)
            addCodes(place, block, sums, counts, scratch, job);
        else
            reduce(place, block, sums, counts);
        for (std::int64_t c = 0; counts && c < place.channels; ++c)
            if (counts[c] > 0)
                std::atomic_ref(m_maps.counts[static_cast<std::size_t>(place.batch * place.channels + c)])
                    .fetch_add(counts[c], std::memory_order_relaxed);
        m_out.write(target, place.elements,
                    PixelSums<MapType<Seen>>{sums.count, sums.sum, sums.absolute, sums.square, sums.max});
    }

    void reduce(const BlockPlace& place, const ValueBlock& block, const Accumulators<Seen>& sums, std::int64_t* counts)
    {
        PixelTile<Seen> tile;
        tile.values = block.values;
        tile.channels = place.channels;
        tile.channelStride = block.channelStride;
        tile.pixels = place.elements;
        tile.predicate = m_hot.front();
        tile.counts = counts;
        tile.countMap = sums.count;
        tile.sumMap = sums.sum;
        tile.absoluteMap = sums.absolute;
        tile.squareMap = sums.square;
        tile.maxMap = sums.max;
        reduceChannels(tile);
    }

    /// Values of 8 bits are their own codes.
    void addCodes(const BlockPlace& place, const ValueBlock& block, const Accumulators<Seen>& sums, std::int64_t* counts,
                  Scratch& scratch, const Job& job)
    {
        if constexpr (isNarrow) {
            for (std::int64_t c = 0; counts && c < place.channels; ++c)
                counts[c] += countHot<Seen>(block.values + c * block.channelStride, place.elements, m_hot.front());
            CodeTotals totals;
            totals.pixels = place.elements;
            totals.count = sums.count;
            totals.sum = sums.sum;
            totals.base = std::numeric_limits<Seen>::lowest();
            takeShort(totals, scratch, shortSlot);
            sums.clear(place.elements);
            addAllCodes({reinterpret_cast<const std::uint8_t*>(block.values), place.channels, block.channelStride}, *m_codeTest,
                        totals, job);
        }
    }

    void addByChannel(const BlockPlace& place, const Accumulators<Seen>& sums, std::int64_t* counts, Scratch& scratch,
                      const Job& job)
    {
        sums.clear(place.elements);
        for (std::int64_t c = 0; c < place.channels; ++c) {
            if (c % 64 == 0)
                job.check();
            const ValueBlock block = m_reader.read({place.batch, c, 1, place.first, place.elements}, scratch);
            const auto& hot = m_hot[m_hot.size() > 1 ? static_cast<std::size_t>(c) : 0];
            const std::int64_t hotPixels = addChannel<Seen>(block.values, place.elements, hot, sums);
            if (counts)
                counts[c] += hotPixels;
        }
    }

    static constexpr std::size_t countSlot = firstAccumulatorSlot + 5;
    static constexpr std::size_t shortSlot = countSlot + 1;
    static constexpr bool isNarrow = std::is_same_v<Seen, std::uint8_t> || std::is_same_v<Seen, std::int8_t>;

    const PlaneGrid& m_grid;
    const MapJob& m_maps;
    BlockReader m_reader;
    std::vector<Predicate<CompareOf<Seen>>> m_hot;
    MapNeeds m_needs;
    MapOutputs m_out;
    bool m_byChannel = false;
    /// What makes a value of 8 bits hot; nothing where sums are made from values.
    std::optional<CodeTest> m_codeTest;
    std::int64_t m_pixels = maxTilePixels;
    /// Batch items that are read together.
    std::int64_t m_together = 1;
};

} // namespace

std::vector<Tensor> reduceBatches(const PlaneGrid& grid, const HotTest& test, const MapJob& maps, const Workers& workers,
                                  const Job& job)
{
    const MemoryOrder order(grid, MemoryOrder::Repeats::once);
    std::vector<Tensor> found = withSeenType(
        grid.dtype, [&](auto seen) { return MapPass<decltype(seen)>(order.grid(), test, maps).run(workers, job); });
    for (std::int64_t& count : maps.counts)
        count *= order.repeats();
    for (Tensor& map : found)
        map = order.restored(std::move(map), maps.pool, workers, job);
    return found;
}

} // namespace core
