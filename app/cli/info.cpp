// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/source.h"
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
};

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

std::string jsonText(const core::Document& document, const std::string& file)
{
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

std::string plainText(const core::Document& document, const std::string& file)
{
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
           core::report::plainText(table);
}

} // namespace

Action prepareInfo(CLI::App& app)
{
    const auto options = std::make_shared<InfoOptions>();
    app.add_option("FILE", options->file, "File or folder to read")->required();
    app.add_flag("--json", options->json, "Write JSON");
    app.footer("Examples:\n"
               "  actiscope info activations.pt\n"
               "  actiscope info weights.safetensors --json");
    return [options](Session& session) {
        const auto document = openDocument(session, options->file);
        writeResult({}, options->json ? jsonText(document, options->file) : plainText(document, options->file));
    };
}

} // namespace app::cli
