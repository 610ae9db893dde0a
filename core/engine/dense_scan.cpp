// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dense_scan.h"

#include "core/engine/lane_sum.h"
#include "core/engine/memory_order.h"

#include <algorithm>
#include <atomic>

namespace core {
namespace {

template <class Seen>
std::vector<Predicate<CompareOf<Seen>>> predicates(const HotTest& test, std::int64_t channels)
{
    std::vector<Predicate<CompareOf<Seen>>> out;
    for (std::int64_t c = 0; c < (test.isPerChannel() ? channels : 1); ++c)
        out.push_back(test.predicate<Seen>(c));
    return out;
}

/// Part of a block that belongs to one plane.
struct PlaneRun
{
    std::int64_t plane;
    std::int64_t channel;
    std::int64_t first;
    const std::byte* values;
    std::int64_t elements;
};

template <class Seen, class Work>
void forEachRun(const PlaneGrid& grid, const HotTest& test, bool wholeTiles, const Workers& workers, const Job& job, Work work)
{
    const BlockReader reader(grid, test.complexView());
    forEachBlock(reader, wholeTiles ? reader.slicedPlan() : reader.plan(false), workers, job,
                 [&](const BlockPlace& place, const ValueBlock& block) {
                     for (std::int64_t c = 0; c < place.channels; ++c) {
                         const std::int64_t channel = place.channel + c;
                         work(PlaneRun{place.batch * grid.extents.channels + channel, channel, place.first,
                                       block.values + c * block.channelStride * static_cast<std::int64_t>(sizeof(Seen)),
                                       place.elements});
                     }
                 });
}

template <class Seen>
std::vector<std::int64_t> countSeen(const PlaneGrid& grid, const HotTest& test, const Workers& workers, const Job& job)
{
    const auto hot = predicates<Seen>(test, grid.extents.channels);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(grid.extents.planes()));
    const MemoryOrder order(grid);
    forEachRun<Seen>(order.grid(), test, false, workers, job, [&](const PlaneRun& run) {
        const std::int64_t count = countHot<Seen>(run.values, run.elements, hot[hot.size() > 1 ? run.channel : 0]);
        std::atomic_ref(counts[static_cast<std::size_t>(run.plane)]).fetch_add(count, std::memory_order_relaxed);
    });
    return counts;
}

/// Sums of the tiles of all planes, until they are added in order.
template <class Seen>
using TileSum = std::conditional_t<std::is_integral_v<Seen>, __int128, double>;

template <class Seen>
TileSum<Seen> hotTileSum(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Seen>>& hot)
{
    if constexpr (std::is_integral_v<Seen>)
        return sumHotExactly<Seen>(values, n, hot);
    else
        return sumHot<Seen>(values, n, hot);
}

template <class Seen>
CountsAndSums sumSeen(const PlaneGrid& grid, const HotTest& test, const Workers& workers, const Job& job)
{
    const auto hot = predicates<Seen>(test, grid.extents.channels);
    const std::int64_t tiles = tileCount(grid.extents.planeElements());
    CountsAndSums out;
    out.counts.resize(static_cast<std::size_t>(grid.extents.planes()));
    out.sums.resize(static_cast<std::size_t>(grid.extents.planes()));
    std::vector<TileSum<Seen>> parts(static_cast<std::size_t>(grid.extents.planes() * tiles));
    forEachRun<Seen>(grid, test, true, workers, job, [&](const PlaneRun& run) {
        const auto& predicate = hot[hot.size() > 1 ? run.channel : 0];
        const std::int64_t count = countHot<Seen>(run.values, run.elements, predicate);
        std::atomic_ref(out.counts[static_cast<std::size_t>(run.plane)]).fetch_add(count, std::memory_order_relaxed);
        for (std::int64_t first = 0; first < run.elements; first += tileElements)
            parts[static_cast<std::size_t>(run.plane * tiles + (run.first + first) / tileElements)] =
                hotTileSum<Seen>(run.values + first * static_cast<std::int64_t>(sizeof(Seen)),
                                 std::min(tileElements, run.elements - first), predicate);
    });
    for (std::size_t plane = 0; plane < out.sums.size(); ++plane) {
        TileSum<Seen> sum = 0;
        for (std::int64_t tile = 0; tile < tiles; ++tile)
            sum += parts[plane * static_cast<std::size_t>(tiles) + static_cast<std::size_t>(tile)];
        if constexpr (std::is_integral_v<Seen>)
            out.sums[plane] = {true, sum, 0};
        else
            out.sums[plane] = {false, 0, sum};
    }
    return out;
}

template <class Seen>
void markSeen(const PlaneGrid& grid, const HotTest& test, PlaneIndex plane, const Workers& workers, const Job& job,
              std::uint8_t* out)
{
    constexpr std::size_t maskSlot = 2;
    const BlockReader reader(grid, test.complexView());
    BlockNeeds needs;
    needs.add(grid);
    const std::int64_t piece = std::max(std::int64_t{65536}, std::min(needs.elements, std::int64_t{1} << 20) / 64 * 64);
    const auto hot = test.predicate<Seen>(plane.channel);
    const std::int64_t elements = grid.extents.planeElements();
    workers.forEach((elements + piece - 1) / piece, job, [&](std::int64_t item, Scratch& scratch) {
        const std::int64_t first = item * piece;
        const std::int64_t n = std::min(piece, elements - first);
        const ValueBlock block = reader.read({plane.batch, plane.channel, 1, first, n}, scratch);
        auto* words = scratch.take<std::uint64_t>(maskSlot, maskWords(n));
        markHot<Seen>(block.values, n, hot, words);
        expandMask(words, n, out + first);
    });
}

} // namespace

std::vector<std::int64_t> countPlanes(const PlaneGrid& grid, const HotTest& test, const Workers& workers, const Job& job)
{
    return withSeenType(grid.dtype, [&](auto seen) { return countSeen<decltype(seen)>(grid, test, workers, job); });
}

CountsAndSums sumPlanes(const PlaneGrid& grid, const HotTest& test, const Workers& workers, const Job& job)
{
    return withSeenType(grid.dtype, [&](auto seen) { return sumSeen<decltype(seen)>(grid, test, workers, job); });
}

Tensor markPlane(const PlaneGrid& grid, const HotTest& test, PlaneIndex plane, const Workers& workers, const Job& job)
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(grid.extents.planeElements()));
    auto* out = reinterpret_cast<std::uint8_t*>(bytes.data());
    withSeenType(grid.dtype, [&](auto seen) { markSeen<decltype(seen)>(grid, test, plane, workers, job, out); });
    return Tensor::contiguous(DType::boolean, planeShape(grid.extents), Storage::fromVector(std::move(bytes)));
}

Shape planeShape(const Extents& extents)
{
    if (extents.hasDepth)
        return {extents.depth, extents.height, extents.width};
    return {extents.height, extents.width};
}

} // namespace core
