// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/io/torch_views.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core::io {

/// Turns the calls that PyTorch pickles for tensors into entries, without calling anything.
class TorchRebuilder
{
public:
    using FindRecord = TorchViews::FindRecord;

    /// As TorchViews.
    TorchRebuilder(std::string file, FindRecord find, std::int64_t budgetBytes)
        : m_views(std::move(file), std::move(find), budgetBytes)
    {
    }

    /// The entry (without name and path) of a value that is a tensor of any layout or a storage; an `object` entry for one
    /// whose data cannot be shown (meta tensors, unsupported dtypes); nothing for other values. Throws Error for a tensor that
    /// does not fit its storage; Cancelled. The entry will follow those of `others`, one of which may share its storage.
    std::optional<Entry> entryOf(const PickleValue& value, const std::vector<Entry>& others);

private:
    std::optional<Entry> denseEntry(TorchCall& call, const std::vector<Entry>& others);
    std::optional<Entry> quantizedEntry(TorchCall& call, const std::vector<Entry>& others);
    std::optional<Entry> sparseEntry(TorchCall& call);
    Entry metaEntry(const TorchCall& call) const;
    Entry storageEntry(const PickleValue& value, const std::vector<Entry>& others);
    void addNotes(Entry& entry, const TorchView& view, const std::vector<Entry>& others);

    TorchViews m_views;
    /// Position of the first entry that uses a storage.
    std::unordered_map<std::string_view, std::uint32_t> m_firstUser;
};

} // namespace core::io
