// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/render.h"
#include "core/render/rows.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

/// A mask resampled to a picture's size: 1 hot, 0 not.
struct Stencil
{
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> hot;

    bool at(int x, int y) const
    {
        return x >= 0 && y >= 0 && x < width && y < height && hot[static_cast<std::size_t>(y) * width + x] != 0;
    }
    /// Hot, and touches something that is not (or the border).
    bool onOutline(int x, int y) const { return at(x, y) && !(at(x - 1, y) && at(x + 1, y) && at(x, y - 1) && at(x, y + 1)); }
};

/// Index of the source sample whose area holds the centre of target sample `i`.
std::int64_t nearest(std::int64_t i, std::int64_t source, std::int64_t target)
{
    return (2 * i + 1) * source / (2 * target);
}

Stencil resample(const Tensor& mask, int width, int height)
{
    Stencil stencil{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height)};
    if (mask.elements() == 0)
        return stencil;
    std::vector<double> row(static_cast<std::size_t>(mask.shape()[1]));
    auto* out = stencil.hot.data();
    for (int y = 0; y < height; ++y) {
        readRow(mask, nearest(y, mask.shape()[0], height), row);
        for (int x = 0; x < width; ++x)
            *out++ = row[static_cast<std::size_t>(nearest(x, mask.shape()[1], width))] != 0;
    }
    return stencil;
}

/// `color` with `opacity` over `base`, neither premultiplied.
std::uint32_t blend(std::uint32_t base, std::uint32_t color, double opacity)
{
    const double baseShare = (base >> 24) / 255.0 * (1 - opacity);
    const double alpha = opacity + baseShare;
    if (alpha <= 0)
        return 0;
    const auto channel = [&](unsigned shift) {
        const double mixed = ((color >> shift & 255) * opacity + (base >> shift & 255) * baseShare) / alpha;
        return static_cast<unsigned>(std::lround(mixed));
    };
    return rgba(channel(0), channel(8), channel(16), static_cast<unsigned>(std::lround(alpha * 255)));
}

} // namespace

Image maskImage(const Tensor& mask)
{
    requireMap(mask);
    Image image(static_cast<int>(mask.shape()[1]), static_cast<int>(mask.shape()[0]));
    std::vector<double> row(static_cast<std::size_t>(image.width));
    for (int y = 0; y < image.height; ++y) {
        readRow(mask, y, row);
        std::transform(row.begin(), row.end(), image.row(y),
                       [](double v) { return v != 0 ? rgba(255, 255, 255) : rgba(0, 0, 0); });
    }
    return image;
}

Image overlay(const Image& base, const Tensor& mask, std::uint32_t color, double opacity, bool contour)
{
    requireMap(mask);
    const double share = std::clamp(opacity, 0.0, 1.0) * (color >> 24) / 255.0;
    const auto stencil = resample(mask, base.width, base.height);
    Image image = base;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            if (contour ? stencil.onOutline(x, y) : stencil.at(x, y))
                image.row(y)[x] = blend(image.row(y)[x], color, share);
    return image;
}

Image enlarge(const Image& image, int n)
{
    constexpr std::int64_t pixelLimit = std::int64_t{1} << 30;
    const auto width = static_cast<std::int64_t>(image.width) * n;
    const auto height = static_cast<std::int64_t>(image.height) * n;
    if (n < 1 || width * std::max<std::int64_t>(height, 1) > pixelLimit)
        throw Error("A picture of " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                    " pixels cannot be enlarged " + std::to_string(n) + " times; choose a scale from 1 to what memory allows");
    Image large(static_cast<int>(width), static_cast<int>(height));
    for (int y = 0; y < large.height; ++y) {
        if (y % n != 0) {
            std::copy_n(large.row(y - 1), large.width, large.row(y));
            continue;
        }
        for (int x = 0; x < image.width; ++x)
            std::fill_n(large.row(y) + static_cast<std::ptrdiff_t>(x) * n, n, image.row(y / n)[x]);
    }
    return large;
}

} // namespace core
