// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle.h"
#include "core/io/pickle_walk.h"
#include "core/io/reader.h"

#include <fmt/format.h>
#include <unordered_map>
#include <utility>

namespace core::io {

namespace {

/// torch/serialization.py, MAGIC_NUMBER 0x1950a86a20f9469cfc6c: as a pickle stores it in binary, and as text.
constexpr std::string_view magicBytes("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::string_view magicText = "119547037146038801333356";
constexpr std::int64_t supportedVersion = 1001;
/// The magic number's pickle, with protocol and frame, is not longer.
constexpr std::size_t magicPickleBytes = 48;

bool hasMagic(std::span<const std::byte> bytes)
{
    const std::size_t length = std::min(bytes.size(), magicPickleBytes);
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()), length);
    return head.starts_with('\x80') ? head.find(magicBytes) != std::string_view::npos
                                    : head.starts_with('L') && head.find(magicText) != std::string_view::npos;
}

/// By key; valid as long as the pickle of the object.
using ItemSizes = std::unordered_map<std::string_view, std::int64_t>;

void noteItemSize(const PickleValue& value, ItemSizes& sizes)
{
    if (!value.is(PickleKind::persistent))
        return;
    const auto id = value.items()[0].items();
    if (id.size() < 3 || id[0].text() != "storage" || !id[2].isText())
        return;
    if (const auto type = storageType(id[1].text()); type && type->dtype)
        sizes.emplace(id[2].text(), itemSize(*type->dtype));
}

/// Bytes of an element of each storage that the object refers to: the file gives counts of elements only.
ItemSizes itemSizesOf(const Pickle& pickle)
{
    ItemSizes sizes;
    noteItemSize(pickle.root, sizes);
    for (const PickleNode& node : pickle.nodes)
        for (const PickleValue& item : node.items)
            noteItemSize(item, sizes);
    return sizes;
}

using Records = std::unordered_map<std::string_view, StorageRecord>;

std::shared_ptr<const RecordSource> sourceOf(const std::shared_ptr<const MappedFile>& file)
{
    const auto source = std::make_shared<RecordSource>();
    source->subject = [file](const StorageRecord& record) {
        return fmt::format("{}: the storage at byte {}", file->path().string(), record.place);
    };
    source->load = [file](const StorageRecord& record, const Job&) {
        return Storage{file->bytes().subspan(static_cast<std::size_t>(record.place), static_cast<std::size_t>(record.bytes)),
                       file, file};
    };
    return source;
}

/// The storages behind the last pickle: for each key an int64 count of elements and the raw little-endian bytes.
Records readRecords(ByteView& view, const PickleValue& keys, const ItemSizes& sizes,
                    const std::shared_ptr<const MappedFile>& file)
{
    Records records;
    const auto source = sourceOf(file);
    if (!keys.is(PickleKind::list))
        view.fail("no list of storages behind the object");
    for (const PickleValue& key : keys.items()) {
        const auto name = repairUtf8(key.text());
        const auto size = sizes.find(key.text());
        if (!key.isText() || size == sizes.end())
            throw Error(
                fmt::format("{}: storage {} has no known type: the file is damaged or of an unsupported dtype, save it again",
                            file->path().string(), name));
        const auto count = view.little<std::int64_t>();
        if (count < 0 || count > INT64_MAX / size->second)
            view.fail(fmt::format("storage {} declares {} elements", name, count));
        const auto bytes = static_cast<std::uint64_t>(count * size->second);
        if (bytes > view.left())
            throw Error(
                fmt::format("{}: storage {} is cut off: {} bytes declared at byte {}, {} left; fetch or save the file again",
                            file->path().string(), name, bytes, view.offset(), view.left()));
        records.emplace(size->first, StorageRecord{source, bytes, view.offset()});
        view.skip(bytes);
    }
    return records;
}

} // namespace

std::optional<Document> readTorchLegacy(std::shared_ptr<const MappedFile> file, const Limits& limits, const Job& job)
{
    if (!hasMagic(file->bytes()))
        return std::nullopt;
    const std::string path = file->path().string();
    Allowance allowance(path, file->bytes().size());
    ByteView view(file->bytes(), path);
    readPickle(view, allowance, job);
    const auto version = readPickle(view, allowance, job).root.integer();
    if (version != supportedVersion)
        throw Error(fmt::format("{}: a torch.save file of protocol {}, only {} is known: save it again with a recent PyTorch",
                                path, version.value_or(0), supportedVersion));
    readPickle(view, allowance, job);
    const Pickle object = readPickle(view, allowance, job);
    const Pickle keys = readPickle(view, allowance, job);
    const Records records = readRecords(view, keys.root, itemSizesOf(object), file);

    Document document;
    document.file = file->path();
    document.format = "torch-legacy";
    const auto find = [&](std::string_view key) {
        const auto found = records.find(key);
        if (found == records.end())
            throw Error(fmt::format("{}: storage {} is missing: the file is damaged, save it again", path, repairUtf8(key)));
        return found->second;
    };
    TorchRebuilder torch(path, find, entryBudget(limits));
    const NumpyRebuilder numpy(path, {sourceOf(file), file->bytes().size(), 0}, Storage{file->bytes(), file, file},
                               entryBudget(limits));
    PickleWalk(document, allowance, torch, numpy).walk(object.root, PickleWalk::Style::saved, job);
    file->verify();
    return document;
}

} // namespace core::io
