// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/entries.h"
#include "core/io/names.h"
#include "core/io/npy_header.h"
#include "core/io/reader.h"

#include <fmt/format.h>

namespace core::io {

namespace {

Entry describe(const NpyHeader& header, const std::string& name)
{
    if (!header.dtype)
        return objectEntry(name, header.descr,
                           fmt::format("NumPy dtype without numbers that can be shown, shape {}", shapeText(header.shape)));
    auto entry = tensorEntry(name, *header.dtype, header.shape, header.strides());
    if (header.order == ByteOrder::big)
        entry.notes.push_back("big-endian in the file");
    return entry;
}

} // namespace

std::optional<Document> readNpy(std::shared_ptr<const MappedFile> file, const Limits& limits, const Job&)
{
    if (!isNpy(file->bytes()))
        return std::nullopt;
    const auto subject = file->path().string();
    const auto header = readNpyHeader(ByteView(file->bytes(), subject));
    if (header.hasObjects)
        throw Error(
            fmt::format("{}: holds Python objects (dtype {}), and reading them would execute pickled code; save numbers "
                        "with numpy.save, without allow_pickle",
                        subject, header.descr));
    Document document{file->path(), "npy", {}, {}};
    auto entry = describe(header, stemName(file->path()));
    if (header.dtype) {
        const Storage storage{file->bytes(), file, file};
        entry.load = [=, budget = entryBudget(limits)](const Job& job) -> Content {
            return npyTensor(header, storage, subject, budget, job);
        };
        requireNpyData(header, file->bytes().size(), subject);
        const auto end = header.dataOffset + static_cast<std::size_t>(header.dataBytes());
        if (end < file->bytes().size())
            document.warnings.push_back(
                fmt::format("{}: {} bytes after the array are ignored", subject, file->bytes().size() - end));
    }
    document.entries.push_back(std::move(entry));
    return document;
}

} // namespace core::io
