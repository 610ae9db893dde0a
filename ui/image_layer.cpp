// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/image_layer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

namespace ui {
namespace {

/// Red, green, blue, alpha of a pixel, or sums of them: one vector where the machine has such.
using Lanes = int __attribute__((vector_size(16)));

Lanes premultiplied(std::uint32_t rgba)
{
    const int alpha = static_cast<int>(rgba >> 24);
    const Lanes parts{static_cast<int>(rgba & 255), static_cast<int>(rgba >> 8 & 255), static_cast<int>(rgba >> 16 & 255), 1};
    return parts * alpha;
}

/// The pixel of a sum of premultiplied pixels whose weights make `weight`: (n + d / 2) / d in integers, by the inverse of d;
/// half a unit added keeps the product clear of whole numbers.
inline std::uint32_t average(const Lanes& sum, int weight)
{
    using Numbers = double __attribute__((vector_size(32)));
    const int a = sum[3];
    if (a == 0)
        return 0;
    const double ofAlpha = 1.0 / a;
    const Numbers inverse{ofAlpha, ofAlpha, ofAlpha, 1.0 / weight};
    const Lanes half{a / 2, a / 2, a / 2, weight / 2};
    const Lanes parts = __builtin_convertvector((__builtin_convertvector(sum + half, Numbers) + 0.5) * inverse, Lanes);
    return core::rgba(static_cast<unsigned>(parts[0]), static_cast<unsigned>(parts[1]), static_cast<unsigned>(parts[2]),
                      static_cast<unsigned>(parts[3]));
}

/// The four parts of a pixel in fields of 16 bits, so that sums of up to 16 pixels are one addition each.
constexpr std::uint64_t partFields = 0x00ff'00ff'00ff'00ff;
std::uint64_t spread(std::uint32_t rgba)
{
    return (rgba & 0x00ff'00ffU) | static_cast<std::uint64_t>(rgba >> 8 & 0x00ff'00ffU) << 32;
}
std::uint32_t gathered(std::uint64_t parts)
{
    return static_cast<std::uint32_t>(parts) | static_cast<std::uint32_t>(parts >> 32) << 8;
}
/// (part + count / 2) / count of each field. Two forms, since most often `count` is a power of two.
std::uint32_t averageShifted(std::uint64_t sum, int shift)
{
    return gathered((sum + (0x0001'0001'0001'0001ULL << shift >> 1)) >> shift & partFields);
}
std::uint32_t averageDivided(std::uint64_t sum, unsigned count)
{
    // Exact for sums of up to 16 parts.
    const std::uint64_t inverse = (0x10000 + count - 1) / count;
    const auto part = [&](int field) {
        return static_cast<unsigned>(((sum >> 16 * field & 0xffff) + count / 2) * inverse >> 16);
    };
    return core::rgba(part(0), part(2), part(1), part(3));
}

/// Weights of the samples of a bilinear pixel: they make 4096 and at most 3 more.
struct Corners
{
    std::array<int, 4> weights;
    int all;

    Corners(unsigned y, unsigned x)
        : weights{corner(256 - y, 256 - x), corner(256 - y, x), corner(y, 256 - x), corner(y, x)},
          all(weights[0] + weights[1] + weights[2] + weights[3])
    {
    }
    static int corner(unsigned y, unsigned x) { return static_cast<int>(Axes::product(y, x)); }
};

/// A vector type is no template argument.
struct Sum
{
    Lanes parts;
};

/// For device pixels [from, to): the sum over the columns that each takes.
template <class Number>
void addAcross(const Axis& axis, int from, int to, const Number* columns, Number* out)
{
    const int* at = axis.at(from);
    if (axis.samples == 2) {
        for (int x = 0; x < to - from; ++x)
            out[x] = columns[at[2 * x]] + columns[at[2 * x + 1]];
        return;
    }
    for (int x = 0; x < to - from; ++x, at += axis.samples)
        out[x] = std::accumulate(at, at + axis.samples, Number{0}, [columns](Number sum, int c) { return sum + columns[c]; });
}

template <class Vector>
auto* roomFor(Vector& vector, int count)
{
    if (std::ssize(vector) < count)
        vector.resize(static_cast<std::size_t>(count));
    return vector.data();
}

} // namespace

struct ImageScratch::Rows
{
    /// Two rows of premultiplied pixels, of even and odd row numbers, and which ones.
    std::array<std::vector<Sum>, 2> premultiplied;
    std::array<int, 2> row{-1, -1};
    std::array<std::pair<int, int>, 2> range;
    /// Sums of pixels above each other, and of all that make a device pixel.
    std::vector<std::uint64_t> columns;
    std::vector<std::uint64_t> sums;
    /// The same of premultiplied parts.
    std::array<std::vector<int>, 4> columnParts;
    std::array<std::vector<int>, 4> pixelParts;
};

ImageScratch::ImageScratch() : m_rows(std::make_unique<Rows>()) {}
ImageScratch::~ImageScratch() = default;

ImageLayer::ImageLayer(const core::Image& image, Axes axes) : m_image(&image), m_axes(std::move(axes)) {}

void ImageLayer::read(int y, int from, int to, std::uint32_t* out, ImageScratch& scratch) const
{
    const Axis& axisX = m_axes.x;
    const Axis& axisY = m_axes.y;
    if (from >= to)
        return;
    if (axisX.samples == 1 && axisY.samples == 1) {
        const std::uint32_t* row = m_image->row(*axisY.at(y));
        for (int x = from; x < to; ++x)
            *out++ = row[axisX.index[x]];
    } else if (axisX.weight.empty() && axisY.weight.empty()) {
        readShrunk(y, from, to, out, *scratch.m_rows);
    } else if (!axisX.weight.empty() && !axisY.weight.empty()) {
        readSmooth(y, from, to, out, *scratch.m_rows);
    } else {
        for (int x = from; x < to; ++x)
            *out++ = averageOf(x, y);
    }
}

std::uint32_t ImageLayer::averageOf(int x, int y) const
{
    Lanes sum{};
    int all = 0;
    for (int j = 0; j < m_axes.y.samples; ++j)
        for (int i = 0; i < m_axes.x.samples; ++i) {
            const auto weight = static_cast<int>(m_axes.weight(x, y, i, j));
            sum += premultiplied(m_image->row(m_axes.y.at(y)[j])[m_axes.x.at(x)[i]]) * weight;
            all += weight;
        }
    return average(sum, all);
}

void ImageLayer::readShrunk(int y, int from, int to, std::uint32_t* out, ImageScratch::Rows& rows) const
{
    const Axis& axisX = m_axes.x;
    const auto [first, end] = axisX.range(from, to);
    std::uint64_t* columnSums = roomFor(rows.columns, end);
    std::uint32_t translucent = 0;
    for (int j = 0; j < m_axes.y.samples; ++j) {
        const std::uint32_t* row = m_image->row(m_axes.y.at(y)[j]);
        if (j == 0)
            std::fill(columnSums + first, columnSums + end, std::uint64_t{0});
        for (int c = first; c < end; ++c) {
            columnSums[c] += spread(row[c]);
            // Neighbouring bits of alpha differ.
            translucent |= (row[c] ^ row[c] >> 1) & 0x7f00'0000U;
        }
    }
    if (translucent != 0) {
        readTranslucent(y, from, to, out, rows);
        return;
    }
    const auto count = static_cast<unsigned>(axisX.samples * m_axes.y.samples);
    std::uint64_t* pixelSums = roomFor(rows.sums, to - from);
    addAcross(axisX, from, to, columnSums, pixelSums);
    const auto write = [&](const auto& averageOfSum) {
        for (int x = from; x < to; ++x) {
            const std::uint64_t sum = *pixelSums++;
            const std::uint64_t alpha = sum >> 48;
            *out++ = alpha == 255 * count ? averageOfSum(sum) : alpha == 0 ? 0 : averageOf(x, y);
        }
    };
    if (std::has_single_bit(count))
        write([shift = std::countr_zero(count)](std::uint64_t sum) { return averageShifted(sum, shift); });
    else
        write([count](std::uint64_t sum) { return averageDivided(sum, count); });
}

void ImageLayer::readTranslucent(int y, int from, int to, std::uint32_t* out, ImageScratch::Rows& rows) const
{
    const Axis& axisX = m_axes.x;
    const auto [first, end] = axisX.range(from, to);
    const int width = to - from;
    std::array<int*, 4> column;
    std::array<int*, 4> pixel;
    for (std::size_t part = 0; part < 4; ++part) {
        column[part] = roomFor(rows.columnParts[part], end);
        pixel[part] = roomFor(rows.pixelParts[part], width);
        std::fill(column[part] + first, column[part] + end, 0);
    }
    for (int j = 0; j < m_axes.y.samples; ++j) {
        const std::uint32_t* row = m_image->row(m_axes.y.at(y)[j]);
        for (int c = first; c < end; ++c) {
            const auto alpha = static_cast<int>(row[c] >> 24);
            column[0][c] += static_cast<int>(row[c] & 255) * alpha;
            column[1][c] += static_cast<int>(row[c] >> 8 & 255) * alpha;
            column[2][c] += static_cast<int>(row[c] >> 16 & 255) * alpha;
            column[3][c] += alpha;
        }
    }
    for (std::size_t part = 0; part < 4; ++part)
        addAcross(axisX, from, to, column[part], pixel[part]);
    const int count = axisX.samples * m_axes.y.samples;
    const float ofCount = 1.0F / static_cast<float>(count);
    for (int x = 0; x < width; ++x) {
        const int alpha = pixel[3][x];
        const float ofAlpha = 1.0F / static_cast<float>(std::max(alpha, 1));
        const auto part = [&](int i, int divisor, float inverse) {
            return static_cast<std::uint32_t>(
                static_cast<int>((static_cast<float>(pixel[i][x] + divisor / 2) + 0.5F) * inverse));
        };
        out[x] = part(0, alpha, ofAlpha) | part(1, alpha, ofAlpha) << 8 | part(2, alpha, ofAlpha) << 16 |
                 part(3, count, ofCount) << 24;
    }
}

void ImageLayer::readSmooth(int y, int from, int to, std::uint32_t* out, ImageScratch::Rows& rows) const
{
    const Axis& axisX = m_axes.x;
    const std::pair columns = axisX.range(from, to);
    const auto row = [&](int at) {
        const auto slot = static_cast<std::size_t>(at % 2);
        auto* lanes = roomFor(rows.premultiplied[slot], columns.second);
        if (rows.row[slot] != at || rows.range[slot] != columns) {
            rows.row[slot] = at;
            rows.range[slot] = columns;
            const std::uint32_t* pixels = m_image->row(at);
            for (int c = columns.first; c < columns.second; ++c)
                lanes[c].parts = premultiplied(pixels[c]);
        }
        return lanes;
    };
    const Sum* upper = row(m_axes.y.at(y)[0]);
    const Sum* lower = row(m_axes.y.at(y)[1]);
    const auto weightY = static_cast<unsigned>(m_axes.y.weight[y]);
    for (int x = from; x < to; ++x) {
        const Corners corners(weightY, static_cast<unsigned>(axisX.weight[x]));
        const int left = axisX.at(x)[0];
        const int right = axisX.at(x)[1];
        *out++ = average(upper[left].parts * corners.weights[0] + upper[right].parts * corners.weights[1] +
                             lower[left].parts * corners.weights[2] + lower[right].parts * corners.weights[3],
                         corners.all);
    }
}

} // namespace ui
