// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_scan.h"

#include "gpu/device_tiles.h"

#include <algorithm>

namespace gpu {

static_assert(laneCount == core::laneCount && tileElements == core::tileElements);

namespace {

__int128 integerSum(std::uint64_t low, std::int64_t high)
{
    return static_cast<__int128>(high) * (static_cast<__int128>(1) << 32) + low;
}

template <class T>
core::TilePart<T> partOf(const TileResult<T>& tile)
{
    core::TilePart<T> part;
    part.values.finite = tile.finite;
    part.values.zeros = tile.zeros;
    part.values.nan = tile.nan;
    part.values.positiveInf = tile.positiveInf;
    part.values.negativeInf = tile.negativeInf;
    part.values.min = tile.min;
    part.values.max = tile.max;
    part.values.sum = tile.sum;
    part.values.integerSum = integerSum(tile.low, tile.high);
    part.squares = tile.squares;
    return part;
}

template <class T>
std::vector<core::PlaneStatistics> scanAs(const DeviceValues& values, const core::Job& job)
{
    std::vector<core::TilePart<T>> parts;
    const auto launch = [&](const TileRange& range, std::int64_t blocks, std::byte* results) {
        values.device().launch(values.type(), blocks, ScanParameters{values.planes(), range, results});
    };
    forTiles<TileResult<T>>(values, job, launch, [&](std::int64_t, const std::vector<TileResult<T>>& tiles) {
        std::transform(tiles.begin(), tiles.end(), std::back_inserter(parts), partOf<T>);
    });
    const std::int64_t elements = values.extents().planeElements();
    const auto perPlane = static_cast<std::size_t>(core::tileCount(elements));
    std::vector<core::PlaneStatistics> planes;
    for (std::size_t first = 0; first < parts.size(); first += perPlane)
        planes.push_back(core::combineTiles<T>(std::span<const core::TilePart<T>>(parts).subspan(first, perPlane), elements));
    return planes;
}

} // namespace

std::vector<core::PlaneStatistics> scanPlanes(const DeviceValues& values, const core::Job& job)
{
    return core::withSeenType(values.dtype(), [&](auto seen) { return scanAs<core::CompareOf<decltype(seen)>>(values, job); });
}

std::vector<std::int64_t> countPlanes(const DeviceValues& values, const core::HotTest& test, const core::Job& job)
{
    job.check();
    const DeviceHot hot(values, test);
    const core::Extents& extents = values.extents();
    const std::int64_t planes = extents.planes();
    const auto counts = values.memory().takeArray<std::uint64_t>(planes);
    values.device().fill(counts.data(), 0, static_cast<std::size_t>(planes) * sizeof(std::uint64_t));
    const std::int64_t bytes = extents.planeElements() * core::itemSize(values.dtype());
    // Planes that do not begin with a word reach into two more.
    const std::int64_t words = bytes / wideBytes + (bytes % wideBytes == 0 ? 0 : 2);
    CountParameters p{};
    p.planes = values.planes();
    p.hot = hot.table();
    p.piecesPerPlane = (words + pieceWords - 1) / pieceWords;
    p.pieces = planes * p.piecesPerPlane;
    p.counts = counts.as<std::uint64_t>();
    values.device().launch(values.type(), (p.pieces + blockWarps - 1) / blockWarps, p);
    return values.fetch<std::int64_t>(counts.data(), planes);
}

core::CountsAndSums sumPlanes(const DeviceValues& values, const core::HotTest& test, const core::Job& job)
{
    const DeviceHot hot(values, test);
    const auto planes = static_cast<std::size_t>(values.extents().planes());
    const std::int64_t perPlane = core::tileCount(values.extents().planeElements());
    core::CountsAndSums out;
    out.counts.resize(planes);
    out.sums.resize(planes, core::Sum{!core::isFloating(values.dtype()), 0, 0});
    const auto launch = [&](const TileRange& range, std::int64_t blocks, std::byte* results) {
        values.device().launch(values.type(), blocks,
                               SumParameters{values.planes(), range, hot.table(), reinterpret_cast<HotTile*>(results)});
    };
    forTiles<HotTile>(values, job, launch, [&](std::int64_t first, const std::vector<HotTile>& tiles) {
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            const auto plane = static_cast<std::size_t>((first + static_cast<std::int64_t>(i)) / perPlane);
            out.counts[plane] += tiles[i].count;
            out.sums[plane].real += tiles[i].sum;
            out.sums[plane].integer += integerSum(tiles[i].low, tiles[i].high);
        }
    });
    return out;
}

} // namespace gpu
