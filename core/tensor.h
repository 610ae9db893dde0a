// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/dtype.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace core {

class MappedFile;

/// Extents of each axis; empty for a 0-d tensor. Every extent is >= 0.
using Shape = std::vector<std::int64_t>;
/// Step between neighbours along each axis, in elements (as PyTorch counts them); may be 0 or negative.
using Strides = std::vector<std::int64_t>;

/// The largest rank that any tensor may have (PyTorch's own limit).
inline constexpr std::size_t maxRank = 64;

/// Number of elements of a shape. Throws Error when the product passes 2^63 - 1.
std::int64_t elementCount(std::span<const std::int64_t> shape);
/// a * b for byte and element counts. Throws Error on overflow or a negative factor: the one checked product of all readers.
std::int64_t checkedProduct(std::int64_t a, std::int64_t b);
/// Row-major strides of a shape (extents of 0 count as 1).
Strides contiguousStrides(std::span<const std::int64_t> shape);
/// "[8, 256, 112, 112]"; "[]" for a 0-d tensor.
std::string shapeText(std::span<const std::int64_t> shape);

/// Bytes that tensors share: a memory-mapped file, a vector, a capture arena. Immutable; copying shares.
struct Storage
{
    std::span<const std::byte> bytes;
    /// Keeps `bytes` alive.
    std::shared_ptr<const void> owner;
    /// The file that `bytes` is mapped from, or null for memory.
    std::shared_ptr<const MappedFile> file;

    /// Takes a buffer over.
    static Storage fromVector(std::vector<std::byte> bytes);
    /// Throws Error when the mapped file shrank or changed under us. Cheap (one fstat); call before and after a scan.
    void verify() const;
};

/// An immutable n-dimensional view on shared storage that keeps the file's own dtype.
class Tensor
{
public:
    /// An empty float32 tensor of shape [0].
    Tensor();
    /// A view that starts at byte `byteOffset` of the storage. Throws Error when rank, product or span is out of bounds:
    /// every element that shape and strides can reach lies inside the storage.
    Tensor(DType dtype, Shape shape, Strides strides, Storage storage, std::int64_t byteOffset = 0);
    /// A contiguous tensor over a storage.
    static Tensor contiguous(DType dtype, Shape shape, Storage storage, std::int64_t byteOffset = 0);
    /// A contiguous tensor that owns a copy of `values` (T must be the C++ type of `dtype`, see dtype.h).
    template <class T>
    static Tensor fromValues(DType dtype, Shape shape, const std::vector<T>& values)
    {
        const auto* first = reinterpret_cast<const std::byte*>(values.data());
        return contiguous(dtype, std::move(shape),
                          Storage::fromVector(std::vector<std::byte>(first, first + values.size() * sizeof(T))));
    }

    DType dtype() const { return m_dtype; }
    const Shape& shape() const { return m_shape; }
    const Strides& strides() const { return m_strides; }
    int rank() const { return static_cast<int>(m_shape.size()); }
    std::int64_t elements() const { return m_elements; }
    /// Elements x item size: what a dense copy takes, not what the storage holds.
    std::int64_t bytes() const { return m_elements * itemSize(m_dtype); }
    bool isContiguous() const;
    const Storage& storage() const { return m_storage; }
    std::int64_t byteOffset() const { return m_byteOffset; }
    /// Address of the element with all indices 0. May be unaligned for its dtype: copy with memcpy.
    const std::byte* data() const { return m_storage.bytes.data() + m_byteOffset; }
    /// A view with axis `axis` held at `index` (rank one less).
    Tensor select(int axis, std::int64_t index) const;
    /// A view of every step-th index along an axis, from the first.
    Tensor stepped(int axis, std::int64_t step) const;
    /// Copies the elements to memory of bytes() bytes, row-major.
    void copyTo(std::byte* to) const;
    /// The same elements, row-major and aligned to 64 bytes; shares the storage when it is so already.
    Tensor toContiguous() const;

private:
    DType m_dtype;
    Shape m_shape;
    Strides m_strides;
    Storage m_storage;
    std::int64_t m_byteOffset = 0;
    std::int64_t m_elements = 0;
};

/// How elements are kept: `strided` is a Tensor, the others a SparseTensor.
enum class StorageKind { strided, coo, csr, csc, bsr, bsc };
/// PyTorch's word without the prefix: "strided", "coo", ...
std::string_view storageKindName(StorageKind kind);

/// A sparse tensor as its file keeps it; never densified. Indices are checked against the shape by whoever makes one.
struct SparseTensor
{
    StorageKind kind = StorageKind::coo;
    Shape shape;
    /// COO: integer [sparseDims, stored]. Compressed kinds: the compressed pointers (crow or ccol), int32 or int64.
    Tensor indices;
    /// Compressed kinds: the plain indices (col or row). Unused for COO.
    Tensor plainIndices;
    /// COO: [stored, dense dims...]; CSR, CSC: [stored]; BSR, BSC: [stored blocks, block rows, block columns].
    Tensor values;
    /// COO only: sorted and free of duplicates, as the file claims (engines do not rely on it).
    bool coalesced = false;

    DType dtype() const { return values.dtype(); }
    /// Number of scalar values that the file holds.
    std::int64_t stored() const { return values.elements(); }
};

/// What an entry of a document holds once loaded.
using Content = std::variant<Tensor, SparseTensor>;

} // namespace core
