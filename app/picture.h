// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/colormap.h"

#include <QString>
#include <QStringList>

namespace app {

/// What stands beside and below an exported picture.
struct PictureLegend
{
    /// Colour bar with numbers; false leaves it out.
    bool colorBar = true;
    core::ValueRange range;
    core::ColorMap colors = core::ColorMap::viridis;
    /// Colours of values without a place on the scale that the picture holds.
    bool hasNan = false;
    bool hasPositiveInf = false;
    bool hasNegativeInf = false;
    /// Hot pixels are marked: their colour stands beside the picture.
    bool hasMask = false;
    /// Every tile of a wall has limits of its own: the bar has no numbers.
    bool ownScale = false;
    /// Lines below the picture; none for no legend.
    QStringList lines;
};

/// The picture with its colour bar to the right and its legend below, on white; the picture's own pixels stay as they are, in
/// the upper left corner. Text needs an application object: without one (command line) it makes one that needs no display.
core::Image withLegend(const core::Image& picture, const PictureLegend& legend);

} // namespace app
