// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_document.h"

#include "app/model/capture_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace app {

namespace {

/// Values listed beneath a layer: a loop may give any number.
constexpr std::size_t mostValues = 1000;

using Values = std::vector<const Capture*>;

/// What a run gave, by layer: a model may have thousands of them, and a layer thousands of values.
struct ByLayer
{
    std::unordered_map<std::string, Values> layers;
    /// By the layer that the operators lie in; those of the model itself by "".
    std::unordered_map<std::string, Values> operators;

    explicit ByLayer(const std::vector<Capture>& captures)
    {
        for (const auto& capture : captures)
            if (capture.op)
                operators[capture.layer].push_back(&capture);
            else
                layers[capture.isOutput ? std::string(outputName) : capture.layer].push_back(&capture);
    }
    static const Values& of(const std::unordered_map<std::string, Values>& map, const std::string& layer)
    {
        static const Values none;
        const auto found = map.find(layer);
        return found == map.end() ? none : found->second;
    }
};

/// Adds entries beneath the one at `path`, which is called `name`.
void addValues(core::Document& document, const Values& values, const std::string& name, const std::vector<std::string>& path)
{
    for (const auto* capture : std::span(values).first(std::min(values.size(), mostValues))) {
        core::Entry entry;
        entry.name = capture->name;
        entry.kind = core::EntryKind::layer;
        entry.path = path;
        entry.path.push_back(capture->name.substr(std::min(name.size(), capture->name.size())));
        if (capture->op) {
            entry.type = capture->op->name;
            entry.notes.push_back(capture->op->line.empty() ? capture->op->name
                                                            : fmt::format("{}, {}", capture->op->name, capture->op->line));
        }
        describeCapture(entry, *capture);
        document.entries.push_back(std::move(entry));
    }
}

/// The parts of a model, sorted for making its document.
struct Sorted
{
    ByLayer captures;
    ByLayer shapes;
    std::unordered_set<std::string> notExecuted;
};

/// Adds a layer's entry, and those of its calls, members and operators beneath it.
void addLayer(core::Document& document, const Sorted& parts, core::Entry entry)
{
    const auto& given = ByLayer::of(parts.captures.layers, entry.name);
    const auto& shapes = ByLayer::of(parts.shapes.layers, entry.name);
    const auto name = entry.name;
    const auto path = entry.path;
    const bool isWhole = given.size() == 1 && given.front()->name == name;
    if (isWhole)
        describeCapture(entry, *given.front());
    else if (given.empty() && shapes.size() == 1)
        describeCapture(entry, *shapes.front());
    if (shapes.size() > 1)
        entry.notes.push_back(fmt::format("{} values", shapes.size()));
    if (given.size() > mostValues)
        entry.notes.push_back(fmt::format("the first {} of {} values are listed", mostValues, given.size()));
    if (parts.notExecuted.contains(name))
        entry.notes.push_back("not executed");
    document.entries.push_back(std::move(entry));
    if (!isWhole)
        addValues(document, given, name, path);
    const std::string place = name == outputName ? "" : name;
    addValues(document, ByLayer::of(parts.captures.operators, place), place, path);
}

} // namespace

std::shared_ptr<const core::Document> modelDocument(const ModelParts& parts)
{
    auto document = std::make_shared<core::Document>(*parts.file);
    auto files = std::move(document->entries);
    document->entries.clear();
    const Sorted sorted{ByLayer(parts.captures), ByLayer(parts.shapes), {parts.notExecuted.begin(), parts.notExecuted.end()}};
    for (const auto& layer : parts.info->layers)
        addLayer(*document, sorted, layerEntry(layer));
    core::Entry output;
    output.name = outputName;
    output.path = {std::string(outputName)};
    output.kind = core::EntryKind::layer;
    output.type = "returned";
    addLayer(*document, sorted, std::move(output));
    std::ranges::move(files, std::back_inserter(document->entries));
    return document;
}

std::string usualLayer(const ModelParts& parts)
{
    std::string last;
    std::string lastPicture;
    // Crops of regions have more items than what went in: they do not lie on its picture.
    std::int64_t items = 0;
    for (const auto& capture : parts.shapes) {
        const auto* tensor = std::get_if<UnkeptTensor>(&capture.value);
        if (!tensor || capture.isOutput || capture.op || capture.layer.empty() || tensor->elements == 0)
            continue;
        last = capture.layer;
        const auto& shape = tensor->shape;
        if (shape.size() < 4 || shape[shape.size() - 1] < 2 || shape[shape.size() - 2] < 2)
            continue;
        items = items > 0 ? items : shape[0];
        if (shape[0] == items)
            lastPicture = capture.layer;
    }
    return !lastPicture.empty() ? lastPicture : !last.empty() ? last : std::string(outputName);
}

std::string layerOf(const ModelParts& parts, const std::string& entry)
{
    const auto found = std::ranges::find(parts.captures, entry, &Capture::name);
    if (found == parts.captures.end())
        return {};
    return found->layer.empty() ? std::string(outputName) : found->layer;
}

std::string shownEntry(const ModelParts& parts, const std::string& layer)
{
    for (const auto& capture : parts.captures)
        if (!capture.op && (capture.isOutput ? layer == outputName : capture.layer == layer) && isKept(capture))
            return capture.name;
    return {};
}

} // namespace app
