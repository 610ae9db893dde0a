// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/entries.h"
#include "core/io/names.h"
#include "core/io/npz_array.h"
#include "core/io/reader.h"
#include "core/io/scipy_sparse.h"

#include <algorithm>
#include <fmt/format.h>

namespace core::io {

namespace {

bool isArray(const ZipMember& member)
{
    return std::string_view(member.name).ends_with(".npy");
}

Entry memberEntry(const NpzArray& array, std::string name, Document& document)
{
    const auto& header = array.header;
    if (header.hasObjects)
        return objectEntry(std::move(name), header.descr, "Python objects: reading them would execute pickled code");
    if (!header.dtype)
        return objectEntry(std::move(name), header.descr,
                           fmt::format("NumPy dtype without numbers that can be shown, shape {}", shapeText(header.shape)));
    auto entry = tensorEntry(std::move(name), *header.dtype, header.shape, header.strides());
    entry.path = dottedPath(entry.name);
    entry.load = [array](const Job& job) -> Content { return array.load(job); };
    entry.verify = [array](const Job& job) { return array.archive->verify(*array.member, job); };
    try {
        requireNpyData(header, array.member->size, array.subject());
    } catch (const Error& error) {
        document.warnings.push_back(error.what());
    }
    return entry;
}

} // namespace

std::optional<Document> readNpz(std::shared_ptr<const MappedFile> file, const Limits& limits, const Job& job)
{
    const auto archive = ZipArchive::open(file);
    if (!archive)
        return std::nullopt;
    const auto& members = archive->members();
    if (!members.empty() && std::none_of(members.begin(), members.end(), isArray))
        return std::nullopt;
    Document document{file->path(), "npz", {}, {}};
    std::vector<NpzArray> arrays;
    UniqueNames names;
    for (const auto& member : members) {
        job.check();
        if (member.isFolder())
            continue;
        if (!isArray(member)) {
            document.entries.push_back(objectEntry(names.take(repairUtf8(member.name)), "other", "not a NumPy array"));
            continue;
        }
        try {
            const NpzArray array(archive, member, entryBudget(limits));
            document.entries.push_back(memberEntry(array, names.take(array.name()), document));
            arrays.push_back(array);
        } catch (const Error& error) {
            document.warnings.push_back(error.what());
            const auto name = repairUtf8(member.name.substr(0, member.name.size() - 4));
            document.entries.push_back(objectEntry(names.take(name), "damaged", error.what()));
        }
    }
    if (auto sparse = scipySparseEntry(arrays, stemName(file->path())))
        document.entries = {std::move(*sparse)};
    return document;
}

} // namespace core::io
