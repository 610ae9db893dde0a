// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/strided_source.h"
#include "core/io/torch_calls.h"
#include "core/io/torch_names.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace core::io {

/// A storage that a pickle refers to.
struct TorchStorage
{
    TorchType type;
    StorageRecord record;
    /// Where it begins in the record (legacy views), and its bytes.
    std::int64_t byteOffset = 0;
    std::int64_t bytes = 0;
    /// Valid as long as the pickle.
    std::string_view key;
    std::string location;
};

/// A strided tensor that was understood: where its elements are and what else is known.
struct TorchView
{
    StridedSource source;
    std::optional<TorchType> type;
    std::string_view key;
    std::string location;
    bool requiresGrad = false;
    /// The name of a dtype that cannot be shown; the source has a shape only then.
    std::string unsupported;
};

/// Finds what the tensors of one file refer to, and checks that they lie inside it. Every call throws Error for a tensor or
/// storage that does not fit.
class TorchViews
{
public:
    /// Finds the record of a storage key; throws Error when there is none.
    using FindRecord = std::function<StorageRecord(std::string_view key)>;

    /// `file` begins messages; what an entry unpacks or converts may take `budgetBytes`.
    TorchViews(std::string file, FindRecord find, std::int64_t budgetBytes)
        : m_file(std::move(file)), m_find(std::move(find)), m_budgetBytes(budgetBytes)
    {
    }

    /// The storage of a persistent id.
    TorchStorage storageOf(const PickleValue& value) const;
    /// All of a storage as one row, which must have a dtype.
    TorchView rowOf(const TorchStorage& storage) const;
    /// The tensor of a call that isDense() or makes a quantized one.
    TorchView viewOf(const TorchCall& call) const;
    /// A part of a sparse or quantized tensor: a dense tensor of a known dtype.
    StridedSource partOf(const PickleValue& value) const;
    /// "FILE: WHAT; the file is damaged ...".
    [[noreturn]] void fail(const std::string& what) const;

private:
    std::string m_file;
    FindRecord m_find;
    std::int64_t m_budgetBytes;
};

} // namespace core::io
