// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/statistics.h"

#include <span>
#include <type_traits>

namespace core {

/// Range of every block of zoneElements of every plane; the last block of a plane may be short.
class ZoneMap
{
public:
    ZoneMap() = default;
    /// For `planes` planes of `planeElements` elements of a dtype.
    ZoneMap(DType dtype, std::int64_t planes, std::int64_t planeElements);

    bool isEmpty() const { return m_bytes.empty(); }
    /// Ranges of a plane, in order; Compare as CompareOf the seen type.
    template <class Compare>
    std::span<const ZoneRange<Compare>> plane(std::int64_t plane) const
    {
        return {reinterpret_cast<const ZoneRange<Compare>*>(m_bytes.data()) + plane * m_blocks,
                static_cast<std::size_t>(m_blocks)};
    }
    template <class Compare>
    ZoneRange<Compare>* plane(std::int64_t plane)
    {
        return reinterpret_cast<ZoneRange<Compare>*>(m_bytes.data()) + plane * m_blocks;
    }

private:
    std::int64_t m_blocks = 0;
    std::vector<std::byte> m_bytes;
};

/// How a MaxMap keeps a largest value: as the tensor does where that is shorter than what maps are made of.
template <class Seen>
using KeptMax = std::conditional_t<(sizeof(Seen) < sizeof(MapType<Seen>)), Seen, MapType<Seen>>;

/// Per pixel of a batch item (pixels in the order of a plane's elements) the largest value through the channels; NaN is left
/// out, -inf stands where there is no other.
class MaxMap
{
public:
    MaxMap() = default;
    explicit MaxMap(Storage memory) : m_memory(std::move(memory)) {}

    bool isEmpty() const { return m_memory.bytes.empty(); }
    /// [batches, pixels].
    template <class Seen>
    const KeptMax<Seen>* values() const
    {
        return reinterpret_cast<const KeptMax<Seen>*>(m_memory.bytes.data());
    }

private:
    Storage m_memory;
};

/// What the first scan keeps besides statistics.
struct ScanParts
{
    bool zones = false;
    bool maxMap = false;
};

/// What one pass over a tensor tells.
struct FirstScan
{
    std::vector<PlaneStatistics> planes;
    /// Empty unless asked.
    ZoneMap zones;
    /// Empty unless asked, and for 64-bit integers, which it cannot hold.
    MaxMap maxMap;
};

/// Scans a tensor once. Statistics as scanPlanes gives them. `pool` lends the max map's memory.
FirstScan scanFirst(const BlockReader& reader, const ScanParts& parts, const std::shared_ptr<BufferPool>& pool,
                    const Workers& workers, const Job& job);

} // namespace core
