// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/hot_test.h"
#include "core/engine/lane_sum.h"
#include "core/engine/sparse_canonical.h"
#include "core/engine/statistics.h"
#include "core/layout.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace core {

/// Some entries that lie one after the other.
struct EntryRange
{
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t count() const { return end - begin; }
};

/// Stored elements of the selected part of a sparse tensor: plane after plane (batch-major), ascending within a plane. Planes
/// without any take no room: there may be more of them than memory.
struct SparseEntries
{
    DType dtype = DType::f32;
    Extents extents;
    /// Position in the plane's row-major order.
    std::vector<std::int64_t> inPlane;
    /// Position in the selected part, in the order of the tensor's own axes.
    std::vector<std::int64_t> own;
    std::vector<std::byte> values;
    /// Planes that have entries, ascending.
    std::vector<std::int64_t> filled;
    /// First entry of each of these, and the end.
    std::vector<std::int64_t> begins;
    /// Entries in the order of the tensor's own axes; empty where they lie so anyway.
    std::vector<std::int64_t> byOwn;

    std::int64_t count() const { return static_cast<std::int64_t>(own.size()); }
    /// Of the i-th filled plane.
    EntryRange ofFilled(std::size_t i) const { return {begins[i], begins[i + 1]}; }
    EntryRange ofPlane(std::int64_t plane) const;
    /// Filled planes from the first one at or past `plane` on.
    std::size_t filledFrom(std::int64_t plane) const
    {
        return static_cast<std::size_t>(std::lower_bound(filled.begin(), filled.end(), plane) - filled.begin());
    }
    std::int64_t channelOf(std::size_t i) const { return filled[i] % extents.channels; }
    /// Entry number `i` in the tensor's own order.
    std::int64_t inOwnOrder(std::int64_t i) const { return byOwn.empty() ? i : byOwn[static_cast<std::size_t>(i)]; }
    /// Calls visit(entry) for each; checks for a stop now and then.
    template <class Visit>
    void forEntries(const EntryRange& range, const Job& job, Visit visit) const
    {
        constexpr std::int64_t piece = 1 << 16;
        for (std::int64_t first = range.begin; first < range.end; first += piece) {
            job.check();
            for (std::int64_t entry = first; entry < std::min(first + piece, range.end); ++entry)
                visit(entry);
        }
    }
    const std::byte* value(std::int64_t entry) const { return values.data() + entry * itemSize(dtype); }
};

/// Throws Error when the planes are more than can be counted, Cancelled.
SparseEntries selectEntries(const CanonicalSparse& canonical, const Shape& shape, const Selection& selection, DType dtype,
                            const Job& job);

/// Values of entries in the seen type (see withSeenType). Keeps a reference to the entries.
class SeenEntries
{
public:
    SeenEntries(const SparseEntries& entries, const ComplexView& view);

    const std::byte* data() const { return m_own.empty() ? m_entries->values.data() : m_own.data(); }
    template <class Seen>
    Seen at(std::int64_t entry) const
    {
        Seen value;
        std::memcpy(&value, data() + entry * static_cast<std::int64_t>(sizeof value), sizeof value);
        return value;
    }

private:
    const SparseEntries* m_entries;
    /// Only where the stored bytes are not what kernels see.
    std::vector<std::byte> m_own;
};

/// Statistics of each filled plane; implicit zeros are left out when `storedOnly`. `seen`: without a condition.
std::vector<PlaneStatistics> scanEntries(const SparseEntries& entries, const SeenEntries& seen, bool storedOnly,
                                         const Job& job);
/// Statistics of implicit zeros alone.
PlaneStatistics statisticsOfZeros(DType dtype, std::int64_t zeros);

/// The sum of value(entry) over the entries of a plane, in the order of lane_sum.h: the bits of the dense sum.
template <class Value>
double laneSum(const SparseEntries& entries, const EntryRange& range, const Job& job, Value value)
{
    std::array<double, laneCount> lanes{};
    double sum = 0;
    std::int64_t tile = 0;
    entries.forEntries(range, job, [&](std::int64_t entry) {
        const std::int64_t position = entries.inPlane[static_cast<std::size_t>(entry)];
        if (position / tileElements != tile) {
            sum += combineLanes(lanes);
            lanes = {};
            tile = position / tileElements;
        }
        lanes[static_cast<std::size_t>(position % tileElements % laneCount)] += value(entry);
    });
    return sum + combineLanes(lanes);
}

} // namespace core
