// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_options.h"

#include "app/cli/options.h"
#include "app/engines.h"
#include "app/model/model_process.h"
#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace app::cli {

namespace {

/// "NAME=REST" where NAME could be the name of an argument; else everything is the rest.
std::pair<std::string, std::string> splitArgument(const std::string& text)
{
    const auto sign = text.find('=');
    const auto isName = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
               letter == '_';
    };
    if (sign == std::string::npos || sign == 0 || !std::all_of(text.begin(), text.begin() + static_cast<long>(sign), isName))
        return {{}, text};
    return {text.substr(0, sign), text.substr(sign + 1)};
}

void addGenerated(const std::vector<std::string>& texts, bool random, std::vector<InputSource>& sources)
{
    for (const auto& text : texts) {
        const auto [name, shape] = splitArgument(text);
        sources.push_back({name, GeneratedTensor{random, core::DType::f32, parseShape(shape, random ? "--random" : "--ones")}});
    }
}

std::vector<float> parseList(const std::string& text, std::string_view option)
{
    std::vector<float> values;
    for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        values.push_back(static_cast<float>(parseReal(std::string_view(text).substr(begin, end - begin), option)));
        begin = end + 1;
    }
    return values;
}

InputPreparation makePreparation(const ModelOptions& options)
{
    InputPreparation how;
    if (!options.resize.empty())
        how.resize = parseResize(options.resize);
    if (!options.crop.empty())
        how.crop = parseCrop(options.crop);
    if (!options.preset.empty())
        how.preset = parsePreset(options.preset);
    how.mean = parseList(options.mean, "--mean");
    how.std = parseList(options.std, "--std");
    if (!std::ranges::all_of(how.mean, [](float value) { return std::isfinite(value); }))
        throw core::UsageError(fmt::format("--mean {}: give finite numbers", options.mean));
    if (!std::ranges::all_of(how.std, [](float value) { return std::isfinite(value) && value != 0; }))
        throw core::UsageError(
            fmt::format("--std {}: give finite numbers other than 0, which channels are divided by", options.std));
    if (!options.layoutIn.empty() && options.layoutIn != "HWC" && options.layoutIn != "CHW" && options.layoutIn != "NCHW")
        throw core::UsageError(fmt::format("--layout-in is HWC, CHW or NCHW, not \"{}\"", options.layoutIn));
    how.layoutIn = options.layoutIn;
    if (!options.dtype.empty()) {
        how.dtype = core::dtypeFromName(options.dtype);
        if (!how.dtype || core::isComplex(*how.dtype) || core::isFloat8(*how.dtype))
            throw core::UsageError(
                fmt::format("--dtype {}: give a dtype such as float32, float16, bfloat16, int64 or bool", options.dtype));
    }
    return how;
}

} // namespace

bool ModelOptions::isGiven() const
{
    const bool anyList =
        !inputs.empty() || !random.empty() || !ones.empty() || !arguments.empty() || !operatorLibraries.empty();
    const bool anyText = !input.empty() || !seed.empty() || !resize.empty() || !crop.empty() || !preset.empty() ||
                         !mean.empty() || !std.empty() || !layoutIn.empty() || !dtype.empty() || !budget.empty() ||
                         !timeLimit.empty();
    return anyList || anyText || trust;
}

void addModel(CLI::App& app, ModelOptions& options)
{
    const auto group = "Models: what goes in";
    const auto list = [&](const char* name, std::vector<std::string>& values, const char* what, const char* type) {
        app.add_option(name, values, what)->type_name(type)->expected(1)->take_all()->group(group);
    };
    const auto text = [&](const char* name, std::string& value, const char* what, const char* type) {
        app.add_option(name, value, what)->type_name(type)->group(group);
    };
    app.add_option("INPUT", options.input, "For a model: the picture or tensor file that it is run on, as --input");
    list("--input", options.inputs,
         "Picture or tensor file for the next argument, or NAME=FILE for one (repeatable); FILE:NAME takes one tensor of "
         "several",
         "FILE");
    list("--random", options.random, "A random tensor, as torch.randn: 1x3x224x224 or NAME=SHAPE (repeatable)", "SHAPE");
    list("--ones", options.ones, "A tensor of ones (repeatable)", "SHAPE");
    list("--arg", options.arguments, "Value of an argument that is a number, bool or text (repeatable)", "NAME=VALUE");
    text("--seed", options.seed, "Seed of everything random (default 0)", "S");
    text("--resize", options.resize, "Resize to WIDTHxHEIGHT, or the shorter side with short=SIDE", "SIZE");
    text("--crop", options.crop, "Then cut the middle WIDTHxHEIGHT out", "SIZE");
    text("--preset", options.preset,
         "Then scale: zero-one (default for pictures: / 255), imagenet (and its mean and std), minus-one-one, none", "PRESET");
    text("--mean", options.mean, "Then subtract from each channel: a,b,c", "VALUES");
    text("--std", options.std, "Then divide each channel by: a,b,c", "VALUES");
    text("--layout-in", options.layoutIn, "Axes of a tensor file: HWC, CHW or NCHW (brought to NCHW)", "LAYOUT");
    text("--dtype", options.dtype, "Dtype of the input: float32, float16, int64 ...", "DTYPE");
    const auto how = "Models: how they are run";
    app.add_option("--op-library", options.operatorLibraries, "Library of custom operators to load (repeatable)")
        ->type_name("FILE")
        ->expected(1)
        ->take_all()
        ->group(how);
    app.add_option("--budget", options.budget, "Memory that captured values may take, like 2G (default: a quarter of all)")
        ->type_name("SIZE")
        ->group(how);
    app.add_option("--time-limit", options.timeLimit,
                   "Seconds after which a model that has not ended is stopped (default: none)")
        ->type_name("SECONDS")
        ->group(how);
    app.add_flag("--trust", options.trust, "Run the model without the sandbox")->group(how);
}

ModelInput makeInput(const ModelOptions& options)
{
    ModelInput input;
    input.preparation = makePreparation(options);
    input.howToGive = "--input FILE, --random SHAPE, --ones SHAPE or --arg NAME=VALUE";
    // A path may hold a "=": only --input is taken apart.
    if (!options.input.empty())
        input.sources.push_back({{}, std::filesystem::path(options.input)});
    for (const auto& text : options.inputs) {
        std::error_code error;
        const auto [name, file] =
            std::filesystem::exists(text, error) ? std::pair<std::string, std::string>{{}, text} : splitArgument(text);
        input.sources.push_back({name, std::filesystem::path(file)});
    }
    addGenerated(options.random, true, input.sources);
    addGenerated(options.ones, false, input.sources);
    for (const auto& text : options.arguments) {
        auto [name, value] = splitArgument(text);
        if (name.empty())
            throw core::UsageError(fmt::format("--arg {}: write it as NAME=VALUE", text));
        input.texts.push_back({name, value});
    }
    return input;
}

RunnerSettings makeSettings(const ModelOptions& options, std::string_view device)
{
    RunnerSettings settings;
    if (gpuNumber(device))
        settings.device = device;
    for (const auto& library : options.operatorLibraries)
        settings.operatorLibraries.emplace_back(library);
    settings.trust = options.trust;
    if (!options.timeLimit.empty()) {
        const auto seconds = parseInteger(options.timeLimit, "--time-limit");
        constexpr std::int64_t longest = 366L * 24 * 3600;
        if (seconds < 1 || seconds > longest)
            throw core::UsageError(fmt::format("--time-limit: {} is no time; give 1 to {} seconds", seconds, longest));
        settings.timeLimit = std::chrono::seconds(seconds);
    }
    return settings;
}

std::int64_t seedOf(const ModelOptions& options)
{
    return options.seed.empty() ? 0 : parseInteger(options.seed, "--seed");
}

std::int64_t budgetOf(const ModelOptions& options)
{
    return options.budget.empty() ? defaultBudgetBytes() : parseBytes(options.budget, "--budget");
}

std::int64_t parseBytes(std::string_view text, std::string_view option)
{
    constexpr std::string_view units = "KMGT";
    auto number = text;
    if (number.ends_with('B') || number.ends_with('b'))
        number.remove_suffix(1);
    int shift = 0;
    const char last = number.empty() ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(number.back())));
    if (const auto unit = units.find(last); unit != std::string_view::npos) {
        shift = 10 * (static_cast<int>(unit) + 1);
        number.remove_suffix(1);
    }
    double count = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    const bool isNumber = error == std::errc{} && end == number.data() + number.size();
    const double bytes = count * static_cast<double>(std::int64_t{1} << shift);
    if (!isNumber || !(bytes >= 0) || bytes > static_cast<double>(std::int64_t{1} << 62))
        throw core::UsageError(fmt::format("{} {}: write a size like 500M or 2G", option, text));
    return static_cast<std::int64_t>(bytes);
}

} // namespace app::cli
