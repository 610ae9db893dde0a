// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/wall.h"

#include "core/engine/parallel.h"
#include "core/engine/plane_grid.h"
#include "core/render/colorize.h"
#include "core/render/plane_slice.h"
#include "core/render/range.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace core {

namespace {

/// Sides and gap of a wall in pixels.
struct Size
{
    std::int64_t width = 0;
    std::int64_t height = 0;
};

Size sizeOf(const WallGrid& grid)
{
    const auto tiles = static_cast<std::int64_t>(grid.channels.size());
    const auto rows = (tiles + grid.columns - 1) / grid.columns;
    return {grid.columns * (grid.tileWidth + grid.gap) - grid.gap, rows * (grid.tileHeight + grid.gap) - grid.gap};
}

/// As many columns as make the wall about square.
int columnsFor(std::int64_t tiles, std::int64_t tileWidth, std::int64_t tileHeight)
{
    const double ideal =
        std::sqrt(static_cast<double>(tiles) * static_cast<double>(tileHeight) / static_cast<double>(tileWidth));
    return static_cast<int>(std::clamp<std::int64_t>(std::llround(std::ceil(ideal)), 1, tiles));
}

int reduced(std::int64_t side, int step)
{
    return static_cast<int>((side + step - 1) / step);
}

/// What a tile shows of a plane, without holding on to a plane that was made for the wall.
Tensor tileValues(const Tensor& plane, const WallGrid& grid, bool isView)
{
    const auto tile = thinned(plane, grid.step);
    return isView || grid.step == 1 ? tile : tile.toContiguous();
}

void paintTile(const Tensor& plane, const Scale& scale, const WallGrid& grid, std::size_t tile, Image& image)
{
    const auto corner = tileCorner(grid, tile);
    std::vector<double> row(static_cast<std::size_t>(grid.tileWidth));
    for (int y = 0; y < grid.tileHeight; ++y) {
        readRow(plane, y, row);
        scale.paint(row, image.row(corner.y + y) + corner.x);
    }
}

/// Calls work(tile) for every tile, on several threads.
void forTiles(std::size_t tiles, const std::function<void(std::size_t)>& work)
{
    forParts(static_cast<std::int64_t>(tiles), 1, [&](std::int64_t first, std::int64_t end) {
        for (auto tile = static_cast<std::size_t>(first); tile != static_cast<std::size_t>(end); ++tile)
            work(tile);
    });
}

} // namespace

WallGrid layWall(std::int64_t planeHeight, std::int64_t planeWidth, std::vector<std::int64_t> channels)
{
    constexpr std::int64_t pixelLimit = std::int64_t{1} << 24;
    constexpr std::int64_t sideLimit = 16384;
    WallGrid grid;
    grid.channels = std::move(channels);
    const auto tiles = static_cast<std::int64_t>(grid.channels.size());
    if (tiles == 0 || planeHeight == 0 || planeWidth == 0)
        return grid;
    for (grid.step = 1;; ++grid.step) {
        grid.tileWidth = reduced(planeWidth, grid.step);
        grid.tileHeight = reduced(planeHeight, grid.step);
        grid.gap = std::min(grid.tileWidth, grid.tileHeight) < 16 ? 1 : 2;
        grid.columns = columnsFor(tiles, grid.tileWidth, grid.tileHeight);
        const auto size = sizeOf(grid);
        const bool smallest = grid.tileWidth == 1 && grid.tileHeight == 1;
        if (smallest || (size.width <= sideLimit && size.height <= sideLimit && size.width * size.height <= pixelLimit))
            return grid;
    }
}

Corner tileCorner(const WallGrid& grid, std::size_t tile)
{
    const auto column = static_cast<int>(tile % static_cast<std::size_t>(grid.columns));
    const auto row = static_cast<int>(tile / static_cast<std::size_t>(grid.columns));
    return {column * (grid.tileWidth + grid.gap), row * (grid.tileHeight + grid.gap)};
}

std::vector<std::uint8_t> wallMask(const WallGrid& grid, const Image& image, const std::vector<Tensor>& masks,
                                   std::int64_t depth)
{
    std::vector<std::uint8_t> hot(image.pixels.size());
    forTiles(grid.channels.size(), [&](std::size_t tile) {
        const auto mask = sliceOf(masks[static_cast<std::size_t>(grid.channels[tile])], depth);
        const auto corner = tileCorner(grid, tile);
        for (int y = 0; y < grid.tileHeight; ++y) {
            auto* out = hot.data() + static_cast<std::size_t>(corner.y + y) * image.width + corner.x;
            const auto* in = mask.data() + y * mask.strides()[0];
            if (mask.strides()[1] == 1) {
                std::memcpy(out, in, static_cast<std::size_t>(grid.tileWidth));
                continue;
            }
            for (int x = 0; x < grid.tileWidth; ++x)
                out[x] = static_cast<std::uint8_t>(in[x * mask.strides()[1]] != std::byte{0});
        }
    });
    return hot;
}

WallPicture paintWall(const LoadedTensor& tensor, const WallOptions& options, const Job& job)
{
    WallPicture wall;
    std::vector<Tensor> planes;
    std::vector<MapFacts> facts(options.order.size());
    for (const auto channel : options.order) {
        job.check();
        planes.push_back(sliceOf(tensor.plane({options.batch, channel}), options.depth));
    }
    forTiles(planes.size(), [&](std::size_t i) {
        if (!job.stop.stop_requested())
            facts[i] = inspect(planes[i]);
    });
    job.check();
    for (const auto& one : facts)
        wall.facts.merge(one);
    const auto choice = chooseColors(wall.facts, false, options.colors);
    wall.colors = choice.colors;
    wall.range = findRange(planes, options.range, choice.symmetric, wall.facts);
    wall.grid = layWall(tensor.extents().height, tensor.extents().width, options.order);
    if (wall.grid.columns == 0)
        return wall;
    const auto size = sizeOf(wall.grid);
    wall.image = Image(static_cast<int>(size.width), static_cast<int>(size.height));
    const bool isView = tensor.dense() != nullptr;
    wall.tiles = planes;
    forTiles(planes.size(), [&](std::size_t i) {
        if (job.stop.stop_requested())
            return;
        wall.tiles[i] = tileValues(planes[i], wall.grid, isView);
        const auto range =
            options.ownScale ? findRange({&planes[i], 1}, options.range, choice.symmetric, facts[i]) : wall.range;
        paintTile(wall.tiles[i], Scale(range, wall.colors), wall.grid, i, wall.image);
    });
    job.check();
    return wall;
}

Wall renderWall(const LoadedTensor& tensor, const WallOptions& options, const Job& job)
{
    auto picture = paintWall(tensor, options, job);
    return {std::move(picture.grid), std::move(picture.image), picture.range, picture.colors};
}

} // namespace core
