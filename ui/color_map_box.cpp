// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/color_map_box.h"

#include <QImage>
#include <QPixmap>

#include <algorithm>
#include <array>

namespace ui {
namespace {

constexpr QSize swatch(24, 10);
constexpr std::array maps{core::ColorMap::viridis, core::ColorMap::inferno, core::ColorMap::magma, core::ColorMap::plasma,
                          core::ColorMap::cividis, core::ColorMap::turbo,   core::ColorMap::gray,  core::ColorMap::coolwarm};

QIcon gradient(core::ColorMap map)
{
    QImage image(swatch, QImage::Format_RGB32);
    const auto& table = core::colorTable(map);
    for (int x = 0; x < swatch.width(); ++x) {
        const std::uint32_t c = table[static_cast<std::size_t>(x * 255 / (swatch.width() - 1))];
        for (int y = 0; y < swatch.height(); ++y)
            image.setPixel(x, y, qRgb(c & 255, c >> 8 & 255, c >> 16 & 255));
    }
    return QIcon(QPixmap::fromImage(image));
}

} // namespace

ColorMapBox::ColorMapBox(QWidget* parent) : QComboBox(parent)
{
    setAccessibleName(tr("Colour map"));
    setToolTip(tr("Colour map (automatic: inferno for counts, coolwarm for signed values, else viridis)"));
    setIconSize(swatch);
    addItem(tr("auto colours"));
    for (const core::ColorMap map : maps) {
        const auto name = core::colorMapName(map);
        addItem(gradient(map), QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size())));
    }
    connect(this, &QComboBox::activated, this, &ColorMapBox::colorsChanged);
}

std::optional<core::ColorMap> ColorMapBox::colors() const
{
    if (currentIndex() <= 0)
        return {};
    return maps[static_cast<std::size_t>(currentIndex() - 1)];
}

void ColorMapBox::setColors(std::optional<core::ColorMap> colors)
{
    setCurrentIndex(colors ? static_cast<int>(std::ranges::find(maps, *colors) - maps.begin()) + 1 : 0);
}

} // namespace ui
