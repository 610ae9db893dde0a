// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/render/colormap.h"

#include <memory>
#include <optional>
#include <string>

namespace core {

enum class ViewKind { heat, channel, wall, mask };
enum class WallOrder { index, count, max, mean };

/// Everything that decides what the window shows of a loaded tensor. Immutable once sent; each change makes a new one.
struct Request
{
    /// Rises by one with every request; a frame carries the number of its request.
    std::uint64_t number = 0;
    Where where;
    ViewKind view = ViewKind::heat;
    /// Positions among the selected batch items, channels, depth slices.
    std::int64_t batch = 0;
    std::int64_t channel = 0;
    std::int64_t depth = 0;
    Reduction reduction = Reduction::sum;
    bool allValues = false;
    /// Nothing: the default for what is shown (inferno for count, coolwarm with symmetric limits if negative, else viridis).
    std::optional<ColorMap> colors;
    RangeChoice range;
    /// Wall: each tile its own limits instead of shared ones.
    bool ownScale = false;
    WallOrder wallOrder = WallOrder::index;
    /// Whether the mask of the shown picture is wanted as well (mask view: always).
    bool withMask = true;
    /// Rows of the coordinate list that are visible.
    RowWindow rows;
    /// Histogram and count curve of the shown plane instead of the whole selection.
    bool planeHistogram = false;
    /// The threshold is being dragged: an answer in a few milliseconds matters more than completeness.
    bool dragging = false;
};

/// Where the tiles of a wall lie: tile i (in wall order) at column i % columns, row i / columns, `gap` pixels between tiles.
struct WallGrid
{
    int columns = 0;
    int tileWidth = 0;
    int tileHeight = 0;
    int gap = 0;
    /// Pixels of the plane per tile pixel along each axis (1: whole tiles; more: every step-th pixel of very large planes).
    int step = 1;
    /// Channel position of each tile, in order.
    std::vector<std::int64_t> channels;
};

/// How much of a mask is hot.
struct MaskCount
{
    std::int64_t hot = 0;
    std::int64_t pixels = 0;
    bool operator==(const MaskCount&) const = default;
};

/// Histogram and count-versus-threshold curve of what Request::planeHistogram names.
struct Distribution
{
    Histogram histogram;
};

/// The answer to a Request: all that the window shows, made on the analysis thread. Parts that did not change since the last
/// frame share its pointers.
struct Frame
{
    Request request;
    std::string engine;
    std::vector<Threshold> thresholds;
    /// Per selected plane, batch-major.
    std::shared_ptr<const std::vector<std::int64_t>> counts;
    std::int64_t count = 0;
    std::int64_t elements = 0;
    /// The picture: heat map, plane slice or wall. A wall is an atlas laid out by `wall`.
    std::shared_ptr<const Image> picture;
    /// Values behind the picture, [H, W] (absent for a wall), for read-outs and values printed in pixels.
    std::optional<Tensor> map;
    /// Values behind a wall, [tile height, tile width] per tile in the wall's order (views of a dense tensor), or null. Pixel
    /// (y, x) of a tile is element (y * step, x * step) of the plane, never an average.
    std::shared_ptr<const std::vector<Tensor>> tiles;
    /// Hot pixels with the picture's geometry (1 hot), or null.
    std::shared_ptr<const std::vector<std::uint8_t>> mask;
    /// Of the mask; nothing without one and where a wall shows only some of the pixels.
    std::optional<MaskCount> maskCount;
    std::optional<WallGrid> wall;
    ValueRange range;
    ColorMap colors = ColorMap::viridis;
    /// Whether the picture holds such values (the colour bar then shows their colours).
    bool hasNan = false;
    bool hasPositiveInf = false;
    bool hasNegativeInf = false;
    std::optional<Coordinates> rows;
    std::shared_ptr<const Distribution> distribution;
    /// Of counts and rows.
    bool exact = true;
    /// Of the picture; false only while dragging.
    bool mapIsExact = true;
    double elapsedMs = 0;
    /// One sentence where the picture is not what was asked for, or missing; usually empty.
    std::string note;
};

} // namespace core
