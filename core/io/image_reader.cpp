// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/entries.h"
#include "core/io/names.h"
#include "core/io/pictures.h"
#include "core/io/reader.h"

#include <algorithm>

namespace core::io {

namespace {

struct Codec
{
    bool (*matches)(std::span<const std::byte> bytes);
    PictureInfo (*info)(const PictureFile& file);
    Tensor (*decode)(const PictureFile& file, const Job& job);
    /// Null for formats without checksums.
    std::optional<std::string> (*verify)(const PictureFile& file, const Job& job);
};
constexpr Codec codecs[] = {
    {isPng, pngInfo, decodePng, verifyPng},
    {isJpeg, jpegInfo, decodeJpeg, nullptr},
    {isBmp, bmpInfo, decodeBmp, nullptr},
};

} // namespace

std::optional<Document> readImage(std::shared_ptr<const MappedFile> file, const Limits& limits, const Job&)
{
    const auto* codec =
        std::find_if(std::begin(codecs), std::end(codecs), [&](const auto& c) { return c.matches(file->bytes()); });
    if (codec == std::end(codecs))
        return std::nullopt;
    const PictureFile picture{file->bytes(), file->path().string(), entryBudget(limits)};
    auto info = codec->info(picture);
    auto entry = tensorEntry(stemName(file->path()), info.dtype, info.shape, contiguousStrides(info.shape));
    entry.isImage = true;
    entry.notes = std::move(info.notes);
    entry.load = [file, picture, decode = codec->decode](const Job& job) -> Content { return decode(picture, job); };
    if (codec->verify)
        entry.verify = [file, picture, verify = codec->verify](const Job& job) { return verify(picture, job); };
    Document document{file->path(), "image", {}, {}};
    document.entries.push_back(std::move(entry));
    return document;
}

} // namespace core::io
