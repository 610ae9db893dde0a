// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/io/chunks.h"
#include "core/io/write.h"

#include <fmt/format.h>

#include <algorithm>

namespace core::io {

namespace {

std::string_view npyDescr(DType dtype)
{
    switch (dtype) {
    case DType::boolean:
        return "|b1";
    case DType::u8:
        return "|u1";
    case DType::i8:
        return "|i1";
    case DType::u16:
        return "<u2";
    case DType::i16:
        return "<i2";
    case DType::u32:
        return "<u4";
    case DType::i32:
        return "<i4";
    case DType::u64:
        return "<u8";
    case DType::i64:
        return "<i8";
    case DType::f16:
        return "<f2";
    case DType::f32:
        return "<f4";
    case DType::f64:
        return "<f8";
    case DType::c64:
        return "<c8";
    case DType::c128:
        return "<c16";
    default:
        throw Error(fmt::format("NumPy has no dtype for {}", dtypeName(dtype)));
    }
}

/// Python's repr of a tuple: "()", "(3,)", "(2, 3)".
std::string tupleText(std::span<const std::int64_t> shape)
{
    if (shape.size() == 1)
        return fmt::format("({},)", shape[0]);
    return fmt::format("({})", fmt::join(shape, ", "));
}

} // namespace

std::string npyHeader(DType dtype, std::span<const std::int64_t> shape)
{
    // numpy.lib.format leaves room for the first axis to grow to 21 digits, ends with a newline and aligns the data to 64.
    constexpr std::size_t growthDigits = 21;
    constexpr std::size_t alignment = 64;
    constexpr std::size_t prefixBytes = 10;
    auto text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", npyDescr(dtype), tupleText(shape));
    if (!shape.empty())
        text.append(growthDigits - std::to_string(shape[0]).size(), ' ');
    text.append(alignment - (prefixBytes + text.size() + 1) % alignment, ' ');
    text += '\n';
    std::string header = "\x93NUMPY";
    header += '\x01';
    header += '\x00';
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

void writeNpy(const std::filesystem::path& path, const Tensor& tensor)
{
    AtomicFile file(path);
    file.write(npyHeader(npyDType(tensor.dtype()), tensor.shape()));
    forEachChunk(tensor, [&](std::span<const std::byte> bytes) { file.write(bytes); });
    file.commit();
}

NpyRowWriter::NpyRowWriter(std::filesystem::path path, int columns)
    : m_file(std::move(path)), m_waiting(nullptr, std::fclose), m_columns(columns)
{
    if (m_file.isStream()) {
        m_waiting.reset(std::tmpfile());
        if (!m_waiting)
            throw Error(
                "cannot make a temporary file for the coordinates: check the temporary folder, or write to a plain file");
        return;
    }
    const std::int64_t shape[] = {0, columns};
    m_file.write(npyHeader(DType::i64, shape));
}

void NpyRowWriter::append(std::span<const std::int64_t> rows)
{
    if (m_columns > 0)
        m_rows += static_cast<std::int64_t>(rows.size()) / m_columns;
    if (!m_waiting)
        m_file.write(std::as_bytes(rows));
    else if (std::fwrite(rows.data(), sizeof(std::int64_t), rows.size(), m_waiting.get()) != rows.size())
        throw Error("the temporary file for the coordinates is full: free some space, or write to a plain file");
}

void NpyRowWriter::finish()
{
    const std::int64_t shape[] = {m_rows, m_columns};
    const auto header = npyHeader(DType::i64, shape);
    if (!m_waiting) {
        m_file.rewrite(0, std::as_bytes(std::span(header)));
        m_file.commit();
        return;
    }
    m_file.write(header);
    std::rewind(m_waiting.get());
    std::vector<std::byte> block(std::size_t{1} << 20);
    while (const auto count = std::fread(block.data(), 1, block.size(), m_waiting.get()))
        m_file.write(std::span(block).first(count));
    m_file.commit();
}

} // namespace core::io
