// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torch_rebuild.h"

#include "core/io/names.h"
#include "core/io/sparse_check.h"
#include "core/io/torch_quantizer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace core::io {

namespace {

bool isCountable(const Shape& shape)
{
    try {
        checkedProduct(elementCount(shape), itemSize(DType::c128));
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::function<std::optional<std::string>(const Job&)> verifierOf(std::vector<StorageRecord> records)
{
    return [records = std::move(records)](const Job& job) -> std::optional<std::string> {
        for (const auto& record : records)
            if (auto warning = record.verify(job))
                return warning;
        return std::nullopt;
    };
}

} // namespace

void TorchRebuilder::addNotes(Entry& entry, const TorchView& view, const std::vector<Entry>& others)
{
    constexpr std::string_view gradNote = "requires grad";
    if (view.requiresGrad && std::find(entry.notes.begin(), entry.notes.end(), gradNote) == entry.notes.end())
        entry.notes.emplace_back(gradNote);
    if (!view.location.empty() && view.location != "cpu")
        entry.notes.push_back(fmt::format("saved on {}", view.location));
    if (view.source.isConjugate)
        entry.notes.emplace_back("conjugate view");
    if (view.source.isNegative)
        entry.notes.emplace_back("negative view");
    if (view.source.record.order() == ByteOrder::big)
        entry.notes.emplace_back("big-endian");
    const auto [user, isFirst] = m_firstUser.try_emplace(view.key, static_cast<std::uint32_t>(others.size()));
    if (!isFirst)
        entry.notes.push_back(fmt::format("shares its storage with {}", others[user->second].name));
}

std::optional<Entry> TorchRebuilder::denseEntry(TorchCall& call, const std::vector<Entry>& others)
{
    TorchView view = m_views.viewOf(call);
    Entry entry;
    entry.kind = call.kind;
    entry.notes = std::move(call.notes);
    if (!view.unsupported.empty()) {
        entry.kind = EntryKind::object;
        entry.type = "torch.Tensor";
        entry.notes.push_back(
            fmt::format("{} {} cannot be shown: the dtype is not supported", view.unsupported, shapeText(view.source.shape)));
        return entry;
    }
    entry.dtype = view.source.dtype;
    entry.shape = view.source.shape;
    entry.strides = view.source.strides;
    entry.bytes = view.source.bytes();
    addNotes(entry, view, others);
    entry.verify = [record = view.source.record](const Job& job) { return record.verify(job); };
    entry.load = [source = std::move(view.source)](const Job& job) -> Content { return source.load(job); };
    return entry;
}

std::optional<Entry> TorchRebuilder::quantizedEntry(TorchCall& call, const std::vector<Entry>& others)
{
    TorchView view = m_views.viewOf(call);
    if (!view.unsupported.empty())
        return denseEntry(call, others);
    if (!view.type->quantized)
        m_views.fail("a quantized tensor over a storage that is none");
    Quantizer quantizer = quantizerOf(argument(call.arguments, 4), view, m_views);
    if (!isCountable(view.source.shape))
        m_views.fail("a quantized tensor with more elements than can be counted");
    Entry entry;
    entry.kind = call.kind;
    entry.notes = std::move(call.notes);
    entry.notes.push_back(quantizer.note());
    entry.dtype = DType::f32;
    entry.shape = view.source.shape;
    entry.strides = contiguousStrides(entry.shape);
    entry.bytes = checkedProduct(elementCount(entry.shape), itemSize(DType::f32));
    addNotes(entry, view, others);
    entry.verify = [record = view.source.record](const Job& job) { return record.verify(job); };
    entry.load = [source = std::move(view.source), quantizer = std::move(quantizer)](const Job& job) -> Content {
        return dequantize(source, quantizer, job);
    };
    return entry;
}

std::optional<Entry> TorchRebuilder::sparseEntry(TorchCall& call)
{
    const PickleValue layout = argument(call.arguments, 0);
    const PickleValue layoutName = argument(layout.arguments(), 0);
    const auto kind = layout.integer() ? sparseLayout(*layout.integer()) : sparseLayout(layoutName.text());
    const auto data = argument(call.arguments, 1).items();
    if (!kind)
        m_views.fail(fmt::format("a sparse tensor of layout {}", repairUtf8(layoutName.text())));
    const bool isCoo = *kind == StorageKind::coo;
    auto shape = integersOf(argument(data, isCoo ? 2 : 3));
    if (!shape || shape->size() > maxRank || std::any_of(shape->begin(), shape->end(), [](auto extent) { return extent < 0; }))
        m_views.fail("a sparse tensor without a shape");
    if (!isCountable(*shape))
        m_views.fail(fmt::format("a sparse tensor of shape {}, more elements than can be counted", shapeText(*shape)));
    StridedSource indices = m_views.partOf(argument(data, 0));
    StridedSource plain = isCoo ? StridedSource{} : m_views.partOf(argument(data, 1));
    StridedSource values = m_views.partOf(argument(data, isCoo ? 1 : 2));
    const bool isCoalesced = isCoo && argument(data, 3).isTrue();
    Entry entry;
    entry.kind = call.kind;
    entry.notes = std::move(call.notes);
    entry.dtype = values.dtype;
    entry.shape = *shape;
    entry.storage = *kind;
    entry.stored = elementCount(values.shape);
    entry.bytes = indices.bytes() + values.bytes() + (isCoo ? 0 : plain.bytes());
    if (isCoo && !isCoalesced)
        entry.notes.emplace_back("not coalesced: repeated indices are summed");
    std::vector<StorageRecord> records{indices.record, values.record};
    if (!isCoo)
        records.push_back(plain.record);
    entry.verify = verifierOf(std::move(records));
    entry.load = [=, shape = std::move(*shape), kind = *kind](const Job& job) -> Content {
        SparseTensor tensor;
        tensor.kind = kind;
        tensor.shape = shape;
        tensor.indices = indices.load(job);
        if (!isCoo)
            tensor.plainIndices = plain.load(job);
        tensor.values = values.load(job);
        tensor.coalesced = isCoalesced;
        checkSparse(tensor, indices.record.subject(), job);
        return tensor;
    };
    return entry;
}

Entry TorchRebuilder::metaEntry(const TorchCall& call) const
{
    const auto shape = integersOf(argument(call.arguments, 1));
    Entry entry;
    entry.kind = EntryKind::object;
    entry.type = "torch.Tensor";
    entry.notes.push_back(fmt::format("meta tensor {} {}: the file holds no data for it",
                                      repairUtf8(argument(call.arguments, 0).text()),
                                      shapeText(shape ? *shape : std::vector<std::int64_t>{})));
    return entry;
}

Entry TorchRebuilder::storageEntry(const PickleValue& value, const std::vector<Entry>& others)
{
    const TorchStorage storage = m_views.storageOf(value);
    Entry entry;
    if (!storage.type.dtype) {
        entry.kind = EntryKind::object;
        entry.type = repairUtf8(argument(value.items()[0].items(), 1).text());
        entry.notes.emplace_back("cannot be shown: the dtype is not supported");
        return entry;
    }
    TorchView view = m_views.rowOf(storage);
    entry.dtype = view.source.dtype;
    entry.shape = view.source.shape;
    entry.strides = view.source.strides;
    entry.bytes = storage.bytes;
    entry.notes.emplace_back("a storage");
    addNotes(entry, view, others);
    entry.verify = [record = view.source.record](const Job& job) { return record.verify(job); };
    entry.load = [source = std::move(view.source)](const Job& job) -> Content { return source.load(job); };
    return entry;
}

std::optional<Entry> TorchRebuilder::entryOf(const PickleValue& value, const std::vector<Entry>& others)
{
    if (value.is(PickleKind::persistent)) {
        const auto id = argument(value.items(), 0).items();
        return argument(id, 0).text() == "storage" ? std::optional(storageEntry(value, others)) : std::nullopt;
    }
    if (!value.is(PickleKind::call))
        return std::nullopt;
    TorchCall call = unwrapCall(value);
    if (call.isDense())
        return denseEntry(call, others);
    if (call.isRebuildOf("_rebuild_qtensor"))
        return quantizedEntry(call, others);
    if (call.isRebuildOf("_rebuild_sparse_tensor") || call.isRebuildOf("_rebuild_sparse_csr_tensor"))
        return sparseEntry(call);
    if (call.isRebuildOf("_rebuild_meta_tensor_no_storage"))
        return metaEntry(call);
    return std::nullopt;
}

} // namespace core::io
