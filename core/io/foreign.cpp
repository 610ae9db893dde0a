// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/foreign.h"

#include "core/io/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace core::io {

namespace {

using namespace std::string_view_literals;

/// A kind of file known by the bytes at one place.
struct Kind
{
    std::size_t offset;
    std::string_view magic;
    std::string_view what;
};
constexpr Kind kinds[] = {
    {0, "version https://git-lfs"sv, "a Git LFS pointer: fetch the real file with git lfs pull"},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file (h5py, Keras): save its arrays with numpy.save or numpy.savez"},
    {0, "\x1f\x8b"sv, "a gzip file: unpack it with gunzip first"},
    {0, "BZh"sv, "a bzip2 file: unpack it with bunzip2 first"},
    {0, "\xfd\x37zXZ\0"sv, "an xz file: unpack it with unxz first"},
    {0, "\x28\xb5\x2f\xfd"sv, "a Zstandard file: unpack it with unzstd first"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive: unpack it and open what is inside"},
    {0, "Rar!"sv, "a RAR archive: unpack it and open what is inside"},
    {257, "ustar"sv, "a tar archive: unpack it with tar xf and open what is inside"},
    {0, "PK"sv, "a zip archive without tensors in it: unpack it and open what is inside"},
    {0, "GGUF"sv, "a GGUF model: convert it to safetensors"},
    {4, "TFL3"sv, "a TensorFlow Lite model: save its tensors with numpy.savez"},
    {0, "MATLAB 5.0"sv, "a MATLAB file: load it with scipy.io.loadmat and save it with numpy.savez"},
    {0, "%%MatrixMarket"sv, "a Matrix Market file: load it with scipy.io.mmread and save it with scipy.sparse.save_npz"},
    {344, "n+1\0"sv, "a NIfTI volume: load it with nibabel and save it with numpy.save"},
    {344, "ni1\0"sv, "a NIfTI header: load it with nibabel and save it with numpy.save"},
    {0, "NRRD000"sv, "an NRRD volume: save it with numpy.save"},
    {128, "DICM"sv, "a DICOM picture: load it with pydicom and save it with numpy.save"},
    {0, "SIMPLE  ="sv, "a FITS file: load it with astropy and save it with numpy.save"},
    {0, "PAR1"sv, "a Parquet table: save its columns with numpy.savez"},
    {0, "ARROW1"sv, "an Arrow table: save its columns with numpy.savez"},
    {0, "II*\0"sv, "a TIFF picture: convert it to PNG"},
    {0, "MM\0*"sv, "a TIFF picture: convert it to PNG"},
    {0, "GIF8"sv, "a GIF picture: convert it to PNG"},
    {8, "WEBP"sv, "a WebP picture: convert it to PNG"},
    {4, "ftyp"sv, "a video, HEIC or AVIF file: convert it to PNG"},
    {0, "8BPS"sv, "a Photoshop picture: convert it to PNG"},
    {0, "\0\0\1\0"sv, "an icon: convert it to PNG"},
    {0, "%PDF"sv, "a PDF document: export its pictures as PNG"},
    {0, "SQLite format 3"sv, "an SQLite database: save its data with numpy.savez"},
    {0,
     "\x7f"
     "ELF"sv,
     "a program or library: choose the file with the data"},
    {0, "\x80\2"sv,
     "a Python pickle that torch.save did not write, and reading it would execute code: save it with torch.save"},
    {0, "\x80\3"sv,
     "a Python pickle that torch.save did not write, and reading it would execute code: save it with torch.save"},
    {0, "\x80\4"sv,
     "a Python pickle that torch.save did not write, and reading it would execute code: save it with torch.save"},
    {0, "\x80\5"sv,
     "a Python pickle that torch.save did not write, and reading it would execute code: save it with torch.save"},
};

/// Beginnings of the formats that open: a file shorter than its own is cut off.
constexpr std::string_view own[] = {"PK\3\4"sv,       "\x93NUMPY"sv, "\x89PNG\r\n\x1a\n"sv,
                                    "\xff\xd8\xff"sv, "BM"sv,        "\x80\2\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19."sv};

bool beginsCaseless(std::string_view text, std::string_view word)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    return text.size() >= word.size() &&
           std::equal(word.begin(), word.end(), text.begin(), [&](char a, char b) { return a == lower(b); });
}

/// Printable text in ASCII or UTF-8, as far as `text` goes.
bool isText(std::string_view text)
{
    const bool hasControls = std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < ' ' && "\n\r\t\f\x1b"sv.find(c) == std::string_view::npos) || byte == 0x7f;
    });
    // The last letter may be cut in two.
    for (int i = 0; i < 3 && !text.empty() && static_cast<unsigned char>(text.back()) >= 0x80; ++i)
        text.remove_suffix(1);
    return !text.empty() && !hasControls && repairUtf8(text) == text;
}

/// Whether what follows comments and one line of names consists of nothing but numbers and what stands between them.
bool isTableOfNumbers(std::string_view text)
{
    constexpr std::string_view ofNumbers = "0123456789+-.eE,; \t\r";
    constexpr std::string_view ofWords = "nNaAiIfF";
    int words = 0;
    int numbers = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos || line.starts_with('#'))
            continue;
        const bool isNumeric =
            std::all_of(line.begin(), line.end(),
                        [&](char c) {
                            return ofNumbers.find(c) != std::string_view::npos || ofWords.find(c) != std::string_view::npos;
                        }) &&
            line.find_first_of("0123456789") != std::string_view::npos;
        (isNumeric ? numbers : words) += 1;
    }
    return numbers > 0 && words <= 1;
}

std::string_view describeText(std::string_view text)
{
    const auto begin = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
    for (const auto tag : {"<!doctype html"sv, "<html"sv, "<head"sv, "<body"sv})
        if (beginsCaseless(text, tag))
            return "an HTML page, most likely saved in place of a download: fetch the file again";
    if (text.starts_with("<?xml") || text.starts_with("<"))
        return "an XML file: choose the file with the data";
    if (text.starts_with("{") || text.starts_with("["))
        return "a JSON file: save its numbers with numpy.save";
    if (isTableOfNumbers(text))
        return "a text file with numbers: load it with numpy.loadtxt and save it with numpy.save";
    return "a text file, no tensor file: choose the file with the data";
}

/// An ONNX ModelProto: field 1 (version of the format), then the producer's name, the graph or the operator sets.
bool isOnnx(std::string_view head)
{
    constexpr int newestVersion = 32;
    return head.size() > 4 && head[0] == 8 && head[1] > 0 && head[1] < newestVersion &&
           (head[2] == 0x12 || head[2] == 0x3a || head[2] == 0x42);
}

} // namespace

std::string describeForeign(std::span<const std::byte> bytes)
{
    constexpr std::size_t looked = 4096;
    constexpr std::size_t tooShort = 32;
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), looked));
    if (head.empty())
        return "is empty (0 bytes): fetch or save it again";
    for (const auto magic : own)
        if (head.size() < magic.size() && magic.starts_with(head))
            return fmt::format("is cut off after {} bytes: fetch or save it again", head.size());
    for (const auto& kind : kinds)
        if (head.size() > kind.offset && head.substr(kind.offset).starts_with(kind.magic))
            return fmt::format("is {}", kind.what);
    if (isOnnx(head))
        return "is an ONNX model: save its weights with numpy.savez";
    if (isText(head))
        return fmt::format("is {}", describeText(head));
    if (head.find_first_not_of('\0') == std::string_view::npos)
        return "begins with nothing but zeros, as a download that did not finish: fetch it again";
    if (head.size() < tooShort)
        return fmt::format("has only {} bytes that are no known format; it may be cut off: fetch or save it again",
                           head.size());
    const auto first = bytes.first(8);
    std::string hex;
    for (const auto byte : first)
        hex += fmt::format(" {:02x}", std::to_integer<int>(byte));
    return fmt::format("is of no known format (it begins with{}): open a PyTorch, npy, npz, safetensors, PNG, JPEG or BMP file",
                       hex);
}

} // namespace core::io
