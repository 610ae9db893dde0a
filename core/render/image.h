// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace core {

/// A picture of 8-bit RGBA pixels (not premultiplied), row-major, no padding.
struct Image
{
    int width = 0;
    int height = 0;
    /// width x height, each 0xAABBGGRR (bytes R, G, B, A in memory).
    std::vector<std::uint32_t> pixels;

    Image() = default;
    Image(int w, int h, std::uint32_t fill = 0) : width(w), height(h), pixels(static_cast<std::size_t>(w) * h, fill) {}
    std::uint32_t* row(int y) { return pixels.data() + static_cast<std::size_t>(y) * width; }
    const std::uint32_t* row(int y) const { return pixels.data() + static_cast<std::size_t>(y) * width; }
};

inline constexpr std::uint32_t rgba(unsigned r, unsigned g, unsigned b, unsigned a = 255)
{
    return r | g << 8 | b << 16 | a << 24;
}

} // namespace core
