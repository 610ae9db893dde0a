// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/buffer.h"
#include "core/io/pictures.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <fmt/format.h>

#include <jpeglib.h>
// After jpeglib.h, which it needs.
#include <jerror.h>

namespace core::io {

namespace {

/// libjpeg's decoder over bytes. Its errors jump; functions that set the jump hold nothing that needs a destructor.
class JpegDecoder
{
public:
    explicit JpegDecoder(const PictureFile& file) : JpegDecoder(file, Setup{})
    {
        // The delegated constructor is done: from here on the destructor cleans up after an error.
        if (!readHeader())
            fail();
    }
    ~JpegDecoder() { jpeg_destroy_decompress(&m_jpeg); }
    JpegDecoder(const JpegDecoder&) = delete;
    JpegDecoder& operator=(const JpegDecoder&) = delete;

    /// Before turning.
    PictureInfo info() const
    {
        PictureInfo info;
        info.shape = {m_jpeg.image_height, m_jpeg.image_width};
        if (m_jpeg.num_components > 1)
            info.shape.push_back(m_jpeg.num_components);
        if (m_jpeg.num_components == 4)
            info.notes.push_back("CMYK, 255 is full ink");
        return info;
    }

    int orientation() const
    {
        constexpr std::string_view mark("Exif\0\0", 6);
        for (const auto* marker = m_jpeg.marker_list; marker; marker = marker->next) {
            const auto bytes = std::as_bytes(std::span(marker->data, marker->data_length));
            if (marker->marker == JPEG_APP0 + 1 && ByteView(bytes).peek(mark.size()) == mark)
                return exifOrientation(bytes.subspan(mark.size()));
        }
        return 1;
    }

    /// Throws Error when the bytes present cannot hold the picture, or when it takes more than the budget.
    void check() const
    {
        std::uint64_t blocks = 0;
        for (int i = 0; i < m_jpeg.num_components; ++i)
            blocks += std::uint64_t{m_jpeg.comp_info[i].width_in_blocks} * m_jpeg.comp_info[i].height_in_blocks;
        // Each block of 8 x 8 takes a bit at least; arithmetic coding packs empty ones closer.
        const std::uint64_t blocksPerByte = m_jpeg.arith_code ? 512 : 8;
        if (blocks / blocksPerByte > m_file.bytes.size())
            throw Error(
                fmt::format("{} is cut off: {} bytes cannot hold the {} x {} pixels that its header tells of; fetch or save "
                            "it again",
                            m_file.subject, m_file.bytes.size(), m_jpeg.image_width, m_jpeg.image_height));
        const bool isWhole = m_jpeg.progressive_mode || m_jpeg.comps_in_scan < m_jpeg.num_components;
        const std::uint64_t coefficients = isWhole ? blocks * DCTSIZE2 * sizeof(JCOEF) : 0;
        const std::uint64_t pixels = std::uint64_t{m_jpeg.image_width} * m_jpeg.image_height;
        const auto bytes = pixels * m_jpeg.num_components + coefficients;
        requireBudget(m_file, {m_jpeg.image_height, m_jpeg.image_width}, static_cast<std::int64_t>(bytes));
    }

    void decode(std::span<std::byte> out, const Job& job)
    {
        m_stop = job.stop;
        const bool decoded = readRows(out, job);
        job.check();
        if (!decoded)
            fail();
        // Adobe's programs store CMYK inverted, and everyone follows them.
        if (m_jpeg.num_components == 4 && m_jpeg.saw_Adobe_marker)
            std::transform(out.begin(), out.end(), out.begin(), [](std::byte ink) { return ~ink; });
    }

private:
    struct Setup
    {
    };
    JpegDecoder(const PictureFile& file, Setup) : m_file(file)
    {
        m_jpeg.err = jpeg_std_error(&m_errors);
        m_jpeg.client_data = this;
        m_errors.error_exit = onError;
        m_errors.emit_message = onMessage;
        m_errors.output_message = [](j_common_ptr) {};
    }

    bool readHeader()
    {
        if (setjmp(m_jump))
            return false;
        jpeg_create_decompress(&m_jpeg);
        jpeg_mem_src(&m_jpeg, reinterpret_cast<const unsigned char*>(m_file.bytes.data()), m_file.bytes.size());
        jpeg_save_markers(&m_jpeg, JPEG_APP0 + 1, 0xffff);
        jpeg_read_header(&m_jpeg, TRUE);
        const int components = m_jpeg.num_components;
        if (components != 1 && components != 3 && components != 4)
            ERREXIT(&m_jpeg, JERR_BAD_J_COLORSPACE);
        m_jpeg.out_color_space = components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
        return true;
    }

    bool readRows(std::span<std::byte> out, const Job& job)
    {
        if (setjmp(m_jump))
            return false;
        m_progress.progress_monitor = onProgress;
        m_jpeg.progress = &m_progress;
        jpeg_start_decompress(&m_jpeg);
        const std::size_t rowBytes = std::size_t{m_jpeg.output_width} * m_jpeg.output_components;
        if (rowBytes * m_jpeg.output_height != out.size())
            ERREXIT(&m_jpeg, JERR_WIDTH_OVERFLOW);
        while (m_jpeg.output_scanline < m_jpeg.output_height) {
            job.report(double(m_jpeg.output_scanline) / m_jpeg.output_height);
            auto* row = reinterpret_cast<JSAMPROW>(out.data() + m_jpeg.output_scanline * rowBytes);
            jpeg_read_scanlines(&m_jpeg, &row, 1);
        }
        return true;
    }

    [[noreturn]] void fail() const
    {
        throw Error(fmt::format("{}: {} (libjpeg); the picture is damaged, fetch or save it again", m_file.subject, m_message));
    }

    static JpegDecoder& selfOf(j_common_ptr jpeg) { return *static_cast<JpegDecoder*>(jpeg->client_data); }
    static void onError(j_common_ptr jpeg)
    {
        auto& self = selfOf(jpeg);
        self.m_errors.format_message(jpeg, self.m_message);
        std::longjmp(self.m_jump, 1);
    }
    /// Warnings after which pixels are invented count as errors.
    static void onMessage(j_common_ptr jpeg, int level)
    {
        const int code = jpeg->err->msg_code;
        if (level < 0 && (code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF || code == JWRN_HUFF_BAD_CODE ||
                          code == JWRN_ARITH_BAD_CODE || code == JWRN_MUST_RESYNC))
            onError(jpeg);
    }
    static void onProgress(j_common_ptr jpeg)
    {
        // A small file can have thousands of scans over a large picture; real ones have about ten.
        constexpr int mostScans = 100;
        auto& self = selfOf(jpeg);
        if (self.m_jpeg.input_scan_number > mostScans || self.m_stop.stop_requested()) {
            std::snprintf(self.m_message, sizeof(self.m_message), "more than %d scans", mostScans);
            std::longjmp(self.m_jump, 1);
        }
    }

    const PictureFile& m_file;
    jpeg_decompress_struct m_jpeg = {};
    jpeg_error_mgr m_errors = {};
    jpeg_progress_mgr m_progress = {};
    std::jmp_buf m_jump = {};
    std::stop_token m_stop;
    char m_message[JMSG_LENGTH_MAX] = "";
};

} // namespace

bool isJpeg(std::span<const std::byte> bytes)
{
    return ByteView(bytes).peek(3) == "\xff\xd8\xff";
}

PictureInfo jpegInfo(const PictureFile& file)
{
    const JpegDecoder decoder(file);
    decoder.check();
    auto info = decoder.info();
    info.shape = turnedShape(std::move(info.shape), decoder.orientation());
    return info;
}

Tensor decodeJpeg(const PictureFile& file, const Job& job)
{
    JpegDecoder decoder(file);
    decoder.check();
    const auto info = decoder.info();
    const Buffer pixels(static_cast<std::size_t>(elementCount(info.shape)), file.subject);
    decoder.decode(pixels.bytes(), job);
    return turned(Tensor::contiguous(DType::u8, info.shape, pixels.storage()), decoder.orientation());
}

} // namespace core::io
