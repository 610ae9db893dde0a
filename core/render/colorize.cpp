// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/colorize.h"

#include "core/render/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace core {

namespace {

std::uint32_t colorOfSpecial(double value)
{
    if (std::isnan(value))
        return nanColor;
    return value > 0 ? positiveInfColor : negativeInfColor;
}

} // namespace

Scale::Scale(ValueRange range, ColorMap colors) : m_colors(&colorTable(colors))
{
    // Limits so far apart that their distance overflows are halved often enough; a power of two changes no other result.
    m_shrink = std::isfinite((range.hi - range.lo) * 256) ? 1 : 0x1p-10;
    m_lo = range.lo * m_shrink;
    m_width = range.hi * m_shrink - m_lo;
    // lo = hi: every value gets index 0.
    if (m_width == 0)
        m_width = HUGE_VAL;
}

void Scale::paint(std::span<const double> values, std::uint32_t* out) const
{
    constexpr std::size_t blockSize = 256;
    std::int32_t index[blockSize];
    for (std::size_t first = 0; first < values.size(); first += blockSize) {
        const auto count = std::min(blockSize, values.size() - first);
        const double* v = values.data() + first;
        bool special = false;
        for (std::size_t i = 0; i < count; ++i) {
            const double place = 256 * (v[i] * m_shrink - m_lo) / m_width;
            // NaN falls to 0 here: the comparison is false.
            index[i] = static_cast<std::int32_t>(std::min(place > 0 ? place : 0.0, 255.0));
        }
        for (std::size_t i = 0; i < count; ++i)
            special |= !(std::abs(v[i]) <= std::numeric_limits<double>::max());
        for (std::size_t i = 0; i < count; ++i)
            out[first + i] = (*m_colors)[static_cast<std::size_t>(index[i])];
        if (!special)
            continue;
        for (std::size_t i = 0; i < count; ++i)
            if (!std::isfinite(v[i]))
                out[first + i] = colorOfSpecial(v[i]);
    }
}

Image colorize(const Tensor& map, ValueRange range, ColorMap colors)
{
    requireMap(map);
    Image image(static_cast<int>(map.shape()[1]), static_cast<int>(map.shape()[0]));
    if (map.elements() == 0)
        return image;
    const Scale scale(range, colors);
    const auto grain = static_cast<std::size_t>(std::max(1, 16384 / image.width));
    tbb::parallel_for(tbb::blocked_range<int>(0, image.height, grain), [&](const auto& rows) {
        std::vector<double> row(static_cast<std::size_t>(image.width));
        for (int y = rows.begin(); y != rows.end(); ++y) {
            readRow(map, y, row);
            scale.paint(row, image.row(y));
        }
    });
    return image;
}

} // namespace core
