// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/byte_view.h"
#include "core/progress.h"
#include "core/tensor.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace core::io {

struct StorageRecord;

/// What the records of a file have in common: where their bytes come from.
struct RecordSource
{
    ByteOrder order = ByteOrder::little;
    /// Begins messages: "x.pt: member x/data/0".
    std::function<std::string(const StorageRecord&)> subject;
    /// Gives exactly the record's bytes: mapped, or unpacked anew at each call. Throws Error, Cancelled.
    std::function<Storage(const StorageRecord&, const Job&)> load;
    /// The warning to show when a checksum does not match; empty where the file has none.
    std::function<std::optional<std::string>(const StorageRecord&, const Job&)> verify;
};

/// Bytes of a file that tensors share: a member of an archive, a piece of a legacy file, a bytes object of a pickle. Small and
/// copied freely: a checkpoint may have a hundred thousand.
struct StorageRecord
{
    std::shared_ptr<const RecordSource> source;
    std::uint64_t bytes = 0;
    /// What the source knows it by: the number of a member, an offset.
    std::uint64_t place = 0;

    std::string subject() const { return source->subject(*this); }
    ByteOrder order() const { return source->order; }
    Storage load(const Job& job) const { return source->load(*this, job); }
    std::optional<std::string> verify(const Job& job) const
    {
        return source->verify ? source->verify(*this, job) : std::nullopt;
    }
};

/// Lowest and one past the highest byte of a storage that a view reaches; both 0 without elements.
struct ByteRange
{
    std::int64_t first = 0;
    std::int64_t end = 0;
};

/// A strided view on a record, not loaded yet.
struct StridedSource
{
    DType dtype = DType::f32;
    Shape shape;
    Strides strides;
    std::int64_t byteOffset = 0;
    StorageRecord record;
    /// The values are the complex conjugates (the negatives) of those stored, as PyTorch's lazy views say.
    bool isConjugate = false;
    bool isNegative = false;
    /// What a converted copy may take.
    std::int64_t budgetBytes = 0;

    /// Throws Error (the record's subject) unless rank, product and every reachable byte are possible and inside `storageBytes`
    /// (at most the record's bytes).
    void check(std::int64_t storageBytes) const;
    /// Elements x item size.
    std::int64_t bytes() const;
    /// The tensor: the record's own bytes where they can be used as they are; a converted copy of the part that the view
    /// reaches (same strides) where byte order, conjugation or sign differ. Needs a passed check(). Throws Error, Cancelled.
    Tensor load(const Job& job) const;

private:
    ByteRange reach() const;
    bool needsCopy() const;
};

} // namespace core::io
