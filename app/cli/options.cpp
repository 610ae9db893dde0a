// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"

#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace app::cli {

void addSelect(CLI::App& app, SelectOptions& options)
{
    app.add_option("FILE", options.file, "File or folder to read")->required();
    addModel(app, options.model);
    const auto group = "Which tensor, and which part of it";
    app.add_option("--tensor", options.tensor, "Name of the tensor; not needed where the file holds only one")
        ->type_name("NAME")
        ->group(group);
    app.add_option("--layer", options.layer,
                   "Models: name of the layer, NAME#k for its k-th call; output for what the model returns")
        ->type_name("NAME")
        ->group(group);
    app.add_option("--layout", options.layout,
                   "What the axes mean, one letter each: N batch, C channel, D depth, H row, W column, L tokens, - held at "
                   "one index. Default by rank: W, HW, CHW (pictures HWC), NCHW, NCDHW, leading -")
        ->type_name("LETTERS")
        ->group(group);
    app.add_option("--at", options.at, "Take only index I of an axis, given by number or letter (repeatable)")
        ->type_name("AXIS=I")
        ->expected(1)
        ->take_all()
        ->group(group);
    app.add_option("--batch", options.batch, "Take only this batch item")->type_name("I")->group(group);
    app.add_option("--channel", options.channel, "Take only this channel")->type_name("I")->group(group);
    app.add_option("--device", options.device, "What computes: auto (default), cpu, cuda or cuda:N")
        ->type_name("DEVICE")
        ->group(group);
}

void addWhere(CLI::App& app, WhereOptions& options)
{
    const auto group = "Which elements are hot";
    app.add_option("--threshold", options.threshold, "Short for --where \"> T\"")->type_name("T")->group(group);
    app.add_option(
           "--where", options.where,
           "\"> T\", \">= T\", \"< T\", \"<= T\", \"== T\", \"!= T\" (default: != 0), \"between A B\", \"outside A B\", "
           "\"abs > T\", \"abs >= T\", nan, inf, finite; or a rule that finds T and tests \"> T\": \"percentile P\", "
           "\"sigma K\", \"max F\", otsu")
        ->type_name("CONDITION")
        ->group(group);
    app.add_option("--comparison", options.comparison,
                   "torch (default): as PyTorch compares a tensor with a Python number; exact: as real numbers")
        ->type_name("HOW")
        ->group(group);
    app.add_flag("--per-channel", options.perChannel,
                 "Let a rule find one threshold per channel; other conditions have the same T for all, so it changes nothing "
                 "(a warning)")
        ->group(group);
    app.add_flag("--stored-only", options.storedOnly,
                 "Sparse tensors: only stored elements count; dense tensors store all, so it changes nothing")
        ->group(group);
}

core::Where makeWhere(const WhereOptions& options)
{
    if (options.threshold && options.where)
        throw core::UsageError("--threshold and --where contradict each other: give one of them");
    auto where = core::Where::parse(options.threshold ? "> " + *options.threshold : options.where.value_or("!= 0"));
    if (options.comparison != "torch" && options.comparison != "exact")
        throw core::UsageError(fmt::format("--comparison is torch or exact, not \"{}\"", options.comparison));
    where.comparison = options.comparison == "torch" ? core::Comparison::torch : core::Comparison::exact;
    where.perChannel = options.perChannel;
    where.storedOnly = options.storedOnly;
    return where;
}

namespace {

/// One axis held at one index, as the user asked.
struct Held
{
    int axis;
    std::int64_t index;
    std::string option;
};

/// The axis of a number or a letter.
int axisOf(const std::string& name, const core::Layout& layout, const std::string& option)
{
    const auto rank = static_cast<int>(layout.roles.size());
    if (name.size() == 1 && std::string_view("NCDHWL").find(name[0]) != std::string_view::npos) {
        const int axis = layout.axis(static_cast<core::AxisRole>(name[0]));
        if (axis < 0 || static_cast<char>(layout.roles[static_cast<std::size_t>(axis)]) != name[0])
            throw core::Error(fmt::format("{}: there is no axis {} in the layout \"{}\"", option, name, layout.letters()));
        return axis;
    }
    const auto number = parseInteger(name, option);
    if (number < 0 || number >= rank)
        throw core::Error(fmt::format("{}: there is no axis {}: the tensor has {}", option, name,
                                      rank == 0 ? "no axes" : fmt::format("axes 0 to {}", rank - 1)));
    return static_cast<int>(number);
}

/// --batch or --channel: a tensor without such an axis has index 0.
void holdPlaneAxis(const std::string& text, core::AxisRole role, const core::Layout& layout, std::vector<Held>& held)
{
    if (text.empty())
        return;
    const bool isBatch = role == core::AxisRole::batch;
    const auto option = isBatch ? fmt::format("--batch {}", text) : fmt::format("--channel {}", text);
    const auto index = parseInteger(text, isBatch ? "--batch" : "--channel");
    const int axis = layout.axis(role);
    if (axis >= 0)
        held.push_back({axis, index, option});
    else if (index != 0)
        throw core::Error(fmt::format("{}: the layout \"{}\" has no {} axis", option, layout.letters(),
                                      isBatch ? "batch (N)" : "channel (C)"));
}

std::vector<Held> heldAxes(const SelectOptions& options, const core::Layout& layout)
{
    std::vector<Held> held;
    holdPlaneAxis(options.batch, core::AxisRole::batch, layout, held);
    holdPlaneAxis(options.channel, core::AxisRole::channel, layout, held);
    for (const auto& text : options.at) {
        const auto sign = text.find('=');
        const auto option = fmt::format("--at {}", text);
        if (sign == std::string::npos || sign == 0)
            throw core::UsageError(fmt::format("{}: write an axis and an index, like --at 0=3 or --at D=3", option));
        const auto index = parseInteger(std::string_view(text).substr(sign + 1), option);
        held.push_back({axisOf(text.substr(0, sign), layout, option), index, option});
    }
    return held;
}

} // namespace

core::Selection makeSelection(const SelectOptions& options, std::span<const std::int64_t> shape, bool isImage)
{
    const auto rank = static_cast<int>(shape.size());
    // A tensor without axes is shown as a row of one, so "W" means nothing else for it.
    const bool guessed = options.layout.empty() || (rank == 0 && options.layout == "W");
    auto selection =
        core::Selection::all(guessed ? core::Layout::guess(rank, isImage) : core::Layout::parse(options.layout, rank));
    std::vector<const Held*> seen(shape.size(), nullptr);
    const auto held = heldAxes(options, selection.layout);
    for (const auto& one : held) {
        const auto axis = static_cast<std::size_t>(one.axis);
        if (seen[axis] && seen[axis]->index != one.index)
            throw core::UsageError(
                fmt::format("{} and {} contradict each other: both hold axis {}", seen[axis]->option, one.option, one.axis));
        seen[axis] = &one;
        selection.fixed[axis] = one.index;
    }
    selection.validate(shape);
    return selection;
}

std::int64_t parseInteger(std::string_view text, std::string_view option)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw core::UsageError(fmt::format("{}: \"{}\" is not a whole number", option, text));
    return value;
}

double parseReal(std::string_view text, std::string_view option)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw core::UsageError(fmt::format("{}: \"{}\" is not a number", option, text));
    return value;
}

std::string ending(std::string_view file)
{
    const auto name = file.substr(file.find_last_of('/') + 1);
    const auto dot = name.find_last_of('.');
    std::string result(dot == std::string_view::npos ? "" : name.substr(dot));
    std::ranges::transform(result, result.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    });
    return result;
}

} // namespace app::cli
