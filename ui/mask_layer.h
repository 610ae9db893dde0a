// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas_axis.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ui {

/// A mask seen through axes, as ImageLayer.
class MaskLayer
{
public:
    MaskLayer() = default;
    /// `mask`: 0 or not per pixel, `width` pixels a row; must outlive the layer.
    MaskLayer(std::span<const std::uint8_t> mask, int width, Axes axes);

    bool isEmpty() const { return m_mask.empty(); }
    const Axes& axes() const { return m_axes; }
    /// Hot part of device pixels [from, to) of device row `y`, 0..255. `scratch` is a thread's own, of any size.
    void read(int y, int from, int to, std::uint8_t* out, std::vector<std::uint8_t>& scratch) const;

private:
    const std::uint8_t* row(int y) const;
    std::uint8_t partOf(int x, int y) const;
    void readCounts(int y, int from, int to, std::uint8_t* out, std::vector<std::uint8_t>& scratch) const;

    std::span<const std::uint8_t> m_mask;
    int m_width = 0;
    Axes m_axes;
};

} // namespace ui
