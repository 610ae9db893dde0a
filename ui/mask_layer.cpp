// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mask_layer.h"

#include "core/render/sample_kernels.h"

#include <array>
#include <utility>

namespace ui {

MaskLayer::MaskLayer(std::span<const std::uint8_t> mask, int width, Axes axes)
    : m_mask(mask), m_width(width), m_axes(std::move(axes))
{
}

const std::uint8_t* MaskLayer::row(int y) const
{
    return m_mask.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(m_width);
}

void MaskLayer::read(int y, int from, int to, std::uint8_t* out, std::vector<std::uint8_t>& scratch) const
{
    if (from >= to)
        return;
    const Axis& axisX = m_axes.x;
    const Axis& axisY = m_axes.y;
    if (!axisX.isSmooth() && !axisY.isSmooth()) {
        readCounts(y, from, to, out, scratch);
        return;
    }
    const std::uint8_t* upper = row(axisY.index[0][y]);
    const std::uint8_t* lower = row(axisY.index[axisY.samples - 1][y]);
    const bool hasCorners = axisX.isSmooth() && axisY.isSmooth();
    for (int x = from; x < to; ++x) {
        const int left = axisX.index[0][x];
        const int right = axisX.index[axisX.samples - 1][x];
        // Most are all cold.
        const bool isCold = hasCorners && (upper[left] | upper[right] | lower[left] | lower[right]) == 0;
        *out++ = isCold ? std::uint8_t{0} : partOf(x, y);
    }
}

std::uint8_t MaskLayer::partOf(int x, int y) const
{
    unsigned hot = 0;
    unsigned all = 0;
    for (int j = 0; j < m_axes.y.samples; ++j) {
        const std::uint8_t* mask = row(m_axes.y.index[j][y]);
        for (int i = 0; i < m_axes.x.samples; ++i) {
            const unsigned weight = core::sampleWeight(m_axes.y.weight(y, j), m_axes.x.weight(x, i));
            hot += mask[m_axes.x.index[i][x]] != 0 ? weight : 0;
            all += weight;
        }
    }
    return static_cast<std::uint8_t>(hot == 0 ? 0 : (255 * hot + all / 2) / all);
}

void MaskLayer::readCounts(int y, int from, int to, std::uint8_t* out, std::vector<std::uint8_t>& scratch) const
{
    const Axis& axisX = m_axes.x;
    const auto [first, end] = axisX.range(from, to);
    scratch.resize(static_cast<std::size_t>(m_width));
    std::uint8_t* hot = scratch.data();
    for (int j = 0; j < m_axes.y.samples; ++j) {
        const std::uint8_t* mask = row(m_axes.y.index[j][y]);
        for (int c = first; c < end; ++c)
            hot[c] = static_cast<std::uint8_t>((j == 0 ? 0 : hot[c]) + (mask[c] != 0));
    }
    const int all = axisX.samples * m_axes.y.samples;
    std::array<std::uint8_t, 17> parts{};
    for (int count = 0; count <= all; ++count)
        parts[static_cast<std::size_t>(count)] = static_cast<std::uint8_t>((255 * count + all / 2) / all);
    for (int x = from; x < to; ++x) {
        int count = 0;
        for (int i = 0; i < axisX.samples; ++i)
            count += hot[axisX.index[i][x]];
        *out++ = parts[static_cast<std::size_t>(count)];
    }
}

} // namespace ui
