// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/source.h"

#include "app/cli/model_source.h"
#include "app/engines.h"
#include "core/error.h"
#include "core/io/open.h"

#include <fmt/format.h>

namespace app::cli {

namespace {

using Choices = std::vector<const core::Entry*>;

/// One line per tensor: name, dtype, shape.
std::string listed(const Choices& choices)
{
    std::string text;
    for (const auto* entry : choices)
        text += fmt::format("\n  {}  {} {}", entry->name, core::dtypeName(entry->dtype), core::shapeText(entry->shape));
    return text;
}

Choices tensorsOf(const core::Document& document)
{
    Choices tensors;
    for (const auto& entry : document.entries)
        if (entry.isTensor())
            tensors.push_back(&entry);
    return tensors;
}

/// Tensors of one file of a folder.
Choices tensorsOfFile(const Choices& tensors, std::string_view file)
{
    Choices found;
    for (const auto* entry : tensors)
        if (std::string_view(entry->name).starts_with(file) && entry->name.substr(file.size()).starts_with(':'))
            found.push_back(entry);
    return found;
}

const core::Entry& onlyOne(const Choices& choices, std::string_view where)
{
    if (choices.size() > 1)
        throw core::UsageError(
            fmt::format("{} holds {} tensors: name one with --tensor{}", where, choices.size(), listed(choices)));
    return *choices.front();
}

} // namespace

core::Document openDocument(Session& session, const std::string& file)
{
    auto document = core::io::open(file, {}, session.job(fmt::format("opening {}", file)));
    for (const auto& warning : document.warnings)
        session.warn(warning);
    return document;
}

const core::Entry& chooseTensor(const core::Document& document, const std::string& file, const std::optional<std::string>& name)
{
    const auto tensors = tensorsOf(document);
    if (tensors.empty())
        throw core::Error(fmt::format("{} holds no tensor: see what is in it with actiscope info", file));
    if (!name)
        return onlyOne(tensors, file);
    const auto* entry = document.find(*name);
    if (entry && entry->isTensor())
        return *entry;
    if (const auto inFile = tensorsOfFile(tensors, *name); document.format == "directory" && !inFile.empty())
        return onlyOne(inFile, fmt::format("{} in {}", *name, file));
    if (entry && document.format == "pt2" && entry->kind == core::EntryKind::layer)
        throw core::Error(
            fmt::format("{}: {} is a layer, whose values a run would give: running exported programs comes later; "
                        "the tensors are{}",
                        file, *name, listed(tensors)));
    if (entry)
        throw core::Error(fmt::format("{}: {} is no tensor; the tensors are{}", file, *name, listed(tensors)));
    throw core::Error(fmt::format("{} has no tensor {}; the tensors are{}", file, *name, listed(tensors)));
}

std::unique_ptr<core::LoadedTensor> loadEntry(Session& session, const core::Entry& entry, const core::Selection& selection,
                                              const core::Engine& engine)
{
    const auto reading = session.job(fmt::format("reading {}", entry.name));
    if (entry.verify)
        if (const auto warning = entry.verify(reading))
            session.warn(*warning);
    return engine.load(entry.load(reading), selection, reading);
}

void warnWithoutRule(Session& session, const core::Where& where)
{
    if (where.perChannel && !where.rule)
        session.warn(
            fmt::format("--per-channel changes nothing for \"{}\": only percentile, sigma, max and otsu find a threshold "
                        "per channel",
                        where.text));
}

Source openSource(Session& session, const SelectOptions& options)
{
    const auto engine = makeEngine(options.device, [&session](const std::string& text) { session.warn(text); });
    Source source;
    if (options.layer || options.model.isGiven()) {
        if (options.tensor)
            throw core::UsageError("--tensor names a tensor of the file, --layer and INPUT run a model: give one of them");
        source.document = captureLayer(session, options);
        source.entry = &source.document.entries.front();
    } else {
        source.document = openDocument(session, options.file);
        source.entry = &chooseTensor(source.document, options.file, options.tensor);
    }
    const auto selection = makeSelection(options, source.entry->shape, source.entry->isImage);
    source.loaded = loadEntry(session, *source.entry, selection, *engine);
    return source;
}

std::string layoutText(const core::Layout& layout)
{
    return layout.roles.empty() ? "W" : layout.letters();
}

} // namespace app::cli
