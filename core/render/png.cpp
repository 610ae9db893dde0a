// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/io/write.h"
#include "core/render/render.h"

#include <cstring>
#include <png.h>

namespace core {

namespace {

std::vector<std::uint8_t> redOf(const Image& image)
{
    std::vector<std::uint8_t> grey;
    grey.reserve(image.pixels.size());
    for (const auto pixel : image.pixels)
        grey.push_back(static_cast<std::uint8_t>(pixel & 255));
    return grey;
}

/// The whole PNG file in memory, so that nothing of libpng's is between the file and an error in writing it.
std::vector<std::byte> encode(const Image& image, bool grey)
{
    const auto greyPixels = grey ? redOf(image) : std::vector<std::uint8_t>{};
    png_image png;
    std::memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGBA;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    std::vector<std::byte> bytes(size);
    const void* pixels = grey ? static_cast<const void*>(greyPixels.data()) : image.pixels.data();
    if (png_image_write_to_memory(&png, bytes.data(), &size, 0, pixels, 0, nullptr) == 0)
        throw Error(png.message);
    bytes.resize(size);
    return bytes;
}

} // namespace

void writePng(const std::filesystem::path& path, const Image& image, bool grey)
{
    if (image.width < 1 || image.height < 1)
        throw Error(path.string() + ": a picture of " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                    " pixels has nothing to write; choose a tensor or a plane with elements");
    std::vector<std::byte> bytes;
    try {
        bytes = encode(image, grey);
    } catch (const Error& error) {
        throw Error(path.string() + ": cannot be written as PNG: " + error.what() + "; choose a smaller picture");
    }
    io::AtomicFile file(path);
    file.write(std::span<const std::byte>(bytes));
    file.commit();
}

} // namespace core
