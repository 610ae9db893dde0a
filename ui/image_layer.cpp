// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/image_layer.h"

#include "core/render/sample_kernels.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ui {
namespace {

constexpr std::uint32_t opaque = 0xff000000U;

bool isOpaque(const std::uint32_t* first, const std::uint32_t* end)
{
    std::uint32_t all = opaque;
    for (; first != end; ++first)
        all &= *first;
    return all == opaque;
}

/// The four 16-bit parts of a pixel's sum as one number; they never carry.
std::uint64_t partsAt(const std::uint16_t* sums, int pixel)
{
    std::uint64_t parts;
    std::memcpy(&parts, sums + std::ptrdiff_t{4} * pixel, sizeof parts);
    return parts;
}

/// For device pixels [from, to): the sum over the columns that each takes.
void addAcross(const Axis& axis, int from, int to, const std::uint16_t* columns, std::uint16_t* out)
{
    const auto write = [&](int x, std::uint64_t sum) { std::memcpy(out + std::ptrdiff_t{4} * (x - from), &sum, sizeof sum); };
    if (axis.samples == 2) {
        const int* left = axis.index[0].data();
        const int* right = axis.index[1].data();
        for (int x = from; x < to; ++x)
            write(x, partsAt(columns, left[x]) + partsAt(columns, right[x]));
        return;
    }
    for (int x = from; x < to; ++x) {
        std::uint64_t sum = 0;
        for (int i = 0; i < axis.samples; ++i)
            sum += partsAt(columns, axis.index[i][x]);
        write(x, sum);
    }
}

/// (sum + count / 2) / count of each part, of at most 16 pixels.
void divide(const std::uint16_t* sums, int parts, int count, std::uint32_t* out)
{
    auto* bytes = reinterpret_cast<unsigned char*>(out);
    const auto half = static_cast<std::uint16_t>(count / 2);
    // Rounded up, it is exact for sums that small.
    const auto inverse = static_cast<std::uint16_t>((0x10000 + count - 1) / count);
    for (int i = 0; i < parts; ++i) {
        const auto sum = static_cast<std::uint16_t>(sums[i] + half);
        bytes[i] = static_cast<unsigned char>(static_cast<std::uint32_t>(sum) * inverse >> 16);
    }
}

} // namespace

ImageLayer::ImageLayer(const core::Image& image, Axes axes) : m_image(&image), m_axes(std::move(axes)) {}

void ImageLayer::read(int y, int from, int to, std::uint32_t* out, ImageScratch& scratch) const
{
    const Axis& axisX = m_axes.x;
    const Axis& axisY = m_axes.y;
    if (from >= to)
        return;
    if (axisX.samples == 1 && axisY.samples == 1) {
        const std::uint32_t* row = m_image->row(axisY.index[0][y]);
        const int* columns = axisX.index[0].data() + from;
        std::transform(columns, columns + (to - from), out, [row](int column) { return row[column]; });
        return;
    }
    if (!axisX.isSmooth() && !axisY.isSmooth() && readOpaque(y, from, to, out, scratch))
        return;
    core::Samples samples;
    samples.rows = axisY.samples;
    samples.columns = axisX.samples;
    for (int j = 0; j < axisY.samples; ++j) {
        samples.row[j] = m_image->row(axisY.index[j][y]);
        samples.rowWeight[j] = axisY.weight(y, j);
    }
    for (int i = 0; i < axisX.samples; ++i)
        samples.column[i] = axisX.index[i].data() + from;
    samples.second = axisX.isSmooth() ? axisX.second.data() + from : nullptr;
    core::averageSamples(samples, to - from, out);
}

bool ImageLayer::readOpaque(int y, int from, int to, std::uint32_t* out, ImageScratch& scratch) const
{
    const Axis& axisY = m_axes.y;
    const auto [first, end] = m_axes.x.range(from, to);
    for (int j = 0; j < axisY.samples; ++j) {
        const std::uint32_t* row = m_image->row(axisY.index[j][y]);
        if (!isOpaque(row + first, row + end))
            return false;
    }
    scratch.columns.resize(std::size_t{4} * m_image->width);
    scratch.pixels.resize(std::size_t{4} * (to - from));
    std::uint16_t* sums = scratch.columns.data();
    for (int j = 0; j < axisY.samples; ++j) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(m_image->row(axisY.index[j][y]));
        for (int i = 4 * first; i < 4 * end; ++i)
            sums[i] = static_cast<std::uint16_t>(j == 0 ? bytes[i] : sums[i] + bytes[i]);
    }
    addAcross(m_axes.x, from, to, sums, scratch.pixels.data());
    divide(scratch.pixels.data(), 4 * (to - from), m_axes.x.samples * axisY.samples, out);
    return true;
}

} // namespace ui
