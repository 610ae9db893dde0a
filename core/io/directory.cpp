// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/directory.h"

#include "core/error.h"
#include "core/io/names.h"

#include <algorithm>
#include <fmt/format.h>

namespace core::io {

namespace {

std::vector<std::filesystem::path> filesOf(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
        std::error_code ignored;
        if (!item->is_directory(ignored) && !item->path().filename().string().starts_with('.'))
            files.push_back(item->path());
    }
    if (error)
        throw Error(fmt::format("{}: cannot be listed ({}): check its permissions", folder.string(), error.message()));
    std::sort(files.begin(), files.end());
    return files;
}

/// Where the data of an entry is when it is asked for.
struct Source
{
    std::filesystem::path file;
    Limits limits;
    std::string name;
    DType dtype;
    Shape shape;

    /// Opens the file again and calls `use` with the entry. Throws Error when it is not what was listed any more.
    template <class F>
    auto with(const Job& job, F&& use) const
    {
        const auto document = open(file, limits, job);
        const auto* entry = document.find(name);
        if (!entry || !entry->isTensor() || entry->dtype != dtype || entry->shape != shape)
            throw Error(fmt::format("{}: was changed since its folder was opened: reload it", file.string()));
        return use(*entry);
    }
};

void addFile(Document& all, const std::filesystem::path& file, const Limits& limits, UniqueNames& names, const Job& job)
{
    auto document = open(file, limits, job);
    const auto fileName = repairUtf8(file.filename().string());
    const bool isSingle = document.entries.size() == 1;
    for (auto& entry : document.entries) {
        const Source source{file, limits, entry.name, entry.dtype, entry.shape};
        const auto full = fileName + ":" + entry.name;
        entry.alias = isSingle ? full : "";
        entry.name = names.take(isSingle ? fileName : full);
        if (isSingle)
            entry.path.clear();
        entry.path.insert(entry.path.begin(), fileName);
        if (entry.load)
            entry.load = [source](const Job& work) {
                return source.with(work, [&](const Entry& found) { return found.load(work); });
            };
        if (entry.verify)
            entry.verify = [source](const Job& work) {
                return source.with(work, [&](const Entry& found) { return found.verify ? found.verify(work) : std::nullopt; });
            };
        all.entries.push_back(std::move(entry));
    }
    std::move(document.warnings.begin(), document.warnings.end(), std::back_inserter(all.warnings));
}

} // namespace

Document openDirectory(const std::filesystem::path& path, const Limits& limits, const Job& job)
{
    Document document{path, "directory", {}, {}};
    UniqueNames names;
    const auto files = filesOf(path);
    for (std::size_t i = 0; i < files.size(); ++i) {
        job.report(static_cast<double>(i) / static_cast<double>(files.size()));
        try {
            addFile(document, files[i], limits, names, Job{job.stop, {}});
        } catch (const Error& error) {
            document.warnings.push_back(error.what());
        }
    }
    if (files.empty())
        throw Error(fmt::format("{}: is a folder without files: choose one with tensors in it", path.string()));
    if (document.entries.empty())
        throw Error(fmt::format("{}: is a folder without a file that can be read: {}", path.string(),
                                document.warnings.empty() ? "its files are empty" : document.warnings.front()));
    return document;
}

} // namespace core::io
