// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/model_source.h"
#include "app/cli/source.h"
#include "app/model/capture_entry.h"
#include "app/model/model_process.h"
#include "core/error.h"
#include "core/report/json_writer.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace app::cli {

namespace {

using core::report::Cell;
using core::report::JsonWriter;

struct InfoOptions
{
    std::string file;
    bool json = false;
    std::vector<std::string> operatorLibraries;
};

/// A document, and what a model adds to it.
struct Contents
{
    core::Document document;
    std::optional<ModelInfo> model;
    /// Operators that the model needs and LibTorch lacks.
    std::vector<std::string> operators;
};

/// Loads a program in its runner and adds its layers. A model that cannot be loaded is told in a warning: its parameters are
/// still listed.
void addModelInfo(Session& session, const InfoOptions& options, Contents& contents)
{
    const auto job = session.job(fmt::format("loading {}", options.file));
    auto& document = contents.document;
    const auto known = document.warnings.size();
    RunnerSettings settings;
    settings.operatorLibraries.assign(options.operatorLibraries.begin(), options.operatorLibraries.end());
    ModelProcess process(settings);
    try {
        contents.model = process.open(options.file, job);
        for (const auto& layer : contents.model->layers)
            document.entries.push_back(layerEntry(layer));
        for (const auto& warning : contents.model->warnings)
            document.warnings.push_back(ofFile(options.file, warning));
    } catch (const core::Error& error) {
        document.warnings.push_back(fmt::format("only its parameters are listed: {}", error.what()));
    }
    contents.operators = process.customOperators();
    for (auto i = known; i < document.warnings.size(); ++i)
        session.warn(document.warnings[i]);
}

void writeTensor(JsonWriter& json, const core::Entry& entry)
{
    json.member("dtype", core::dtypeName(entry.dtype));
    json.member("shape", core::report::cell(entry.shape));
    json.member("strides", core::report::cell(entry.strides));
    json.member("bytes", Cell(entry.bytes));
    json.member("storage", core::storageKindName(entry.storage));
    if (entry.storage != core::StorageKind::strided)
        json.member("stored", Cell(entry.stored.value_or(0)));
}

void writeEntry(JsonWriter& json, const core::Entry& entry)
{
    json.beginObject();
    json.member("name", entry.name);
    json.member("kind", core::entryKindName(entry.kind));
    if (entry.isTensor())
        writeTensor(json, entry);
    else if (entry.kind == core::EntryKind::value)
        json.member("value", entry.value);
    else
        json.member("type", entry.type);
    json.key("notes");
    json.beginArray();
    for (const auto& note : entry.notes)
        json.value(note);
    json.endArray();
    json.endObject();
}

void writeModel(JsonWriter& json, const Contents& contents)
{
    json.key("arguments");
    json.beginArray(true);
    for (const auto& argument : contents.model ? contents.model->arguments : std::vector<ModelArgument>{}) {
        json.beginObject();
        json.member("name", argument.name);
        json.member("type", argument.type);
        json.member("required", argument.required);
        json.member("default", argument.defaultText ? Cell(*argument.defaultText) : Cell{});
        json.endObject();
    }
    json.endArray();
    json.key("operators");
    json.beginArray();
    for (const auto& name : contents.operators)
        json.value(name);
    json.endArray();
}

std::string jsonText(const Contents& contents, const std::string& file)
{
    const auto& document = contents.document;
    JsonWriter json;
    json.beginObject();
    json.member("file", file);
    json.member("format", document.format);
    json.key("entries");
    json.beginArray(true);
    for (const auto& entry : document.entries)
        writeEntry(json, entry);
    json.endArray();
    json.key("warnings");
    json.beginArray();
    for (const auto& warning : document.warnings)
        json.value(warning);
    json.endArray();
    if (document.isProgram)
        writeModel(json, contents);
    json.endObject();
    return json.take();
}

/// Value or type, and notes, for people.
std::string detail(const core::Entry& entry)
{
    std::string text = entry.kind == core::EntryKind::value ? entry.value : entry.type;
    if (entry.stored)
        text += fmt::format("{} stored", *entry.stored);
    for (const auto& note : entry.notes)
        text += (text.empty() ? "" : "; ") + note;
    return text;
}

/// Lines about a model under the table.
std::string modelText(const Contents& contents)
{
    std::string text;
    if (contents.model) {
        text += fmt::format("\nforward of {}:\n", contents.model->type);
        for (const auto& argument : contents.model->arguments)
            text += fmt::format("  {}: {}{}\n", argument.name, argument.type,
                                argument.defaultText ? " = " + *argument.defaultText : "");
    }
    if (!contents.operators.empty())
        text += fmt::format("custom operators: {}\n", fmt::join(contents.operators, ", "));
    return text;
}

std::string plainText(const Contents& contents, const std::string& file)
{
    const auto& document = contents.document;
    core::report::Table table{{"name", "kind", "dtype", "shape", "bytes", "storage", "notes"}, {}};
    for (const auto& entry : document.entries) {
        const std::string kind(core::entryKindName(entry.kind));
        if (entry.isTensor())
            table.rows.push_back({entry.name, kind, std::string(core::dtypeName(entry.dtype)), core::shapeText(entry.shape),
                                  entry.bytes, std::string(core::storageKindName(entry.storage)), detail(entry)});
        else
            table.rows.push_back({entry.name, kind, Cell{}, Cell{}, Cell{}, Cell{}, detail(entry)});
    }
    const auto count = document.entries.size();
    return fmt::format("{}: {}, {} {}\n", file, document.format, count, count == 1 ? "entry" : "entries") +
           core::report::plainText(table) + modelText(contents);
}

} // namespace

Action prepareInfo(CLI::App& app)
{
    const auto options = std::make_shared<InfoOptions>();
    app.add_option("FILE", options->file, "File or folder to read")->required();
    app.add_flag("--json", options->json, "Write JSON");
    app.add_option("--op-library", options->operatorLibraries, "Models: library of custom operators to load (repeatable)")
        ->type_name("FILE")
        ->expected(1)
        ->take_all();
    app.footer("Examples:\n"
               "  actiscope info activations.pt\n"
               "  actiscope info weights.safetensors --json");
    return [options](Session& session) {
        Contents contents{openDocument(session, options->file), std::nullopt, {}};
        if (contents.document.isProgram)
            addModelInfo(session, *options, contents);
        writeResult({}, options->json ? jsonText(contents, options->file) : plainText(contents, options->file));
    };
}

} // namespace app::cli
