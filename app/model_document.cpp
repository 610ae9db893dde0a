// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_document.h"

#include "app/model/capture_entry.h"

#include <fmt/format.h>

#include <algorithm>

namespace app {

namespace {

const std::string outputName = "output";

bool isOf(const Capture& capture, const std::string& layer)
{
    return !capture.op && (capture.isOutput ? layer == outputName : capture.layer == layer);
}

std::vector<const Capture*> capturesOf(const std::vector<Capture>& captures, const std::string& layer)
{
    std::vector<const Capture*> found;
    for (const auto& capture : captures)
        if (isOf(capture, layer))
            found.push_back(&capture);
    return found;
}

/// Adds a layer's entry, and those of its calls and members beneath it.
void addLayer(core::Document& document, const ModelParts& parts, core::Entry entry)
{
    const auto given = capturesOf(parts.captures, entry.name);
    const auto shapes = capturesOf(parts.shapes, entry.name);
    const bool isWhole = given.size() == 1 && given.front()->name == entry.name;
    if (isWhole)
        describeCapture(entry, *given.front());
    else if (given.empty() && shapes.size() == 1)
        describeCapture(entry, *shapes.front());
    if (shapes.size() > 1)
        entry.notes.push_back(fmt::format("{} values", shapes.size()));
    if (std::ranges::find(parts.notExecuted, entry.name) != parts.notExecuted.end())
        entry.notes.push_back("not executed");
    const auto path = entry.path;
    const auto name = entry.name;
    document.entries.push_back(std::move(entry));
    if (isWhole)
        return;
    for (const auto* capture : given) {
        core::Entry member;
        member.name = capture->name;
        member.kind = core::EntryKind::layer;
        member.path = path;
        member.path.push_back(capture->name.substr(std::min(name.size(), capture->name.size())));
        describeCapture(member, *capture);
        document.entries.push_back(std::move(member));
    }
}

} // namespace

std::shared_ptr<const core::Document> modelDocument(const ModelParts& parts)
{
    auto document = std::make_shared<core::Document>(*parts.file);
    auto files = std::move(document->entries);
    document->entries.clear();
    for (const auto& layer : parts.info->layers)
        addLayer(*document, parts, layerEntry(layer));
    core::Entry output;
    output.name = outputName;
    output.path = {outputName};
    output.kind = core::EntryKind::layer;
    output.type = "what the model returns";
    if (!parts.info->layer(outputName))
        addLayer(*document, parts, std::move(output));
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
    return !lastPicture.empty() ? lastPicture : !last.empty() ? last : outputName;
}

std::string shownEntry(const ModelParts& parts, const std::string& layer)
{
    for (const auto* capture : capturesOf(parts.captures, layer))
        if (isKept(*capture))
            return capture->name;
    return {};
}

} // namespace app
