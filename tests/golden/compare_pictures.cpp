// SPDX-License-Identifier: GPL-3.0-or-later
#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

namespace {

struct Picture
{
    png_uint_32 width = 0;
    png_uint_32 height = 0;
    std::vector<std::uint8_t> rgba;
};

std::optional<Picture> read(const char* file)
{
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&png, file))
        return std::nullopt;
    png.format = PNG_FORMAT_RGBA;
    Picture picture{png.width, png.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
    if (!png_image_finish_read(&png, nullptr, picture.rgba.data(), 0, nullptr))
        return std::nullopt;
    return picture;
}

void write(const char* file, const Picture& picture)
{
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = picture.width;
    png.height = picture.height;
    png.format = PNG_FORMAT_RGBA;
    png_image_write_to_file(&png, file, 0, picture.rgba.data(), 0, nullptr);
}

} // namespace

/// compare_pictures EXPECTED ACTUAL DIFF: exits with 0 when all pixels are equal, else writes DIFF: equal pixels pale, others
/// red.
int main(int argc, char** argv)
{
    if (argc != 4)
        return 2;
    const auto expected = read(argv[1]);
    const auto actual = read(argv[2]);
    if (!expected || !actual) {
        std::fprintf(stderr, "%s is no readable PNG.\n", expected ? argv[2] : argv[1]);
        return 1;
    }
    if (expected->width != actual->width || expected->height != actual->height) {
        std::fprintf(stderr, "The picture has %u x %u pixels instead of %u x %u.\n", actual->width, actual->height,
                     expected->width, expected->height);
        return 1;
    }
    Picture diff = *actual;
    std::size_t different = 0;
    for (std::size_t i = 0; i < diff.rgba.size(); i += 4) {
        const bool equal = std::equal(&actual->rgba[i], &actual->rgba[i] + 4, &expected->rgba[i]);
        different += !equal;
        const std::uint8_t red[] = {255, 0, 0, 255};
        for (std::size_t k = 0; k < 3; ++k)
            diff.rgba[i + k] = equal ? static_cast<std::uint8_t>(192 + diff.rgba[i + k] / 4) : red[k];
        diff.rgba[i + 3] = 255;
    }
    if (different == 0)
        return 0;
    write(argv[3], diff);
    std::fprintf(stderr, "%zu of %zu pixels differ.\n", different, diff.rgba.size() / 4);
    return 1;
}
