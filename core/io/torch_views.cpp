// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torch_views.h"

#include "core/io/names.h"

#include <fmt/format.h>

namespace core::io {

namespace {

/// Whether a tensor's metadata dict sets one of PyTorch's lazy bits ("conj", "neg").
bool hasBit(const PickleValue& metadata, std::string_view name)
{
    const auto items = metadata.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        if (items[i].isText() && items[i].text() == name)
            return items[i + 1].isTrue();
    return false;
}

} // namespace

void TorchViews::fail(const std::string& what) const
{
    throw Error(fmt::format("{}: {}; the file is damaged or not from PyTorch, save it again", m_file, what));
}

TorchStorage TorchViews::storageOf(const PickleValue& value) const
{
    if (!value.is(PickleKind::persistent) || value.items().size() != 1)
        fail("a tensor without a storage");
    const auto id = value.items()[0].items();
    const auto type = storageType(argument(id, 1).text());
    const auto count = argument(id, 4).integer();
    if (argument(id, 0).text() != "storage" || !type || !argument(id, 2).isText() || !count || *count < 0)
        fail("a storage that is not named as PyTorch names it");
    TorchStorage storage{*type, m_find(argument(id, 2).text()), 0,
                         0,     argument(id, 2).text(),         repairUtf8(argument(id, 3).text())};
    const std::int64_t size = type->dtype ? itemSize(*type->dtype) : 1;
    if (*count > INT64_MAX / size)
        fail(
            fmt::format("storage {} declares {} elements, more than any machine can address", repairUtf8(storage.key), *count));
    storage.bytes = *count * size;
    if (static_cast<std::uint64_t>(storage.bytes) > storage.record.bytes)
        throw Error(
            fmt::format("{} holds {} bytes, but {} are declared: the file is cut off or damaged, fetch or save it again",
                        storage.record.subject(), storage.record.bytes, storage.bytes));
    if (argument(id, 5).is(PickleKind::tuple)) {
        // Legacy files: (key, offset, size) of a part of the storage, in elements.
        const auto parts = argument(id, 5).items();
        const auto offset = argument(parts, 1).integer();
        const auto length = argument(parts, 2).integer();
        if (!offset || !length || *offset < 0 || *length < 0 || *offset > *count || *length > *count - *offset)
            fail(fmt::format("a view outside storage {}", repairUtf8(storage.key)));
        storage.byteOffset = *offset * size;
        storage.bytes = *length * size;
    }
    return storage;
}

TorchView TorchViews::rowOf(const TorchStorage& storage) const
{
    TorchView view;
    view.source = {*storage.type.dtype, {}, {1}, storage.byteOffset, storage.record, false, false, m_budgetBytes};
    view.source.shape = {storage.bytes / itemSize(view.source.dtype)};
    view.key = storage.key;
    view.location = storage.location;
    view.source.check(storage.byteOffset + storage.bytes);
    return view;
}

TorchView TorchViews::viewOf(const TorchCall& call) const
{
    const bool isV3 = call.isRebuildOf("_rebuild_tensor_v3");
    const auto offset = argument(call.arguments, 1).integer();
    auto shape = integersOf(argument(call.arguments, 2));
    auto strides = integersOf(argument(call.arguments, 3));
    if (!offset || !shape || !strides)
        fail("a tensor whose shape, strides or offset are no integers");
    const TorchStorage storage = storageOf(argument(call.arguments, 0));
    TorchView view;
    view.type = storage.type;
    if (isV3)
        view.type = dtypeGlobal(argument(call.arguments, 6).text());
    view.key = storage.key;
    view.location = storage.location;
    view.source = {{}, std::move(*shape), std::move(*strides), 0, storage.record, false, false, m_budgetBytes};
    if (!view.type || !view.type->dtype) {
        const std::string_view name = argument(call.arguments, 6).text();
        view.unsupported = repairUtf8(isV3 ? name : argument(argument(call.arguments, 0).items()[0].items(), 1).text());
        return view;
    }
    view.source.dtype = *view.type->dtype;
    const PickleValue metadata = argument(call.arguments, isV3 ? 7 : 6);
    view.source.isConjugate = hasBit(metadata, "conj") && isComplex(view.source.dtype);
    view.source.isNegative = hasBit(metadata, "neg");
    view.requiresGrad = argument(call.arguments, call.isRebuildOf("_rebuild_qtensor") ? 5 : 4).isTrue();
    const __int128 first = static_cast<__int128>(*offset) * itemSize(view.source.dtype) + storage.byteOffset;
    if (*offset < 0 || first > INT64_MAX)
        fail(fmt::format("a tensor that begins at element {} of storage {}", *offset, repairUtf8(storage.key)));
    view.source.byteOffset = static_cast<std::int64_t>(first);
    view.source.check(storage.byteOffset + storage.bytes);
    return view;
}

StridedSource TorchViews::partOf(const PickleValue& value) const
{
    const TorchCall call = unwrapCall(value);
    if (!call.isDense())
        fail("a tensor whose parts are no plain tensors");
    TorchView view = viewOf(call);
    if (!view.unsupported.empty())
        fail(fmt::format("a tensor with parts of dtype {}, which is not supported", view.unsupported));
    return std::move(view.source);
}

} // namespace core::io
