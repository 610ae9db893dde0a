// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/colorize.h"

#include "core/render/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace core {

namespace {

std::uint32_t colorOfSpecial(double value)
{
    if (std::isnan(value))
        return nanColor;
    return value > 0 ? positiveInfColor : negativeInfColor;
}

} // namespace

Scale::Scale(ValueRange range, ColorMap colors)
{
    m_numbers.colors = colorTable(colors).data();
    // Limits so far apart that their distance overflows are halved often enough; a power of two changes no other result.
    m_numbers.shrink = std::isfinite((range.hi - range.lo) * 256) ? 1 : 0x1p-10;
    m_numbers.lo = range.lo * m_numbers.shrink;
    m_numbers.width = range.hi * m_numbers.shrink - m_numbers.lo;
    // lo = hi: every value gets index 0.
    if (m_numbers.width == 0)
        m_numbers.width = HUGE_VAL;
}

void Scale::paint(std::span<const double> values, std::uint32_t* out) const
{
    if (!paintFinite(values, m_numbers, out))
        return;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            out[i] = colorOfSpecial(values[i]);
}

Image colorize(const Tensor& map, ValueRange range, ColorMap colors)
{
    requireMap(map);
    Image image(static_cast<int>(map.shape()[1]), static_cast<int>(map.shape()[0]));
    if (map.elements() == 0)
        return image;
    const Scale scale(range, colors);
    forRows(image.height, image.width, [&](int first, int end) {
        std::vector<double> room;
        for (int y = first; y != end; ++y)
            scale.paint(rowOf(map, y, room), image.row(y));
    });
    return image;
}

} // namespace core
