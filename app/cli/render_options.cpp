// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/render_options.h"

#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>

namespace app::cli {

namespace {

struct ViewName
{
    std::string_view name;
    View view;
};
constexpr std::array views = {ViewName{"heat", View::heat}, ViewName{"channel", View::channel}, ViewName{"mask", View::mask},
                              ViewName{"overlay", View::overlay}, ViewName{"wall", View::wall}};

/// Says of an option that was given that it has no meaning here.
void refuse(bool given, std::string_view option, std::string_view reason)
{
    if (given)
        throw core::UsageError(fmt::format("{} contradicts the rest: {}", option, reason));
}

View viewOf(const std::string& name)
{
    for (const auto& view : views)
        if (view.name == name)
            return view.view;
    throw core::UsageError(fmt::format("--view is heat, channel, mask, overlay or wall, not \"{}\"", name));
}

core::Reduction reductionOf(const std::string& name)
{
    if (name.empty())
        return core::Reduction::sum;
    if (const auto reduction = core::reductionFromName(name))
        return *reduction;
    throw core::UsageError(fmt::format("--reduce is sum, count, max, mean, l1 or l2, not \"{}\"", name));
}

std::optional<core::ColorMap> colorsOf(const std::string& name)
{
    if (name.empty())
        return std::nullopt;
    if (const auto map = core::colorMapFromName(name))
        return map;
    throw core::UsageError(
        fmt::format("--colormap is viridis, inferno, magma, plasma, cividis, turbo, gray or coolwarm, not \"{}\"", name));
}

double opacityOf(const std::string& text, double unset)
{
    if (text.empty())
        return unset;
    const double opacity = parseReal(text, "--opacity");
    if (!(opacity >= 0 && opacity <= 1))
        throw core::UsageError(fmt::format("--opacity: {} does not lie between 0 and 1", text));
    return opacity;
}

int scaleOf(const std::string& text)
{
    if (text.empty())
        return 1;
    constexpr std::int64_t largest = 1000;
    const auto scale = parseInteger(text, "--scale");
    if (scale < 1 || scale > largest)
        throw core::UsageError(fmt::format("--scale: {} does not lie between 1 and {}", scale, largest));
    return static_cast<int>(scale);
}

void checkForArray(const ViewOptions& options, View view)
{
    refuse(view == View::wall || view == View::overlay, fmt::format("--view {}", options.view),
           "it is a picture and cannot be written as .npy; choose a .png, or --view heat, channel or mask");
    constexpr auto reason = "an .npy holds values, not a picture; leave it out or write a .png";
    refuse(!options.colorMap.empty(), "--colormap", reason);
    refuse(!options.range.empty(), "--range", reason);
    refuse(!options.scale.empty(), "--scale", reason);
    refuse(options.colorBar, "--colorbar", reason);
}

void checkForView(const ViewOptions& options, View view)
{
    if (view != View::heat) {
        refuse(!options.reduce.empty(), "--reduce", "only --view heat reduces channels");
        refuse(options.allValues, "--all-values", "only --view heat reduces channels");
    }
    if (view != View::overlay) {
        refuse(!options.image.empty(), "--image", "only --view overlay lies on a picture");
        refuse(!options.opacity.empty(), "--opacity", "only --view overlay lies on a picture");
        refuse(options.contour, "--contour", "only --view overlay draws outlines");
    }
    if (view == View::mask || view == View::overlay) {
        const auto reason = fmt::format("--view {} has no colour scale", options.view);
        refuse(!options.colorMap.empty(), "--colormap", reason);
        refuse(options.colorBar, "--colorbar", reason);
        refuse(!options.range.empty() && (view == View::mask || !options.image.empty()), "--range", reason);
    }
}

} // namespace

void addView(CLI::App& app, ViewOptions& options)
{
    const auto group = "What to show, and how";
    app.add_option("-o,--output", options.output, "File to write: .png, or .npy for the values themselves")
        ->type_name("FILE")
        ->required();
    app.add_option(
           "--view", options.view,
           "heat (default): channels reduced to one map; channel: one channel; mask: hot elements of one channel; "
           "overlay: the mask over a picture; wall: all channels as tiles. channel and wall show all elements, whatever "
           "the condition (a warning)")
        ->type_name("VIEW")
        ->group(group);
    app.add_option("--reduce", options.reduce, "How a heat map reduces channels: sum (default), count, max, mean, l1, l2")
        ->type_name("HOW")
        ->group(group);
    app.add_flag("--all-values", options.allValues, "Reduce all elements instead of the hot ones, whatever the condition")
        ->group(group);
    app.add_option("--colormap", options.colorMap,
                   "viridis, inferno, magma, plasma, cividis, turbo, gray or coolwarm; default: inferno for counts, coolwarm "
                   "about 0 where values are negative, else viridis")
        ->type_name("NAME")
        ->group(group);
    app.add_option("--range", options.range, "Limits of the colours: LO,HI or auto (default) or percentiles P1%,P2%")
        ->type_name("RANGE")
        ->group(group);
    app.add_option("--image", options.image, "Picture under the overlay; default: the channel in grey")
        ->type_name("FILE")
        ->group(group);
    app.add_option("--opacity", options.opacity, "Of the overlay, 0 to 1 (default 0.6)")->type_name("F")->group(group);
    app.add_flag("--contour", options.contour, "Draw only the outline of the mask")->group(group);
    app.add_option("--scale", options.scale, "Draw each pixel N x N times")->type_name("N")->group(group);
    app.add_flag("--colorbar", options.colorBar, "Put a colour bar with numbers beside the picture")->group(group);
}

ViewChoice readView(const ViewOptions& options)
{
    const auto name = ending(options.output);
    if (name != ".png" && name != ".npy")
        throw core::UsageError(fmt::format("cannot tell the form of {}: let its name end in .png or .npy", options.output));
    ViewChoice choice;
    choice.view = viewOf(options.view);
    choice.npy = name == ".npy";
    choice.output = options.output;
    if (choice.npy)
        checkForArray(options, choice.view);
    checkForView(options, choice.view);
    choice.reduction = reductionOf(options.reduce);
    choice.allValues = options.allValues;
    choice.colors = colorsOf(options.colorMap);
    if (!options.range.empty())
        choice.range = core::RangeChoice::parse(options.range);
    choice.image = options.image;
    choice.opacity = opacityOf(options.opacity, choice.opacity);
    choice.contour = options.contour;
    choice.scale = scaleOf(options.scale);
    choice.colorBar = options.colorBar;
    return choice;
}

} // namespace app::cli
