// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/io/pickle_value.h"
#include "core/io/quantized.h"
#include "core/io/strided_source.h"
#include "core/io/torch_names.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

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

/// Turns the calls that PyTorch pickles for tensors (torch/_utils.py, torch/_tensor.py) into entries, without calling anything.
class TorchRebuilder
{
public:
    /// Finds the record of a storage key; throws Error when there is none.
    using FindRecord = std::function<StorageRecord(std::string_view key)>;

    /// `file` begins messages; what an entry unpacks or converts may take `budgetBytes`.
    TorchRebuilder(std::string file, FindRecord find, std::int64_t budgetBytes)
        : m_file(std::move(file)), m_find(std::move(find)), m_budgetBytes(budgetBytes)
    {
    }

    /// The entry (without name and path) of a value that is a tensor of any layout or a storage; an `object` entry for one
    /// whose data cannot be shown (meta tensors, unsupported dtypes); nothing for other values. Throws Error for a tensor that
    /// does not fit its storage; Cancelled. The entry will follow those of `others`, one of which may share its storage.
    std::optional<Entry> entryOf(const PickleValue& value, const std::vector<Entry>& others);

private:
    /// A tensor's call with wrappers (Parameter, subclass) taken off.
    struct Call
    {
        std::string_view function;
        std::span<const PickleValue> arguments;
        EntryKind kind = EntryKind::tensor;
        std::vector<std::string> notes;
    };
    /// A tensor that was understood: where its elements are and what else is known.
    struct Dense
    {
        StridedSource source;
        std::optional<TorchType> type;
        std::string_view key;
        std::string location;
        bool requiresGrad = false;
        std::string unsupported;
    };

    Call unwrap(const PickleValue& value) const;
    TorchStorage storageOf(const PickleValue& value);
    Dense denseOf(const Call& call);
    std::optional<Entry> denseEntry(Call& call, const std::vector<Entry>& others);
    std::optional<Entry> quantizedEntry(Call& call, const std::vector<Entry>& others);
    std::optional<Entry> sparseEntry(Call& call);
    Entry metaEntry(const Call& call) const;
    Entry storageEntry(const PickleValue& value, const std::vector<Entry>& others);
    Quantizer quantizerOf(const PickleValue& parameters, const Dense& dense);
    std::vector<double> numbersOf(const PickleValue& value);
    StridedSource partOf(const PickleValue& value);
    void addNotes(Entry& entry, const Dense& dense, const std::vector<Entry>& others);
    [[noreturn]] void fail(const std::string& what) const;

    std::string m_file;
    FindRecord m_find;
    std::int64_t m_budgetBytes;
    /// Position of the first entry that uses a storage.
    std::unordered_map<std::string_view, std::uint32_t> m_firstUser;
};

/// A list or tuple of integers (torch.Size too); nothing when it holds anything else.
std::optional<std::vector<std::int64_t>> integersOf(const PickleValue& value);

} // namespace core::io
