// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/byte_view.h"
#include "core/io/entries.h"
#include "core/io/names.h"
#include "core/io/reader.h"
#include "core/io/safetensors_header.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace core::io {

namespace {

constexpr std::uint64_t prefixBytes = 8;
/// The format's own limit.
constexpr std::uint64_t highestHeaderBytes = 100'000'000;

[[noreturn]] void fail(const std::string& subject, const std::string& what)
{
    throw Error(fmt::format("{}: {}; the file is damaged, fetch or save it again", subject, what));
}

/// The tensors lie one behind the other and fill the data: no overlap, no hole, nothing behind.
void checkCoverage(const std::vector<SafeTensor>& tensors, std::uint64_t dataBytes, const std::string& subject)
{
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
        return std::pair(tensors[a].begin, tensors[a].end) < std::pair(tensors[b].begin, tensors[b].end);
    });
    std::uint64_t reached = 0;
    std::string before = "the header";
    for (const auto i : order) {
        const auto& tensor = tensors[i];
        if (tensor.end < tensor.begin)
            fail(subject,
                 fmt::format("{} ends at byte {} of the data, before it begins at {}", tensor.name, tensor.end, tensor.begin));
        if (tensor.begin < reached)
            fail(subject, fmt::format("{} overlaps {} at byte {} of the data", tensor.name, before, tensor.begin));
        if (tensor.begin > reached)
            fail(subject, fmt::format("a hole of {} bytes between {} and {}", tensor.begin - reached, before, tensor.name));
        reached = tensor.end;
        before = tensor.name;
    }
    if (reached > dataBytes)
        throw Error(fmt::format("{} is cut off: {} bytes of data are declared, {} are there; fetch or save the file again",
                                subject, reached, dataBytes));
    if (reached < dataBytes)
        fail(subject, fmt::format("{} bytes after the last tensor belong to none", dataBytes - reached));
}

/// The entry of a tensor whose bytes lie at `begin` of the file; its place was checked by checkCoverage.
Entry describe(const SafeTensor& tensor, std::string name, const Storage& storage, std::uint64_t begin,
               const std::string& subject)
{
    const auto words = safeDTypes();
    const auto word = std::ranges::find(words, tensor.dtype, &SafeDType::name);
    if (word == words.end())
        throw Error(fmt::format("{}: {} has the unknown dtype {}; save it with a dtype of PyTorch", subject, tensor.name,
                                tensor.dtype));
    if (!word->dtype) {
        auto entry = objectEntry(std::move(name), tensor.dtype,
                                 fmt::format("dtype {} is not supported, shape {}", tensor.dtype, shapeText(tensor.shape)));
        entry.path = dottedPath(entry.name);
        return entry;
    }
    std::int64_t bytes = 0;
    Entry entry;
    try {
        bytes = checkedProduct(elementCount(tensor.shape), itemSize(*word->dtype));
        entry = tensorEntry(std::move(name), *word->dtype, tensor.shape, contiguousStrides(tensor.shape));
    } catch (const Error& error) {
        fail(subject, fmt::format("{} has the shape {} ({})", tensor.name, shapeText(tensor.shape), error.what()));
    }
    if (static_cast<std::uint64_t>(bytes) != tensor.end - tensor.begin)
        fail(subject, fmt::format("{} of shape {} and dtype {} needs {} bytes, the header gives it {}", tensor.name,
                                  shapeText(tensor.shape), tensor.dtype, bytes, tensor.end - tensor.begin));
    entry.path = dottedPath(entry.name);
    entry.load = [dtype = entry.dtype, shape = entry.shape, storage, begin](const Job&) -> Content {
        return Tensor::contiguous(dtype, shape, storage, static_cast<std::int64_t>(begin));
    };
    return entry;
}

Entry metadataEntry(const std::string& key, std::string text, UniqueNames& names)
{
    Entry entry;
    entry.kind = EntryKind::value;
    entry.name = names.take("__metadata__." + key);
    entry.path = {"__metadata__", key.empty() ? "(empty)" : key};
    entry.value = std::move(text);
    return entry;
}

/// Text of eight letters is the beginning of prose, no length.
bool isText(std::string_view bytes)
{
    return std::all_of(bytes.begin(), bytes.end(),
                       [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; });
}

} // namespace

std::optional<Document> readSafetensors(std::shared_ptr<const MappedFile> file, const Limits&, const Job& job)
{
    const auto subject = file->path().string();
    ByteView view(file->bytes(), subject);
    const auto first = view.peek(prefixBytes + 1);
    if (first.empty() || first.back() != '{' || isText(first))
        return std::nullopt;
    const auto length = view.little<std::uint64_t>();
    if (length > highestHeaderBytes)
        fail(subject, fmt::format("a header of {} bytes is declared at byte 0, more than the {} that safetensors allows",
                                  length, highestHeaderBytes));
    const auto header = parseSafeHeader(view.text(length), subject);
    job.check();
    checkCoverage(header.tensors, view.left(), subject);
    Document document{file->path(), "safetensors", {}, {}};
    const Storage storage{file->bytes(), file, file};
    UniqueNames names;
    for (const auto& tensor : header.tensors)
        document.entries.push_back(describe(tensor, names.take(tensor.name), storage, view.offset() + tensor.begin, subject));
    for (const auto& [key, text] : header.metadata)
        document.entries.push_back(metadataEntry(key, text, names));
    return document;
}

} // namespace core::io
