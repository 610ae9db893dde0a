// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/input_file.h"

#include "core/error.h"
#include "core/io/open.h"

#include <fmt/format.h>

#include <algorithm>

namespace app {

namespace {

/// "FILE:NAME" where there is no file of that whole name.
struct FileAndName
{
    std::filesystem::path file;
    std::string name;
};
FileAndName splitName(const std::filesystem::path& path)
{
    std::error_code error;
    const auto text = path.string();
    const auto colon = text.rfind(':');
    if (std::filesystem::exists(path, error) || colon == std::string::npos)
        return {path, {}};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

const core::Entry& chooseEntry(const core::Document& document, const std::string& name)
{
    std::vector<const core::Entry*> tensors;
    for (const auto& entry : document.entries)
        if (entry.isTensor() && (name.empty() || entry.name == name))
            tensors.push_back(&entry);
    const auto file = document.file.string();
    if (tensors.empty())
        throw core::Error(name.empty() ? fmt::format("{} holds no tensor to give to the model", file)
                                       : fmt::format("{} has no tensor {}", file, name));
    if (tensors.size() > 1) {
        std::string list;
        for (const auto* entry : tensors)
            list += fmt::format("\n  {}  {} {}", entry->name, core::dtypeName(entry->dtype), core::shapeText(entry->shape));
        throw core::UsageError(fmt::format("{} holds {} tensors: name one as {}:NAME{}", file, tensors.size(), file, list));
    }
    return *tensors.front();
}

/// A picture whose stored numbers are not its light: palette indices, ink, fewer bits than a byte.
bool needsDecoder(const core::Entry& entry)
{
    return !entry.notes.empty();
}

} // namespace

core::Tensor InputFiles::load(const core::Entry& entry)
{
    if (entry.verify)
        if (const auto warning = entry.verify(m_job))
            throw core::Error(fmt::format("{}; it is not given to the model", *warning));
    auto content = entry.load(m_job);
    if (auto* tensor = std::get_if<core::Tensor>(&content))
        return std::move(*tensor);
    throw core::Error(fmt::format("{} is sparse: a model's input must be a dense tensor", entry.name));
}

core::Tensor InputFiles::prepared(const core::Document& document, const core::Entry& entry, bool single)
{
    if (!entry.isImage) {
        auto result = prepareTensor(load(entry), m_preparation);
        if (!m_picture && result.geometry)
            m_picture = {result.tensor, std::nullopt, *result.geometry};
        return result.tensor;
    }
    const auto original = needsDecoder(entry) ? m_decode(document.file) : load(entry);
    auto result = preparePicture(original, m_preparation);
    if (!m_picture && result.geometry)
        m_picture = {result.tensor, original, *result.geometry};
    return single ? result.tensor.select(0, 0) : result.tensor;
}

ModelValue InputFiles::tensorOf(const InputSource& source, bool single)
{
    if (const auto* made = std::get_if<GeneratedTensor>(&source.source)) {
        auto tensor = *made;
        if (m_preparation.dtype)
            tensor.dtype = *m_preparation.dtype;
        tensor.high = m_vocabulary;
        return {std::move(tensor)};
    }
    const auto [file, name] = splitName(std::get<std::filesystem::path>(source.source));
    const auto document = core::io::open(file, {}, m_job);
    return {prepared(document, chooseEntry(document, name), single)};
}

ModelDict InputFiles::dictOf(const InputSource& source)
{
    const auto* file = std::get_if<std::filesystem::path>(&source.source);
    if (!file)
        throw core::UsageError("a dict of tensors can only be given as a file that holds them by name");
    const auto document = core::io::open(*file, {}, m_job);
    ModelDict dict;
    for (const auto& entry : document.entries)
        if (entry.isTensor())
            dict.items.emplace_back(entry.name, ModelValue{prepared(document, entry, false)});
    return dict;
}

} // namespace app
