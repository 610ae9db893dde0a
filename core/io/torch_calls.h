// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/io/pickle_value.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core::io {

/// A call that PyTorch pickles for a tensor (torch/_utils.py, torch/_tensor.py), with wrappers (Parameter, subclass) taken off.
struct TorchCall
{
    std::string_view function;
    std::span<const PickleValue> arguments;
    EntryKind kind = EntryKind::tensor;
    std::vector<std::string> notes;

    /// Whether it is torch._utils.NAME.
    bool isRebuildOf(std::string_view name) const;
    /// Whether it makes a plain strided tensor.
    bool isDense() const;
};
/// Of any value; without a function when it is no call.
TorchCall unwrapCall(const PickleValue& value);

/// The argument at `index`, or None when there are fewer.
PickleValue argument(std::span<const PickleValue> values, std::size_t index);

/// A list or tuple of integers (torch.Size too); nothing when it holds anything else.
std::optional<std::vector<std::int64_t>> integersOf(const PickleValue& value);

} // namespace core::io
