// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/options.h"
#include "core/engine/engine.h"
#include "core/render/colormap.h"

#include <optional>
#include <string>

namespace app::cli {

/// The VIEW options of `render`, as typed.
struct ViewOptions
{
    std::string output;
    std::string view = "heat";
    std::string reduce;
    bool allValues = false;
    std::string colorMap;
    std::string range;
    std::string image;
    std::string opacity;
    bool contour = false;
    std::string scale;
    bool colorBar = false;
};
/// Adds -o and the options of VIEW.
void addView(CLI::App& app, ViewOptions& options);

enum class View { heat, channel, mask, overlay, wall };

/// The VIEW options, read and free of contradictions.
struct ViewChoice
{
    View view = View::heat;
    bool npy = false;
    std::string output;
    core::Reduction reduction = core::Reduction::sum;
    bool allValues = false;
    std::optional<core::ColorMap> colors;
    core::RangeChoice range;
    /// Picture under an overlay; empty for the grey channel.
    std::string image;
    double opacity = 0.6;
    bool contour = false;
    int scale = 1;
    bool colorBar = false;
};
/// Throws core::UsageError for what cannot be read, and for options that have no meaning together.
ViewChoice readView(const ViewOptions& options);

} // namespace app::cli
