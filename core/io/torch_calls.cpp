// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torch_calls.h"

#include "core/io/names.h"

#include <fmt/format.h>

namespace core::io {

namespace {

/// Wrappers around wrappers; real files have two.
constexpr int deepestWrapping = 16;

} // namespace

bool TorchCall::isRebuildOf(std::string_view name) const
{
    constexpr std::string_view prefix = "torch._utils.";
    return function.starts_with(prefix) && function.substr(prefix.size()) == name;
}

bool TorchCall::isDense() const
{
    return isRebuildOf("_rebuild_tensor") || isRebuildOf("_rebuild_tensor_v2") || isRebuildOf("_rebuild_tensor_v3");
}

PickleValue argument(std::span<const PickleValue> values, std::size_t index)
{
    return index < values.size() ? values[index] : PickleValue();
}

std::optional<std::vector<std::int64_t>> integersOf(const PickleValue& value)
{
    // torch.Size is a call with one tuple.
    if (value.is(PickleKind::call) && value.callable() == "torch.Size")
        return value.arguments().size() == 1 && value.arguments()[0].hasNode() && !value.arguments()[0].is(PickleKind::call)
                   ? integersOf(value.arguments()[0])
                   : std::nullopt;
    if (!value.is(PickleKind::tuple) && !value.is(PickleKind::list))
        return std::nullopt;
    std::vector<std::int64_t> numbers;
    numbers.reserve(value.items().size());
    for (const PickleValue& item : value.items()) {
        const auto number = item.integer();
        if (!number)
            return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

TorchCall unwrapCall(const PickleValue& value)
{
    TorchCall call{value.callable(), value.arguments(), EntryKind::tensor, {}};
    for (int depth = 0; depth < deepestWrapping; ++depth) {
        PickleValue inner;
        if (call.isRebuildOf("_rebuild_parameter") || call.isRebuildOf("_rebuild_parameter_with_state")) {
            call.kind = EntryKind::parameter;
            if (argument(call.arguments, 1).isTrue())
                call.notes.emplace_back("requires grad");
            inner = argument(call.arguments, 0);
        } else if (call.function == "torch._tensor._rebuild_from_type_v2") {
            const PickleValue type = argument(call.arguments, 1);
            if (type.text() == "torch.nn.parameter.Parameter")
                call.kind = EntryKind::parameter;
            else if (type.text() != "torch.Tensor")
                call.notes.push_back(fmt::format("of type {}", repairUtf8(type.text())));
            call.function = argument(call.arguments, 0).text();
            call.arguments = argument(call.arguments, 2).items();
            continue;
        } else if (call.isRebuildOf("_rebuild_device_tensor_from_cpu_tensor")) {
            call.notes.push_back(fmt::format("saved on {}", repairUtf8(argument(call.arguments, 2).text())));
            inner = argument(call.arguments, 0);
        } else {
            return call;
        }
        call.function = inner.callable();
        call.arguments = inner.arguments();
    }
    return {};
}

} // namespace core::io
