// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/buffer.h"
#include "core/io/pictures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace core::io {

namespace {

/// The headers of a Windows or OS/2 bitmap (Microsoft, "Bitmap Storage").
struct Bitmap
{
    std::int64_t width = 0;
    std::int64_t height = 0;
    bool topDown = false;
    int bits = 0;
    std::uint32_t compression = 0;
    /// Red, green, blue, alpha of a 16 or 32 bit pixel; no alpha is 0.
    std::array<std::uint32_t, 4> masks = {};
    std::uint64_t dataOffset = 0;

    bool hasPalette() const { return bits <= 8; }
    std::int64_t channels() const { return hasPalette() ? 1 : masks[3] != 0 ? 4 : 3; }
    /// Rows are padded to four bytes.
    std::int64_t rowBytes() const { return (width * bits + 31) / 32 * 4; }
    Shape shape() const { return hasPalette() ? Shape{height, width} : Shape{height, width, channels()}; }
};

constexpr std::uint32_t coreHeader = 12;
constexpr std::uint32_t infoHeader = 40;
constexpr std::uint32_t headerSizes[] = {coreHeader, infoHeader, 52, 56, 64, 108, 124};
constexpr std::uint32_t bitFields = 3;
constexpr std::uint32_t alphaBitFields = 6;

[[noreturn]] void refuse(const PictureFile& file, const std::string& what)
{
    throw Error(fmt::format("{}: {}; save it as PNG", file.subject, what));
}

void readMasks(Bitmap& bitmap, ByteView& view, std::uint32_t headerBytes)
{
    if (bitmap.bits == 16)
        bitmap.masks = {0x7c00, 0x03e0, 0x001f, 0};
    else if (bitmap.bits == 32)
        bitmap.masks = {0xff0000, 0xff00, 0xff, 0};
    // Masks stand in the header from 52 bytes on, else behind it; they count only with "bit fields".
    if (bitmap.compression != bitFields && bitmap.compression != alphaBitFields)
        return;
    const bool hasAlpha = headerBytes >= 56 || bitmap.compression == alphaBitFields;
    for (int i = 0; i < (hasAlpha ? 4 : 3); ++i)
        bitmap.masks[i] = view.little<std::uint32_t>();
}

Bitmap readBitmap(const PictureFile& file)
{
    ByteView view(file.bytes, file.subject);
    Bitmap bitmap;
    view.skip(10);
    bitmap.dataOffset = view.little<std::uint32_t>();
    const auto headerBytes = view.little<std::uint32_t>();
    if (headerBytes == coreHeader) {
        bitmap.width = view.little<std::uint16_t>();
        bitmap.height = view.little<std::uint16_t>();
        view.skip(2);
        bitmap.bits = view.little<std::uint16_t>();
    } else {
        bitmap.width = view.little<std::int32_t>();
        bitmap.height = view.little<std::int32_t>();
        bitmap.topDown = bitmap.height < 0;
        bitmap.height = std::abs(bitmap.height);
        view.skip(2);
        bitmap.bits = view.little<std::uint16_t>();
        bitmap.compression = view.little<std::uint32_t>();
        view.skip(20);
    }
    constexpr int known[] = {1, 4, 8, 16, 24, 32};
    if (std::find(std::begin(known), std::end(known), bitmap.bits) == std::end(known))
        refuse(file, fmt::format("a bitmap of {} bits a pixel is not supported", bitmap.bits));
    const bool hasFields = bitmap.compression == bitFields || bitmap.compression == alphaBitFields;
    if (bitmap.compression == 1 || bitmap.compression == 2)
        refuse(file, "a run-length packed bitmap (RLE) is not supported");
    if (bitmap.compression != 0 && !(hasFields && (bitmap.bits == 16 || bitmap.bits == 32)))
        refuse(file,
               fmt::format("a bitmap of packing {} with {} bits a pixel is not supported", bitmap.compression, bitmap.bits));
    if (bitmap.width <= 0 || bitmap.height == 0)
        view.fail(fmt::format("a bitmap of {} x {} pixels", bitmap.width, bitmap.height));
    readMasks(bitmap, view, headerBytes);
    return bitmap;
}

/// Throws Error when the rows are not all there or the picture passes the budget.
Bitmap checkedBitmap(const PictureFile& file)
{
    const auto bitmap = readBitmap(file);
    const auto needed = checkedProduct(bitmap.rowBytes(), bitmap.height);
    const auto present = file.bytes.size() - std::min<std::uint64_t>(bitmap.dataOffset, file.bytes.size());
    if (static_cast<std::uint64_t>(needed) > present)
        throw Error(
            fmt::format("{} is cut off: {} x {} pixels of {} bits need {} bytes at byte {}, {} are there; fetch or save it "
                        "again",
                        file.subject, bitmap.width, bitmap.height, bitmap.bits, needed, bitmap.dataOffset, present));
    requireBudget(file, bitmap.shape(), elementCount(bitmap.shape()));
    return bitmap;
}

void unpackIndices(const Bitmap& bitmap, const std::byte* from, std::byte* to)
{
    const int perByte = 8 / bitmap.bits;
    const auto mask = static_cast<std::byte>((1 << bitmap.bits) - 1);
    for (std::int64_t x = 0; x < bitmap.width; ++x) {
        const int shift = 8 - bitmap.bits * (1 + static_cast<int>(x % perByte));
        to[x] = (from[x / perByte] >> shift) & mask;
    }
}

/// A colour of a packed pixel on the scale of 8 bits.
std::byte component(std::uint32_t pixel, std::uint32_t mask)
{
    if (mask == 0)
        return std::byte{0};
    const int shift = std::countr_zero(mask);
    const std::uint64_t highest = mask >> shift;
    return static_cast<std::byte>(((pixel & mask) >> shift) * std::uint64_t{255} / highest);
}

void unpackColors(const Bitmap& bitmap, const std::byte* from, std::byte* to)
{
    const int bytes = bitmap.bits / 8;
    for (std::int64_t x = 0; x < bitmap.width; ++x, from += bytes) {
        if (bytes == 3) {
            for (const int i : {2, 1, 0})
                *to++ = from[i];
            continue;
        }
        std::uint32_t pixel = 0;
        for (int i = 0; i < bytes; ++i)
            pixel |= std::to_integer<std::uint32_t>(from[i]) << (8 * i);
        for (std::int64_t i = 0; i < bitmap.channels(); ++i)
            *to++ = component(pixel, bitmap.masks[i]);
    }
}

} // namespace

bool isBmp(std::span<const std::byte> bytes)
{
    // Two letters are little: the size of the header that follows decides.
    ByteView view(bytes);
    if (view.peek(2) != "BM" || view.size() < 18)
        return false;
    view.skip(14);
    const auto size = view.little<std::uint32_t>();
    return std::find(std::begin(headerSizes), std::end(headerSizes), size) != std::end(headerSizes);
}

PictureInfo bmpInfo(const PictureFile& file)
{
    const auto bitmap = checkedBitmap(file);
    PictureInfo info{.shape = bitmap.shape(), .dtype = DType::u8, .notes = {}};
    if (bitmap.hasPalette())
        info.notes.push_back("palette indices");
    return info;
}

Tensor decodeBmp(const PictureFile& file, const Job& job)
{
    const auto bitmap = checkedBitmap(file);
    const auto outBytes = bitmap.width * bitmap.channels();
    const Buffer pixels(static_cast<std::size_t>(outBytes * bitmap.height), file.subject);
    for (std::int64_t y = 0; y < bitmap.height; ++y) {
        job.report(static_cast<double>(y) / static_cast<double>(bitmap.height));
        const auto row = bitmap.topDown ? y : bitmap.height - 1 - y;
        const auto* from = file.bytes.data() + bitmap.dataOffset + row * bitmap.rowBytes();
        auto* to = pixels.bytes().data() + y * outBytes;
        if (bitmap.hasPalette())
            unpackIndices(bitmap, from, to);
        else
            unpackColors(bitmap, from, to);
    }
    return Tensor::contiguous(DType::u8, bitmap.shape(), pixels.storage());
}

} // namespace core::io
