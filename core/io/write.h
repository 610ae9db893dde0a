// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.h"
#include "core/tensor.h"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core::io {

/// A pipe whose reader has gone: it has had all that it wanted. Commands end quietly then.
class ReaderGone : public Error
{
public:
    using Error::Error;
};

/// Writes a file so that a reader sees the old file or the whole new one, whatever happens: bytes go to `.NAME.XXXXXX` beside
/// it and are renamed over it by commit(). Without commit the temporary file is removed. A pipe or device is written directly,
/// and so is a descriptor that the program was given (/dev/stdout, /dev/fd/N). Links are followed; the permissions (and, where
/// allowed, the owner) of a file that is replaced are kept.
class AtomicFile
{
public:
    /// Throws Error (path, reason).
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Appends. Throws Error (disk full, ...).
    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    /// Overwrites bytes already written, at an offset from the start (regular files only; Error for a pipe).
    void rewrite(std::int64_t offset, std::span<const std::byte> bytes);
    /// True for a pipe or device, where rewrite() is impossible.
    bool isStream() const { return m_temporary.empty(); }
    /// Flushes, fsyncs and renames. Throws Error.
    void commit();

private:
    void flush();
    void writeAll(std::span<const std::byte> bytes);
    void openTemporary();
    [[noreturn]] void fail(int error) const;

    std::filesystem::path m_path;
    std::filesystem::path m_target;
    std::filesystem::path m_temporary;
    int m_descriptor = -1;
    std::vector<std::byte> m_buffer;
    bool m_committed = false;
};

/// NumPy's header (version 1.0, padded to 64 bytes as numpy.save does) for a C-ordered array; bfloat16 and 8-bit floats have
/// none.
std::string npyHeader(DType dtype, std::span<const std::int64_t> shape);
/// Writes a tensor as .npy; bfloat16 and 8-bit floats are widened to float32. Atomic.
void writeNpy(const std::filesystem::path& path, const Tensor& tensor);
/// Writes named tensors as an uncompressed .npz (Zip64 where needed). Atomic.
void writeNpz(const std::filesystem::path& path, const std::vector<std::pair<std::string, Tensor>>& tensors);

/// Writes named tensors as .safetensors; wider elements first, so that each lies at a multiple of its size. Atomic. Throws
/// Error for complex128, which the format lacks, and for a name given twice.
void writeSafetensors(const std::filesystem::path& path, const std::vector<std::pair<std::string, Tensor>>& tensors);

using ByteSink = std::function<void(std::span<const std::byte>)>;
/// An array of an .npz whose elements are produced piece by piece.
struct NpzMember
{
    std::string name;
    /// As NumPy can keep it: not bfloat16, not an 8-bit float.
    DType dtype = DType::f32;
    Shape shape;
    /// Hands over all elements, row-major. Called twice (the checksum stands before the data) and gives the same both times.
    std::function<void(const ByteSink&)> produce;
};
/// Writes arrays as an uncompressed .npz without holding them. Atomic. Throws Error, and what `produce` throws.
void writeNpzMembers(const std::filesystem::path& path, const std::vector<NpzMember>& members);

/// Streams an .npy of int64 [rows, columns] whose count of rows is known only at the end. For a pipe the rows wait in an
/// unnamed temporary file until then.
class NpyRowWriter
{
public:
    NpyRowWriter(std::filesystem::path path, int columns);
    /// Appends whole rows, row-major.
    void append(std::span<const std::int64_t> rows);
    /// Counts rows that have no columns (coordinates of a tensor without axes).
    void appendEmpty(std::int64_t rows) { m_rows += rows; }
    std::int64_t rows() const { return m_rows; }
    /// Writes the header with the final count and commits.
    void finish();

private:
    AtomicFile m_file;
    /// Rows on their way to a pipe.
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> m_waiting;
    int m_columns;
    std::int64_t m_rows = 0;
};

} // namespace core::io
