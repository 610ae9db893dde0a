// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/first_scan.h"

#include "core/engine/kernels_narrow.h"
#include "core/engine/lane_sum.h"

#include <algorithm>
#include <array>
#include <limits>

namespace core {
namespace {

constexpr std::size_t maxSlot = 2;

/// What kernels raise, kept.
template <class Map, class Kept>
void keepMax(const Map* max, std::int64_t n, Kept* kept)
{
    if constexpr (std::is_same_v<Kept, Half> || std::is_same_v<Kept, BFloat16>)
        narrow(max, n, kept);
    else
        std::transform(max, max + n, kept, [](Map value) { return static_cast<Kept>(value); });
}

/// One pass: stretches of pixels, each through all channels (or some, where stretches are few), so that the largest values stay
/// in the cache.
template <class Seen>
class ScanPass
{
    using Compare = CompareOf<Seen>;
    using Map = MapType<Seen>;
    using Kept = KeptMax<Seen>;
    static constexpr std::int64_t size = sizeof(Seen);

public:
    ScanPass(const BlockReader& reader, const ScanParts& parts, const std::shared_ptr<BufferPool>& pool, int threads)
        : m_reader(reader), m_extents(reader.grid().extents), m_elements(m_extents.planeElements()),
          m_tiles(tileCount(m_elements)), m_plan(reader.slicedPlan()), m_slices(m_plan.slices > 1 ? m_extents.depth : 1),
          m_tilesOfItem(cutTiles())
    {
        m_parts.resize(static_cast<std::size_t>(m_extents.planes() * m_tiles));
        m_stretches = (m_tiles / m_slices + m_tilesOfItem - 1) / m_tilesOfItem;
        const std::int64_t items = batchGroups() * sliceGroups() * m_stretches;
        constexpr std::int64_t itemsOfThread = 4;
        if (items > 0 && items < itemsOfThread * threads)
            m_groups = std::clamp((itemsOfThread * threads + items - 1) / items, std::int64_t{1}, m_extents.channels);
        if (parts.zones)
            m_zones = ZoneMap(reader.grid().dtype, m_extents.planes(), m_elements);
        if (parts.maxMap && (!std::is_integral_v<Seen> || size < 8)) {
            // Groups of channels have a map each, which become one in the end.
            m_max.emplace(pool, static_cast<std::size_t>(m_groups * m_extents.batches * m_elements) * sizeof(Kept));
        }
    }

    FirstScan run(const Workers& workers, const Job& job)
    {
        const std::int64_t items = batchGroups() * sliceGroups() * m_stretches * m_groups;
        workers.forEach(items, job, [&](std::int64_t item, Scratch& scratch) {
            const std::int64_t group = item % m_groups;
            const std::int64_t stretch = item / m_groups % m_stretches;
            const std::int64_t slice = item / m_groups / m_stretches % sliceGroups() * m_plan.slices;
            BlockPlace place;
            place.batch = item / m_groups / m_stretches / sliceGroups() * m_plan.batches;
            place.batches = std::min(m_plan.batches, m_extents.batches - place.batch);
            place.slices = std::min(m_plan.slices, m_slices - slice);
            place.channel = m_extents.channels * group / m_groups;
            place.channels = m_extents.channels * (group + 1) / m_groups - place.channel;
            place.first = stretch * m_tilesOfItem * tileElements;
            place.elements = std::min(m_tilesOfItem * tileElements, sliceElements() - place.first);
            place.first += slice * sliceElements();
            scan(place, group, scratch, job);
        });
        FirstScan out;
        out.planes.reserve(static_cast<std::size_t>(m_extents.planes()));
        for (std::int64_t plane = 0; plane < m_extents.planes(); ++plane)
            out.planes.push_back(
                combineTiles<Compare>(std::span<const TilePart<Compare>>(m_parts).subspan(
                                          static_cast<std::size_t>(plane * m_tiles), static_cast<std::size_t>(m_tiles)),
                                      m_elements));
        out.zones = std::move(m_zones);
        if (m_max) {
            mergeGroups();
            out.maxMap = MaxMap(std::move(*m_max).take());
        }
        return out;
    }

private:
    std::int64_t batchGroups() const { return (m_extents.batches + m_plan.batches - 1) / m_plan.batches; }
    std::int64_t sliceGroups() const { return (m_slices + m_plan.slices - 1) / m_plan.slices; }
    std::int64_t sliceElements() const { return m_elements / m_slices; }

    /// Tiles of a stretch: one, more where channels are few.
    std::int64_t cutTiles() const
    {
        constexpr std::int64_t most = 16;
        if (m_extents.elements() == 0)
            return 1;
        if (!m_reader.isDirect())
            return std::max(m_plan.elements / tileElements, std::int64_t{1});
        return std::clamp(most / std::max(m_extents.channels, std::int64_t{1}), std::int64_t{1}, most);
    }

    Kept* maxOf(std::int64_t group, std::int64_t batch, std::int64_t first)
    {
        return reinterpret_cast<Kept*>(m_max->data()) + (group * m_extents.batches + batch) * m_elements + first;
    }

    void scan(const BlockPlace& place, std::int64_t group, Scratch& scratch, const Job& job)
    {
        // The runs of one channel: slices of batch items.
        const std::int64_t runs = place.batches * place.slices;
        const auto batchOf = [&](std::int64_t run) { return run / place.slices; };
        const auto firstOf = [&](std::int64_t run) { return place.first + run % place.slices * sliceElements(); };
        std::vector<Map*> max(static_cast<std::size_t>(runs));
        for (std::int64_t run = 0; m_max && run < runs; ++run) {
            Map*& raised = max[static_cast<std::size_t>(run)];
            if constexpr (std::is_same_v<Kept, Map>)
                raised = maxOf(group, place.batch + batchOf(run), firstOf(run));
            else
                raised = scratch.take<Map>(maxSlot, runs * place.elements) + run * place.elements;
            std::fill_n(raised, place.elements, -std::numeric_limits<Map>::infinity());
        }
        // Channels that are read together: those whose elements lie between each other's.
        const std::int64_t together = m_reader.isDirect() ? 1 : m_plan.channels;
        for (std::int64_t c = 0; c < place.channels; c += together) {
            if (c % 64 == 0)
                job.check();
            BlockPlace part = place;
            part.channel += c;
            part.channels = std::min(together, place.channels - c);
            const ValueBlock block = m_reader.read(part, scratch);
            const std::int64_t next =
                m_reader.isDirect() && c + 1 < place.channels ? block.channelStride * size : std::int64_t{0};
            for (std::int64_t run = 0; run < runs; ++run) {
                const std::int64_t slice = run % place.slices * block.sliceStride;
                for (std::int64_t k = 0; k < part.channels; ++k)
                    scanRun((place.batch + batchOf(run)) * m_extents.channels + part.channel + k, firstOf(run),
                            block.values + (block.at(batchOf(run), k) + slice) * size, place.elements,
                            max[static_cast<std::size_t>(run)], next);
            }
        }
        if constexpr (!std::is_same_v<Kept, Map>)
            for (std::int64_t run = 0; m_max && run < runs; ++run)
                keepMax(max[static_cast<std::size_t>(run)], place.elements,
                        maxOf(group, place.batch + batchOf(run), firstOf(run)));
    }

    /// `next`: bytes from here to the same elements of the next channel.
    void scanRun(std::int64_t plane, std::int64_t first, const std::byte* values, std::int64_t n, Map* max, std::int64_t next)
    {
        ZoneRange<Compare>* const zones =
            m_zones.isEmpty() ? nullptr : m_zones.template plane<Compare>(plane) + first / zoneElements;
        TilePart<Compare>* part = m_parts.data() + plane * m_tiles + first / tileElements;
        for (std::int64_t at = 0; at < n; at += tileElements, ++part) {
            const std::byte* const tile = values + at * size;
            const std::int64_t length = std::min(tileElements, n - at);
            part->values = scanTile<Seen>(tile, length,
                                          {zones ? zones + at / zoneElements : nullptr, max ? max + at : nullptr, tile + next});
            if constexpr (std::is_integral_v<Seen>)
                part->squares = squaredDeviations<Seen>(
                    tile, length, static_cast<double>(part->values.integerSum) / static_cast<double>(length));
            else
                part->squares = part->values.squares;
        }
    }

    /// In the order of the channels, so that of equal zeros the first one stays.
    void mergeGroups()
    {
        const std::int64_t pixels = m_extents.batches * m_elements;
        std::array<Map, tileElements> max;
        for (std::int64_t first = 0; m_groups > 1 && first < pixels; first += tileElements) {
            const std::int64_t n = std::min(tileElements, pixels - first);
            std::fill_n(max.begin(), n, -std::numeric_limits<Map>::infinity());
            for (std::int64_t group = 0; group < m_groups; ++group)
                raiseMax<Kept>(reinterpret_cast<const std::byte*>(maxOf(group, 0, first)), n, max.data());
            keepMax(max.data(), n, maxOf(0, 0, first));
        }
    }

    const BlockReader& m_reader;
    const Extents& m_extents;
    const std::int64_t m_elements;
    const std::int64_t m_tiles;
    const BlockPlan m_plan;
    /// Slices of a volume that are scanned apart: all or one.
    const std::int64_t m_slices;
    const std::int64_t m_tilesOfItem;
    std::int64_t m_stretches = 0;
    /// Groups of channels that are scanned apart.
    std::int64_t m_groups = 1;
    std::vector<TilePart<Compare>> m_parts;
    ZoneMap m_zones;
    std::optional<PooledStorage> m_max;
};

} // namespace

ZoneMap::ZoneMap(DType dtype, std::int64_t planes, std::int64_t planeElements)
    : m_blocks((planeElements + zoneElements - 1) / zoneElements),
      m_bytes(static_cast<std::size_t>(planes * m_blocks) *
              withSeenType(dtype, [](auto seen) { return sizeof(ZoneRange<CompareOf<decltype(seen)>>); }))
{
}

FirstScan scanFirst(const BlockReader& reader, const ScanParts& parts, const std::shared_ptr<BufferPool>& pool,
                    const Workers& workers, const Job& job)
{
    const DType dtype = reader.grid().dtype;
    ScanParts wanted = parts;
    if (isComplex(dtype) || reader.grid().extents.elements() == 0)
        wanted = {};
    FirstScan found = withSeenType(
        dtype, [&](auto seen) { return ScanPass<decltype(seen)>(reader, wanted, pool, workers.threads()).run(workers, job); });
    if (isComplex(dtype))
        for (PlaneStatistics& plane : found.planes)
            plane = {withoutOrder(plane.values), 0};
    return found;
}

std::vector<PlaneStatistics> scanPlanes(const BlockReader& reader, const Workers& workers, const Job& job)
{
    return scanFirst(reader, {}, nullptr, workers, job).planes;
}

} // namespace core
