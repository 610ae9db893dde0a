// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sparse_check.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace core::io {

namespace {

constexpr std::int64_t elementsBetweenChecks = std::int64_t{1} << 16;

[[noreturn]] void fail(const std::string& subject, const std::string& what)
{
    throw Error(fmt::format("{}: its sparse indices are wrong: {}; the file is damaged, save it again", subject, what));
}

/// Calls `use(position, index)` for every element of a rank-1 tensor of integers.
template <class Use>
void forEachIndex(const Tensor& tensor, const Job& job, Use use)
{
    const bool isWide = tensor.dtype() == DType::i64;
    const std::int64_t step = tensor.strides()[0] * itemSize(tensor.dtype());
    const std::byte* at = tensor.data();
    for (std::int64_t i = 0; i < tensor.elements(); ++i, at += step) {
        if (i % elementsBetweenChecks == 0)
            job.check();
        std::int64_t wide = 0;
        std::int32_t narrow = 0;
        if (isWide)
            std::memcpy(&wide, at, sizeof wide);
        else
            std::memcpy(&narrow, at, sizeof narrow);
        use(i, isWide ? wide : std::int64_t{narrow});
    }
}

void checkIsIndex(const Tensor& tensor, int rank, const std::string& subject)
{
    if (tensor.rank() != rank || (tensor.dtype() != DType::i64 && tensor.dtype() != DType::i32))
        fail(subject, fmt::format("{} {} where {} axes of int64 or int32 belong", dtypeName(tensor.dtype()),
                                  shapeText(tensor.shape()), rank));
    // An expanded view could claim more indices than could ever be walked.
    if (static_cast<std::uint64_t>(tensor.bytes()) > tensor.storage().bytes.size())
        fail(subject, fmt::format("{} indices in a storage of {} bytes", tensor.elements(), tensor.storage().bytes.size()));
}

void checkRange(const Tensor& indices, std::int64_t limit, const std::string& subject, const Job& job)
{
    forEachIndex(indices, job, [&](std::int64_t at, std::int64_t index) {
        if (index < 0 || index >= limit)
            fail(subject, fmt::format("index {} at position {} lies outside 0 to {}", index, at, limit - 1));
    });
}

void checkCoo(const SparseTensor& tensor, const std::string& subject, const Job& job)
{
    checkIsIndex(tensor.indices, 2, subject);
    const auto& values = tensor.values.shape();
    const auto sparseDims = static_cast<std::size_t>(tensor.indices.shape()[0]);
    const bool fits =
        !values.empty() && values[0] == tensor.indices.shape()[1] && sparseDims <= tensor.shape.size() &&
        values.size() - 1 == tensor.shape.size() - sparseDims &&
        std::equal(values.begin() + 1, values.end(), tensor.shape.begin() + static_cast<std::ptrdiff_t>(sparseDims));
    if (!fits)
        fail(subject, fmt::format("indices {} and values {} do not make the shape {}", shapeText(tensor.indices.shape()),
                                  shapeText(values), shapeText(tensor.shape)));
    for (std::size_t axis = 0; axis < sparseDims; ++axis)
        checkRange(tensor.indices.select(0, static_cast<std::int64_t>(axis)), tensor.shape[axis], subject, job);
}

void checkPointers(const Tensor& pointers, std::int64_t stored, const std::string& subject, const Job& job)
{
    std::int64_t last = 0;
    forEachIndex(pointers, job, [&](std::int64_t at, std::int64_t pointer) {
        if (pointer < last || pointer > stored || (at == 0 && pointer != 0))
            fail(subject, fmt::format("pointer {} at position {} (of {} stored)", pointer, at, stored));
        last = pointer;
    });
    if (last != stored)
        fail(subject, fmt::format("the pointers end with {}, not with the {} stored", last, stored));
}

void checkCompressed(const SparseTensor& tensor, const std::string& subject, const Job& job)
{
    checkIsIndex(tensor.indices, 1, subject);
    checkIsIndex(tensor.plainIndices, 1, subject);
    const bool isBlocked = tensor.kind == StorageKind::bsr || tensor.kind == StorageKind::bsc;
    const bool isByColumn = tensor.kind == StorageKind::csc || tensor.kind == StorageKind::bsc;
    const auto& values = tensor.values.shape();
    if (tensor.shape.size() != 2 || values.size() != (isBlocked ? 3U : 1U) || values[0] != tensor.plainIndices.shape()[0])
        fail(subject, fmt::format("indices {} and values {} do not make the shape {}", shapeText(tensor.plainIndices.shape()),
                                  shapeText(values), shapeText(tensor.shape)));
    std::int64_t extents[] = {tensor.shape[0], tensor.shape[1]};
    for (std::size_t axis = 0; isBlocked && axis < 2; ++axis) {
        const std::int64_t block = values[axis + 1];
        if (block <= 0 || extents[axis] % block != 0)
            fail(subject, fmt::format("blocks of {} do not fill {} elements", block, extents[axis]));
        extents[axis] /= block;
    }
    const std::int64_t compressed = extents[isByColumn ? 1 : 0];
    if (tensor.indices.shape()[0] - 1 != compressed)
        fail(subject, fmt::format("{} pointers for {} rows or columns", tensor.indices.shape()[0], compressed));
    checkPointers(tensor.indices, values[0], subject, job);
    checkRange(tensor.plainIndices, extents[isByColumn ? 0 : 1], subject, job);
}

} // namespace

void checkSparse(const SparseTensor& tensor, const std::string& subject, const Job& job)
{
    if (tensor.kind == StorageKind::coo)
        checkCoo(tensor, subject, job);
    else
        checkCompressed(tensor, subject, job);
}

} // namespace core::io
