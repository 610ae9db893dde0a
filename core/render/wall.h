// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/render.h"
#include "core/render/rows.h"

namespace core {

/// Lays tiles of planes of this size out, about square as a whole. Planes too large for a wall of 16 Mi pixels are thinned by
/// WallGrid::step. No columns when there is nothing to lay out.
WallGrid layWall(std::int64_t planeHeight, std::int64_t planeWidth, std::vector<std::int64_t> channels);

/// Pixel position of a tile's upper left corner.
struct Corner
{
    int x = 0;
    int y = 0;
};
Corner tileCorner(const WallGrid& grid, std::size_t tile);

/// Masks of all channels ([H, W] or [D, H, W] bool, thinned by the wall's step, by channel position) with the wall's geometry:
/// 1 hot, 0 not and between tiles.
std::vector<std::uint8_t> wallMask(const WallGrid& grid, const Image& image, const std::vector<Tensor>& masks,
                                   std::int64_t depth);

/// A wall and what its values are like.
struct WallPicture
{
    WallGrid grid;
    Image image;
    ValueRange range;
    ColorMap colors = ColorMap::viridis;
    MapFacts facts;
    /// As Frame::tiles.
    std::vector<Tensor> tiles;
};
/// What renderWall() gives, with the facts. Pixels between tiles are transparent.
WallPicture paintWall(const LoadedTensor& tensor, const WallOptions& options, const Job& job);

} // namespace core
