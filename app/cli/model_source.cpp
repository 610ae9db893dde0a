// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_source.h"

#include "app/cli/model_remedy.h"
#include "app/image_file.h"
#include "app/model/capture_entry.h"
#include "core/error.h"
#include "core/io/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace app::cli {

namespace {

/// What a model printed, without what could drive a terminal.
std::string printable(std::string text)
{
    std::ranges::replace_if(
        text, [](char letter) { return (letter >= 0 && letter < ' ' && letter != '\n' && letter != '\t') || letter == 127; },
        '?');
    return text;
}

core::Entry entryOf(const Capture& capture)
{
    core::Entry entry;
    entry.name = capture.name;
    entry.path = {capture.name};
    describeCapture(entry, capture);
    return entry;
}

/// The name without the "#0" of a first call of the layer.
std::string firstCallName(const std::string& name, const std::string& layer)
{
    const auto mark = layer + "#0";
    const auto ends = name.size() == mark.size() ||
                      (name.size() > mark.size() && !std::isdigit(static_cast<unsigned char>(name[mark.size()])));
    return name.starts_with(mark) && ends ? layer + name.substr(mark.size()) : name;
}

std::string firstCallName(const Capture& capture)
{
    return firstCallName(capture.name, capture.isOutput ? std::string(outputName) : capture.layer);
}

/// The name without the "~2" of one met again.
std::string_view withoutAgain(std::string_view name)
{
    const auto mark = name.rfind('~');
    const bool isNumber =
        mark != name.npos && mark + 1 < name.size() && name.find_first_not_of("0123456789", mark + 1) == name.npos;
    return isNumber ? name.substr(0, mark) : name;
}

/// Whether the name of a capture is the layer's, or that of a call, member or operator of it.
bool isPartOf(std::string_view capture, std::string_view layer)
{
    constexpr std::string_view ends = "#[.%";
    return capture.starts_with(layer) && (capture.size() == layer.size() || ends.find(capture[layer.size()]) != ends.npos);
}

/// The capture that a name means: its own name, or that of a first call.
const Capture* findCapture(const RunResult& result, std::string_view name)
{
    for (const auto& capture : result.captures)
        if (capture.name == name || firstCallName(capture) == name)
            return &capture;
    return nullptr;
}

std::string layerList(const ModelInfo& model)
{
    std::string text;
    for (const auto& layer : model.layers)
        text += fmt::format("\n  {}  {}", layer.name, layer.type);
    return text + "\n  output  what the model returns";
}

/// The layers right within one, or all where it has none.
std::string listWithin(const ModelInfo& model, const std::string& layer)
{
    // What lies within a layer called output keeps the module's name.
    const auto start = moduleOfLayer(layer) + ".";
    std::string text;
    for (const auto& one : model.layers)
        if (one.name.starts_with(start) && one.name.find('.', start.size()) == std::string::npos)
            text += fmt::format("\n  {}  {}", one.name, one.type);
    return text.empty() ? layerList(model) : text;
}

/// Why there is no capture of the name although its layer was asked for.
[[noreturn]] void failCapture(const ModelInfo& model, const RunResult& result, const std::string& file, const std::string& name,
                              const std::string& layer)
{
    const bool isWithin = name.size() > layer.size() && name[layer.size()] == '.';
    const auto hasKeys = [&](const Capture& one) {
        return !one.op && one.member.starts_with('.') && one.isOutput == (layer == outputName);
    };
    if (isWithin && std::ranges::none_of(result.captures, hasKeys))
        throw core::Error(fmt::format("{} has no layer {}; it has{}", file, name, listWithin(model, layer)));
    std::string list;
    int members = 0;
    for (const auto& capture : result.captures)
        if (firstCallName(capture).starts_with(name) && isKept(capture)) {
            list += "\n  " + capture.name;
            ++members;
        }
    if (members > 0)
        throw core::UsageError(fmt::format("{} gives {} tensors: name one with --layer{}", name, members, list));
    if (std::ranges::find(result.notExecuted, layer) != result.notExecuted.end() || result.captures.empty())
        throw core::Error(fmt::format("{}: the layer {} was not executed with this input", file, layer));
    for (const auto& capture : result.captures)
        list += "\n  " + capture.name;
    throw core::Error(fmt::format("{}: the run gave no {}; it gave{}", file, name, list));
}

const Capture& chooseCapture(const ModelInfo& model, const RunResult& result, const std::string& file, const std::string& name,
                             const std::string& layer)
{
    const auto* capture = findCapture(result, name);
    if (!capture) {
        // The only member of a tuple or dict needs no name of its own.
        std::vector<const Capture*> members;
        for (const auto& one : result.captures)
            if (isKept(one) && !one.op && firstCallName(one).starts_with(name) && one.call == 0)
                members.push_back(&one);
        if (members.size() != 1)
            failCapture(model, result, file, name, layer);
        capture = members.front();
    }
    if (std::holds_alternative<std::monostate>(capture->value))
        throw core::Error(fmt::format("{}: {} gave None, no tensor", file, name));
    if (!isKept(*capture))
        throw core::Error(fmt::format("{}: {} does not fit the budget: raise --budget", file, name));
    return *capture;
}

core::Document documentOf(const SelectOptions& options)
{
    core::Document document;
    document.file = options.file;
    document.format = "torchscript";
    return document;
}

} // namespace

ModelSession::ModelSession(Session& session, const SelectOptions& options)
    : m_session(session), m_options(options), m_input(makeInput(options.model)),
      m_process(makeSettings(options.model, options.device))
{
    const auto document = core::io::open(options.file, {}, session.job(fmt::format("opening {}", options.file)));
    if (document.format == "pt2")
        throw core::Error(fmt::format("{} is an exported program: running exported programs comes later; its weights are "
                                      "analyzed with --tensor NAME, and actiscope info lists its layers",
                                      options.file));
    // Why it is none: what a damaged program lacks.
    for (const auto& warning : document.isProgram ? std::vector<std::string>{} : document.warnings)
        session.warn(warning);
    if (!document.isProgram)
        throw core::UsageError(
            fmt::format("{} is no TorchScript program (torch.jit.save), and only such a model is run: leave out "
                        "INPUT, --layer and the other options for models",
                        options.file));
    m_info = m_process.open(options.file, session.job(fmt::format("loading {}", options.file)));
    for (const auto& warning : m_info.warnings)
        session.warn(ofFile(options.file, warning));
}

RunResult ModelSession::run(const std::vector<std::string>& layers, bool allLayers, bool operators)
{
    const auto job = m_session.job(fmt::format("running {}", m_options.file));
    const auto arguments = makeArguments(m_info, m_input, decodePicture, job);
    RunRequest request;
    request.arguments = arguments.values;
    request.layers = layers;
    request.allLayers = allLayers;
    request.operators = operators;
    request.budgetBytes = budgetOf(m_options.model);
    request.seed = seedOf(m_options.model);
    RunEvents events;
    events.progress = [&](const std::string&, std::int64_t done, std::int64_t total) {
        job.report(total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0);
    };
    auto result = m_process.run(request, events, job);
    m_session.note(printable(m_process.takeLog()));
    if (!result.failure.empty())
        throw core::Error(
            fmt::format("{}: {}{}", m_options.file, result.failure, remedyFor(result.failure, m_info, m_input, arguments)));
    if (result.truncated)
        m_session.warn(fmt::format("{}: the model is so large that not all inner layers could be looked into", m_options.file));
    return result;
}

std::string ofFile(const std::string& file, const std::string& warning)
{
    return warning.starts_with(file + ':') ? warning : fmt::format("{}: {}", file, warning);
}

bool isContainer(const ModelLayer& layer)
{
    return layer.calls == 0 && (layer.type.ends_with("ModuleList") || layer.type.ends_with("ModuleDict"));
}

std::optional<std::string> layerOf(const ModelInfo& model, std::string_view capture)
{
    if (!model.layer(capture))
        capture = withoutAgain(capture);
    std::optional<std::string> longest;
    for (const auto& layer : model.layers)
        if (isPartOf(capture, layer.name) && (!longest || layer.name.size() > longest->size()))
            longest = layer.name;
    if (!longest && isPartOf(capture, outputName))
        return std::string(outputName);
    if (!longest && capture.starts_with('%'))
        return "";
    return longest;
}

namespace {

/// The layers whose run gives the capture of this name.
std::vector<std::string> layersFor(const ModelInfo& model, const std::string& name, const std::string& layer)
{
    const auto first = withoutAgain(name);
    if (first == name || model.layer(name))
        return layer == outputName ? std::vector<std::string>{} : std::vector{layer};
    // Where it was met before decides what it is: `a.b` may be a layer, or what the key b of the layer a's dict holds.
    std::vector<std::string> layers;
    for (const auto& one : model.layers)
        if (isPartOf(first, one.name))
            layers.push_back(one.name);
    return layers;
}

} // namespace

core::Document captureLayer(Session& session, const SelectOptions& options)
{
    ModelSession model(session, options);
    if (!options.layer)
        throw core::UsageError(fmt::format("{} has {} layers: name one with --layer{}", options.file,
                                           model.info().layers.size(), layerList(model.info())));
    const auto layer = layerOf(model.info(), *options.layer);
    if (!layer)
        throw core::Error(fmt::format("{} has no layer {}; it has{}", options.file, *options.layer, layerList(model.info())));
    if (const auto* one = model.info().layer(*layer); one && one->name == *options.layer && isContainer(*one))
        throw core::Error(fmt::format("{}: {} is a container ({}) and has no output of its own: name a layer within it{}",
                                      options.file, one->name, one->type, listWithin(model.info(), one->name)));
    const auto name = firstCallName(*options.layer, *layer);
    const auto layers = layersFor(model.info(), name, *layer);
    const auto result = model.run(layers, false, name.find('%') != std::string::npos);
    auto document = documentOf(options);
    document.entries.push_back(entryOf(chooseCapture(model.info(), result, options.file, name, *layer)));
    return document;
}

core::Document captureAll(Session& session, const SelectOptions& options)
{
    ModelSession model(session, options);
    const auto result = model.run({}, true, false);
    auto document = documentOf(options);
    for (const auto& capture : result.captures)
        if (isKept(capture))
            document.entries.push_back(entryOf(capture));
    if (result.unkept > 0)
        session.warn(fmt::format("{}: {} values did not fit the budget: raise --budget", options.file, result.unkept));
    return document;
}

} // namespace app::cli
