// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mask_layer.h"

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
    if (m_axes.x.weight.empty() && m_axes.y.weight.empty()) {
        readCounts(y, from, to, out, scratch);
        return;
    }
    const std::uint8_t* upper = row(m_axes.y.at(y)[0]);
    const std::uint8_t* lower = row(m_axes.y.at(y)[m_axes.y.samples - 1]);
    const bool isSmooth = !m_axes.x.weight.empty() && !m_axes.y.weight.empty();
    for (int x = from; x < to; ++x) {
        const int left = m_axes.x.at(x)[0];
        const int right = m_axes.x.at(x)[m_axes.x.samples - 1];
        // Most are all cold.
        const bool isCold = isSmooth && (upper[left] | upper[right] | lower[left] | lower[right]) == 0;
        *out++ = isCold ? std::uint8_t{0} : partOf(x, y);
    }
}

std::uint8_t MaskLayer::partOf(int x, int y) const
{
    unsigned hot = 0;
    unsigned all = 0;
    for (int j = 0; j < m_axes.y.samples; ++j)
        for (int i = 0; i < m_axes.x.samples; ++i) {
            const unsigned weight = m_axes.weight(x, y, i, j);
            hot += row(m_axes.y.at(y)[j])[m_axes.x.at(x)[i]] != 0 ? weight : 0;
            all += weight;
        }
    return static_cast<std::uint8_t>(hot == 0 ? 0 : (255 * hot + all / 2) / all);
}

void MaskLayer::readCounts(int y, int from, int to, std::uint8_t* out, std::vector<std::uint8_t>& scratch) const
{
    const Axis& axisX = m_axes.x;
    const auto [first, end] = axisX.range(from, to);
    scratch.assign(static_cast<std::size_t>(end), 0);
    std::uint8_t* hot = scratch.data();
    for (int j = 0; j < m_axes.y.samples; ++j) {
        const std::uint8_t* mask = row(m_axes.y.at(y)[j]);
        for (int c = first; c < end; ++c)
            hot[c] = static_cast<std::uint8_t>(hot[c] + (mask[c] != 0));
    }
    const int all = axisX.samples * m_axes.y.samples;
    std::array<std::uint8_t, 17> parts{};
    for (int count = 0; count <= all; ++count)
        parts[static_cast<std::size_t>(count)] = static_cast<std::uint8_t>((255 * count + all / 2) / all);
    for (int x = from; x < to; ++x) {
        const int* at = axisX.at(x);
        int count = hot[at[0]];
        for (int i = 1; i < axisX.samples; ++i)
            count += hot[at[i]];
        *out++ = parts[static_cast<std::size_t>(count)];
    }
}

} // namespace ui
