// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/model_source.h"
#include "core/error.h"
#include "core/io/write.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fnmatch.h>
#include <memory>

namespace app::cli {

namespace {

struct CaptureOptions
{
    SelectOptions select;
    std::vector<std::string> globs;
    bool operators = false;
    std::string output;
};

bool matches(const std::vector<std::string>& globs, const std::string& name)
{
    return globs.empty() ||
           std::ranges::any_of(globs, [&](const auto& glob) { return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

/// Layers that the globs name; "" too, for its operators, when all are wanted.
std::vector<std::string> chooseLayers(const ModelInfo& model, const CaptureOptions& options)
{
    std::vector<std::string> layers;
    for (const auto& layer : model.layers)
        if (matches(options.globs, layer.name))
            layers.push_back(layer.name);
    if (layers.empty() && !matches(options.globs, std::string(outputName)))
        throw core::Error(fmt::format("{}: no layer matches {}; see its layers with actiscope info", options.select.file,
                                      fmt::join(options.globs, ", ")));
    return layers;
}

void checkOutput(const std::string& file)
{
    const auto form = ending(file);
    if (form != ".safetensors" && form != ".npz")
        throw core::UsageError(fmt::format("-o {}: captures are written as .safetensors or .npz", file));
}

/// Fails where nothing that the globs name was executed; warns where only a part was.
void checkExecuted(Session& session, const CaptureOptions& options, const RunResult& result, const ModelInfo& model,
                   const std::vector<std::string>& layers)
{
    if (options.globs.empty())
        return;
    const auto isList = [&](const std::string& name) {
        const auto* layer = model.layer(name);
        return layer && isContainer(*layer);
    };
    if (result.notExecuted.size() >= layers.size() && !matches(options.globs, std::string(outputName)))
        throw core::Error(fmt::format("{}: not executed with this input: {}{}; nothing is written", options.select.file,
                                      fmt::join(result.notExecuted, ", "),
                                      std::ranges::all_of(result.notExecuted, isList)
                                          ? " (containers have no output of their own: name the layers within them)"
                                          : ""));
    for (const auto& layer : result.notExecuted)
        if (!isList(layer))
            session.warn(fmt::format("{}: the layer {} was not executed with this input", options.select.file, layer));
}

void capture(Session& session, const CaptureOptions& options)
{
    checkOutput(options.output);
    ModelSession model(session, options.select);
    const auto layers = chooseLayers(model.info(), options);
    const auto result = model.run(layers, options.globs.empty(), options.operators);
    checkExecuted(session, options, result, model.info(), layers);
    std::vector<std::pair<std::string, core::Tensor>> tensors;
    for (const auto& one : result.captures) {
        if (one.isOutput && !matches(options.globs, std::string(outputName)))
            continue;
        if (const auto* tensor = std::get_if<core::Tensor>(&one.value))
            tensors.emplace_back(one.name, *tensor);
        else if (std::holds_alternative<core::SparseTensor>(one.value))
            session.warn(fmt::format("{}: {} is sparse and is left out: analyze it with --layer {}", options.select.file,
                                     one.name, one.name));
    }
    if (result.unkept > 0)
        session.warn(
            fmt::format("{}: {} values of {} bytes did not fit the budget and are left out: raise --budget or name fewer "
                        "layers with --layers",
                        options.select.file, result.unkept, result.unkeptBytes));
    if (ending(options.output) == ".npz")
        core::io::writeNpz(options.output, tensors);
    else
        core::io::writeSafetensors(options.output, tensors);
}

} // namespace

Action prepareCapture(CLI::App& app)
{
    const auto options = std::make_shared<CaptureOptions>();
    app.add_option("MODEL", options->select.file, "TorchScript file (torch.jit.save)")->required();
    addModel(app, options->select.model);
    const auto group = "What is captured";
    app.add_option("--layers", options->globs,
                   "Only layers whose names match, like 'layer3.*' (repeatable; * matches dots too)")
        ->type_name("GLOB")
        ->expected(1)
        ->take_all()
        ->group(group);
    app.add_flag("--ops", options->operators, "Also the output of every operator inside these layers")->group(group);
    app.add_option("--device", options->select.device, "What runs the model: auto (default: cpu), cpu, cuda or cuda:N")
        ->type_name("DEVICE");
    app.add_option("-o,--output", options->output, "File to write: .safetensors or .npz")->type_name("FILE")->required();
    app.footer("Examples:\n"
               "  actiscope capture model.pt photo.jpg --resize 224x224 --preset imagenet -o layers.safetensors\n"
               "  actiscope capture model.pt --random 1x3x64x64 --layers 'layer1*' --ops -o layer1.npz");
    return [options](Session& session) { capture(session, *options); };
}

} // namespace app::cli
