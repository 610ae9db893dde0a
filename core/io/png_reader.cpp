// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/buffer.h"
#include "core/io/inflate.h"
#include "core/io/pictures.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

namespace core::io {

namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);

/// One chunk (PNG specification, section 5.3).
struct Chunk
{
    std::string_view kind;
    std::span<const std::byte> data;
    std::size_t offset = 0;
    bool intact = true;
};

/// Calls `visit` for each chunk up to IEND; checksums are computed only when asked. Throws Error when the file ends before.
template <class F>
void forEachChunk(const PictureFile& file, bool checksums, F&& visit)
{
    ByteView view(file.bytes, file.subject);
    view.skip(signature.size());
    for (;;) {
        Chunk chunk;
        chunk.offset = view.offset();
        const auto length = view.big<std::uint32_t>();
        chunk.kind = view.text(4);
        chunk.data = view.take(length);
        const auto declared = view.big<std::uint32_t>();
        if (checksums || chunk.kind == "IHDR") {
            const auto* kind = reinterpret_cast<const Bytef*>(chunk.kind.data());
            chunk.intact = crc32_z(0, kind, chunk.data.size() + chunk.kind.size()) == declared;
        }
        visit(chunk);
        if (chunk.kind == "IEND")
            return;
    }
}

/// libpng's reader over bytes. Its errors jump; functions that set the jump hold nothing that needs a destructor.
class PngDecoder
{
public:
    explicit PngDecoder(const PictureFile& file) : PngDecoder(file, Setup{})
    {
        // The delegated constructor is done: from here on the destructor cleans up after an error.
        if (!m_info)
            throw Error(file.subject + ": not enough memory to decode it; close other programs");
        if (!readHeader())
            fail();
    }
    ~PngDecoder() { png_destroy_read_struct(&m_png, &m_info, nullptr); }
    PngDecoder(const PngDecoder&) = delete;
    PngDecoder& operator=(const PngDecoder&) = delete;

    PictureInfo info() const
    {
        PictureInfo info;
        const std::int64_t channels = png_get_channels(m_png, m_info);
        info.shape = {png_get_image_height(m_png, m_info), png_get_image_width(m_png, m_info)};
        if (channels > 1)
            info.shape.push_back(channels);
        const int bits = png_get_bit_depth(m_png, m_info);
        info.dtype = bits == 16 ? DType::u16 : DType::u8;
        if (png_get_color_type(m_png, m_info) == PNG_COLOR_TYPE_PALETTE)
            info.notes.push_back("palette indices");
        else if (bits < 8)
            info.notes.push_back(fmt::format("{} bits a pixel", bits));
        return info;
    }
    /// Bytes of the unpacked stream: rows as stored, each with its filter byte.
    std::uint64_t streamBytes() const
    {
        return (std::uint64_t{png_get_rowbytes(m_png, m_info)} + 1) * png_get_image_height(m_png, m_info);
    }

    void decode(std::span<std::byte> out, const Job& job)
    {
        if (!readRows(out, job))
            fail();
    }

private:
    struct Setup
    {
    };
    PngDecoder(const PictureFile& file, Setup) : m_file(file), m_view(file.bytes)
    {
        m_png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
        m_info = m_png ? png_create_info_struct(m_png) : nullptr;
    }

    bool readHeader()
    {
        if (setjmp(png_jmpbuf(m_png)))
            return false;
        png_set_read_fn(m_png, this, onRead);
        png_set_user_limits(m_png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
        // Checksums are verified apart from decoding, as for every format; texts and profiles are not needed.
        png_set_crc_action(m_png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
        png_set_keep_unknown_chunks(m_png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
        png_read_info(m_png, m_info);
        return true;
    }

    bool readRows(std::span<std::byte> out, const Job& job)
    {
        if (setjmp(png_jmpbuf(m_png)))
            return false;
        const png_uint_32 height = png_get_image_height(m_png, m_info);
        const int passes = png_set_interlace_handling(m_png);
        png_set_packing(m_png);
        if constexpr (std::endian::native == std::endian::little)
            png_set_swap(m_png);
        png_read_update_info(m_png, m_info);
        const std::size_t rowBytes = png_get_rowbytes(m_png, m_info);
        if (rowBytes * height != out.size())
            png_error(m_png, "rows of another size than the header tells");
        for (int pass = 0; pass < passes; ++pass)
            for (png_uint_32 row = 0; row < height; ++row) {
                job.report((pass + double(row) / height) / passes);
                png_read_row(m_png, reinterpret_cast<png_bytep>(out.data() + row * rowBytes), nullptr);
            }
        return true;
    }

    [[noreturn]] void fail() const
    {
        throw Error(fmt::format("{}: {} (libpng, at byte {}); the picture is damaged, fetch or save it again", m_file.subject,
                                m_message, m_view.offset()));
    }

    static void onRead(png_structp png, png_bytep to, std::size_t count)
    {
        auto& self = *static_cast<PngDecoder*>(png_get_io_ptr(png));
        if (self.m_view.left() < count)
            png_error(png, "the file is cut off");
        std::memcpy(to, self.m_view.take(count).data(), count);
    }
    static void onError(png_structp png, png_const_charp message)
    {
        auto& self = *static_cast<PngDecoder*>(png_get_error_ptr(png));
        std::snprintf(self.m_message, sizeof(self.m_message), "%s", message);
        png_longjmp(png, 1);
    }
    static void onWarning(png_structp, png_const_charp) {}

    const PictureFile& m_file;
    ByteView m_view;
    png_structp m_png = nullptr;
    png_infop m_info = nullptr;
    char m_message[200] = "";
};

/// Walks the chunks: throws Error for a cut off file or a damaged header, and finds the orientation.
int checkChunks(const PictureFile& file)
{
    int orientation = 1;
    forEachChunk(file, false, [&](const Chunk& chunk) {
        if (chunk.kind == "IHDR" && !chunk.intact)
            throw Error(fmt::format("{}: the checksum of the header (chunk IHDR at byte {}) does not match; the picture is "
                                    "damaged, fetch or save it again",
                                    file.subject, chunk.offset));
        if (chunk.kind == "eXIf")
            orientation = exifOrientation(chunk.data);
    });
    return orientation;
}

std::int64_t pictureBytes(const PictureInfo& info)
{
    return checkedProduct(elementCount(info.shape), itemSize(info.dtype));
}

PictureInfo checkedInfo(const PictureFile& file, const PngDecoder& decoder)
{
    auto info = decoder.info();
    if (decoder.streamBytes() / Inflater::highestRatio > file.bytes.size())
        throw Error(
            fmt::format("{} is cut off: {} bytes cannot hold the {} x {} pixels that its header tells of; fetch or save it "
                        "again",
                        file.subject, file.bytes.size(), info.shape[1], info.shape[0]));
    requireBudget(file, info.shape, pictureBytes(info));
    return info;
}

} // namespace

bool isPng(std::span<const std::byte> bytes)
{
    return ByteView(bytes).peek(signature.size()) == signature;
}

PictureInfo pngInfo(const PictureFile& file)
{
    const int orientation = checkChunks(file);
    auto info = checkedInfo(file, PngDecoder(file));
    info.shape = turnedShape(std::move(info.shape), orientation);
    return info;
}

Tensor decodePng(const PictureFile& file, const Job& job)
{
    const int orientation = checkChunks(file);
    PngDecoder decoder(file);
    const auto info = checkedInfo(file, decoder);
    const Buffer pixels(static_cast<std::size_t>(pictureBytes(info)), file.subject);
    decoder.decode(pixels.bytes(), job);
    return turned(Tensor::contiguous(info.dtype, info.shape, pixels.storage()), orientation);
}

std::optional<std::string> verifyPng(const PictureFile& file, const Job& job)
{
    std::optional<std::string> warning;
    forEachChunk(file, true, [&](const Chunk& chunk) {
        job.check();
        if (!chunk.intact && !warning)
            warning =
                fmt::format("{}: the checksum of chunk {} at byte {} does not match: the values may be damaged, fetch or save "
                            "the file again",
                            file.subject, chunk.kind, chunk.offset);
    });
    return warning;
}

} // namespace core::io
