// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

#include <filesystem>

namespace core {

/// Colour map for a heat map or plane when the user chose none, and whether its limits are symmetric:
/// inferno for counts, coolwarm with symmetric limits if values are negative, else viridis.
struct ColorChoice
{
    ColorMap colors = ColorMap::viridis;
    bool symmetric = false;
};
ColorChoice defaultColors(const Tensor& map, bool isCount);

/// Bins of a frame's histogram.
inline constexpr int distributionBins = 512;

/// Answers a request: the one function behind the window's frames. `previous` (may be null) lends parts that did not change.
Frame makeFrame(const LoadedTensor& tensor, const std::string& engineName, const Request& request, const Frame* previous,
                const Job& job = {});

/// A mask as a grey picture: 0 and 255.
Image maskImage(const Tensor& mask);
/// Hot pixels blended over a base picture of the same size with `opacity` (0 to 1) in `color`; `contour`: only their outline.
/// A mask of another size is laid over the base with pixel centres aligned, nearest neighbour.
Image overlay(const Image& base, const Tensor& mask, std::uint32_t color, double opacity, bool contour);
/// Default colour of hot pixels.
inline constexpr std::uint32_t hotColor = rgba(255, 64, 32);
/// All channels of one batch item as tiles. Depth: one slice. `order` gives channel positions.
struct WallOptions
{
    std::int64_t batch = 0;
    std::int64_t depth = 0;
    std::vector<std::int64_t> order;
    bool ownScale = false;
    RangeChoice range;
    std::optional<ColorMap> colors;
};
struct Wall
{
    WallGrid grid;
    Image image;
    ValueRange range;
    ColorMap colors = ColorMap::viridis;
};
Wall renderWall(const LoadedTensor& tensor, const WallOptions& options, const Job& job = {});
/// Each pixel n x n times.
Image enlarge(const Image& image, int n);

/// Writes a PNG (RGBA, or 8-bit grey when `grey`: the red component) atomically. Throws Error.
void writePng(const std::filesystem::path& path, const Image& image, bool grey = false);

} // namespace core
