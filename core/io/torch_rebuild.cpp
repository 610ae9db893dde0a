// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torch_rebuild.h"

#include "core/io/names.h"
#include "core/io/sparse_check.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace core::io {

namespace {

/// Wrappers around wrappers; real files have two.
constexpr int deepestWrapping = 16;
/// Scales of a quantized tensor that are read when the file is opened.
constexpr std::int64_t mostChannels = std::int64_t{1} << 20;

bool isRebuildOf(std::string_view function, std::string_view name)
{
    constexpr std::string_view prefix = "torch._utils.";
    return function.starts_with(prefix) && function.substr(prefix.size()) == name;
}

/// The argument at `index`, or None when there are fewer.
PickleValue at(std::span<const PickleValue> values, std::size_t index)
{
    return index < values.size() ? values[index] : PickleValue();
}

/// Whether a tensor's metadata dict sets one of PyTorch's lazy bits ("conj", "neg").
bool hasBit(const PickleValue& metadata, std::string_view name)
{
    const auto items = metadata.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        if (items[i].isText() && items[i].text() == name)
            return items[i + 1].isTrue();
    return false;
}

bool isCountable(const Shape& shape)
{
    try {
        checkedProduct(elementCount(shape), itemSize(DType::c128));
        return true;
    } catch (const Error&) {
        return false;
    }
}

double numberAt(const Tensor& flat, std::int64_t index)
{
    const Tensor one = flat.select(0, index);
    const auto read = [&]<class T>(T value) {
        std::memcpy(&value, one.data(), sizeof value);
        return static_cast<double>(value);
    };
    switch (one.dtype()) {
    case DType::f64:
        return read(0.0);
    case DType::f32:
        return read(0.0F);
    case DType::i64:
        return read(std::int64_t{0});
    case DType::i32:
        return read(std::int32_t{0});
    default:
        throw Error("unexpected dtype " + std::string(dtypeName(one.dtype())));
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

void TorchRebuilder::fail(const std::string& what) const
{
    throw Error(fmt::format("{}: {}; the file is damaged or not from PyTorch, save it again", m_file, what));
}

TorchRebuilder::Call TorchRebuilder::unwrap(const PickleValue& value) const
{
    Call call{value.callable(), value.arguments(), EntryKind::tensor, {}};
    for (int depth = 0; depth < deepestWrapping; ++depth) {
        PickleValue inner;
        if (isRebuildOf(call.function, "_rebuild_parameter") || isRebuildOf(call.function, "_rebuild_parameter_with_state")) {
            call.kind = EntryKind::parameter;
            if (at(call.arguments, 1).isTrue())
                call.notes.emplace_back("requires grad");
            inner = at(call.arguments, 0);
        } else if (call.function == "torch._tensor._rebuild_from_type_v2") {
            const PickleValue type = at(call.arguments, 1);
            if (type.text() == "torch.nn.parameter.Parameter")
                call.kind = EntryKind::parameter;
            else if (type.text() != "torch.Tensor")
                call.notes.push_back(fmt::format("of type {}", repairUtf8(type.text())));
            call.function = at(call.arguments, 0).text();
            call.arguments = at(call.arguments, 2).items();
            continue;
        } else if (isRebuildOf(call.function, "_rebuild_device_tensor_from_cpu_tensor")) {
            call.notes.push_back(fmt::format("saved on {}", repairUtf8(at(call.arguments, 2).text())));
            inner = at(call.arguments, 0);
        } else {
            return call;
        }
        call.function = inner.callable();
        call.arguments = inner.arguments();
    }
    return {};
}

TorchStorage TorchRebuilder::storageOf(const PickleValue& value)
{
    if (!value.is(PickleKind::persistent) || value.items().size() != 1)
        fail("a tensor without a storage");
    const auto id = value.items()[0].items();
    const auto type = storageType(at(id, 1).text());
    const auto count = at(id, 4).integer();
    if (at(id, 0).text() != "storage" || !type || !at(id, 2).isText() || !count || *count < 0)
        fail("a storage that is not named as PyTorch names it");
    TorchStorage storage{*type, m_find(at(id, 2).text()), 0, 0, at(id, 2).text(), repairUtf8(at(id, 3).text())};
    const std::int64_t size = type->dtype ? itemSize(*type->dtype) : 1;
    if (*count > INT64_MAX / size)
        fail(
            fmt::format("storage {} declares {} elements, more than any machine can address", repairUtf8(storage.key), *count));
    storage.bytes = *count * size;
    if (static_cast<std::uint64_t>(storage.bytes) > storage.record.bytes)
        throw Error(
            fmt::format("{} holds {} bytes, but {} are declared: the file is cut off or damaged, fetch or save it again",
                        storage.record.subject(), storage.record.bytes, storage.bytes));
    if (at(id, 5).is(PickleKind::tuple)) {
        // Legacy files: (key, offset, size) of a part of the storage, in elements.
        const auto parts = at(id, 5).items();
        const auto offset = at(parts, 1).integer();
        const auto length = at(parts, 2).integer();
        if (!offset || !length || *offset < 0 || *length < 0 || *offset > *count || *length > *count - *offset)
            fail(fmt::format("a view outside storage {}", repairUtf8(storage.key)));
        storage.byteOffset = *offset * size;
        storage.bytes = *length * size;
    }
    return storage;
}

TorchRebuilder::Dense TorchRebuilder::denseOf(const Call& call)
{
    const bool isV3 = isRebuildOf(call.function, "_rebuild_tensor_v3");
    const auto offset = at(call.arguments, 1).integer();
    auto shape = integersOf(at(call.arguments, 2));
    auto strides = integersOf(at(call.arguments, 3));
    if (!offset || !shape || !strides)
        fail("a tensor whose shape, strides or offset are no integers");
    const TorchStorage storage = storageOf(at(call.arguments, 0));
    Dense dense;
    dense.type = storage.type;
    if (isV3)
        dense.type = dtypeGlobal(at(call.arguments, 6).text());
    dense.key = storage.key;
    dense.location = storage.location;
    dense.source = {{}, std::move(*shape), std::move(*strides), 0, storage.record, false, false, m_budgetBytes};
    if (!dense.type || !dense.type->dtype) {
        const std::string_view name = at(call.arguments, 6).text();
        dense.unsupported = repairUtf8(isV3 ? name : at(at(call.arguments, 0).items()[0].items(), 1).text());
        return dense;
    }
    dense.source.dtype = *dense.type->dtype;
    const PickleValue metadata = at(call.arguments, isV3 ? 7 : 6);
    dense.source.isConjugate = hasBit(metadata, "conj") && isComplex(dense.source.dtype);
    dense.source.isNegative = hasBit(metadata, "neg");
    dense.requiresGrad = at(call.arguments, isRebuildOf(call.function, "_rebuild_qtensor") ? 5 : 4).isTrue();
    const __int128 first = static_cast<__int128>(*offset) * itemSize(dense.source.dtype) + storage.byteOffset;
    if (*offset < 0 || first > INT64_MAX)
        fail(fmt::format("a tensor that begins at element {} of storage {}", *offset, repairUtf8(storage.key)));
    dense.source.byteOffset = static_cast<std::int64_t>(first);
    dense.source.check(storage.byteOffset + storage.bytes);
    return dense;
}

void TorchRebuilder::addNotes(Entry& entry, const Dense& dense, const std::vector<Entry>& others)
{
    constexpr std::string_view gradNote = "requires grad";
    if (dense.requiresGrad && std::find(entry.notes.begin(), entry.notes.end(), gradNote) == entry.notes.end())
        entry.notes.emplace_back(gradNote);
    if (!dense.location.empty() && dense.location != "cpu")
        entry.notes.push_back(fmt::format("saved on {}", dense.location));
    if (dense.source.isConjugate)
        entry.notes.emplace_back("conjugate view");
    if (dense.source.isNegative)
        entry.notes.emplace_back("negative view");
    if (dense.source.record.order() == ByteOrder::big)
        entry.notes.emplace_back("big-endian");
    const auto [user, isFirst] = m_firstUser.try_emplace(dense.key, static_cast<std::uint32_t>(others.size()));
    if (!isFirst)
        entry.notes.push_back(fmt::format("shares its storage with {}", others[user->second].name));
}

std::optional<Entry> TorchRebuilder::denseEntry(Call& call, const std::vector<Entry>& others)
{
    Dense dense = denseOf(call);
    Entry entry;
    entry.kind = call.kind;
    entry.notes = std::move(call.notes);
    if (!dense.unsupported.empty()) {
        entry.kind = EntryKind::object;
        entry.type = "torch.Tensor";
        entry.notes.push_back(
            fmt::format("{} {} cannot be shown: the dtype is not supported", dense.unsupported, shapeText(dense.source.shape)));
        return entry;
    }
    entry.dtype = dense.source.dtype;
    entry.shape = dense.source.shape;
    entry.strides = dense.source.strides;
    entry.bytes = dense.source.bytes();
    addNotes(entry, dense, others);
    entry.verify = [record = dense.source.record](const Job& job) { return record.verify(job); };
    entry.load = [source = std::move(dense.source)](const Job& job) -> Content { return source.load(job); };
    return entry;
}

std::vector<double> TorchRebuilder::numbersOf(const PickleValue& value)
{
    std::vector<double> numbers;
    if (value.is(PickleKind::call)) {
        const StridedSource source = partOf(value);
        if (source.shape.size() != 1 || source.shape[0] > mostChannels || isComplex(source.dtype))
            fail("a quantized tensor whose scales are no row of numbers");
        const Tensor tensor = source.load({});
        for (std::int64_t i = 0; i < tensor.elements(); ++i)
            numbers.push_back(numberAt(tensor, i));
        return numbers;
    }
    for (const PickleValue& item : value.items()) {
        if (!item.number())
            fail("a quantized tensor whose scales are no numbers");
        numbers.push_back(*item.number());
    }
    return numbers;
}

Quantizer TorchRebuilder::quantizerOf(const PickleValue& parameters, const Dense& dense)
{
    Quantizer quantizer;
    quantizer.kind = *dense.type->quantized;
    const auto items = parameters.items();
    const auto scheme = at(items, 0).text();
    if (scheme == "torch.per_tensor_affine") {
        const auto scale = at(items, 1).number();
        const auto zero = at(items, 2).integer();
        if (!scale || !zero)
            fail("a quantized tensor without scale and zero point");
        quantizer.scales = {*scale};
        quantizer.zeroPoints = {static_cast<double>(*zero)};
        return quantizer;
    }
    const bool isFloat = scheme == "torch.per_channel_affine_float_qparams";
    const auto axis = at(items, 3).integer();
    if ((!isFloat && scheme != "torch.per_channel_affine") || !axis || *axis < 0 ||
        static_cast<std::size_t>(*axis) >= dense.source.shape.size())
        fail(fmt::format("a quantized tensor of scheme {}", repairUtf8(scheme)));
    quantizer.scheme = isFloat ? Quantizer::Scheme::perChannelFloat : Quantizer::Scheme::perChannel;
    quantizer.axis = static_cast<std::size_t>(*axis);
    quantizer.scales = numbersOf(at(items, 1));
    quantizer.zeroPoints = numbersOf(at(items, 2));
    const auto channels = static_cast<std::size_t>(dense.source.shape[quantizer.axis]);
    if (quantizer.scales.size() != channels || quantizer.zeroPoints.size() != channels)
        fail(fmt::format("a quantized tensor of {} channels with {} scales and {} zero points", channels,
                         quantizer.scales.size(), quantizer.zeroPoints.size()));
    return quantizer;
}

std::optional<Entry> TorchRebuilder::quantizedEntry(Call& call, const std::vector<Entry>& others)
{
    Dense dense = denseOf(call);
    if (!dense.unsupported.empty())
        return denseEntry(call, others);
    if (!dense.type->quantized)
        fail("a quantized tensor over a storage that is none");
    Quantizer quantizer = quantizerOf(at(call.arguments, 4), dense);
    if (!isCountable(dense.source.shape))
        fail("a quantized tensor with more elements than can be counted");
    Entry entry;
    entry.kind = call.kind;
    entry.notes = std::move(call.notes);
    entry.notes.push_back(quantizer.note());
    entry.dtype = DType::f32;
    entry.shape = dense.source.shape;
    entry.strides = contiguousStrides(entry.shape);
    entry.bytes = checkedProduct(elementCount(entry.shape), itemSize(DType::f32));
    addNotes(entry, dense, others);
    entry.verify = [record = dense.source.record](const Job& job) { return record.verify(job); };
    entry.load = [source = std::move(dense.source), quantizer = std::move(quantizer)](const Job& job) -> Content {
        return dequantize(source, quantizer, job);
    };
    return entry;
}

StridedSource TorchRebuilder::partOf(const PickleValue& value)
{
    const Call call = unwrap(value);
    if (!isRebuildOf(call.function, "_rebuild_tensor_v2") && !isRebuildOf(call.function, "_rebuild_tensor_v3") &&
        !isRebuildOf(call.function, "_rebuild_tensor"))
        fail("a tensor whose parts are no plain tensors");
    Dense dense = denseOf(call);
    if (!dense.unsupported.empty())
        fail(fmt::format("a tensor with parts of dtype {}, which is not supported", dense.unsupported));
    return std::move(dense.source);
}

std::optional<Entry> TorchRebuilder::sparseEntry(Call& call)
{
    const PickleValue layout = at(call.arguments, 0);
    const PickleValue layoutName = at(layout.arguments(), 0);
    const auto kind = layout.integer() ? sparseLayout(*layout.integer()) : sparseLayout(layoutName.text());
    const auto data = at(call.arguments, 1).items();
    if (!kind)
        fail(fmt::format("a sparse tensor of layout {}", repairUtf8(layoutName.text())));
    const bool isCoo = *kind == StorageKind::coo;
    auto shape = integersOf(at(data, isCoo ? 2 : 3));
    if (!shape || shape->size() > maxRank || std::any_of(shape->begin(), shape->end(), [](auto extent) { return extent < 0; }))
        fail("a sparse tensor without a shape");
    if (!isCountable(*shape))
        fail(fmt::format("a sparse tensor of shape {}, more elements than can be counted", shapeText(*shape)));
    StridedSource indices = partOf(at(data, 0));
    StridedSource plain = isCoo ? StridedSource{} : partOf(at(data, 1));
    StridedSource values = partOf(at(data, isCoo ? 1 : 2));
    const bool isCoalesced = isCoo && at(data, 3).isTrue();
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

Entry TorchRebuilder::metaEntry(const Call& call) const
{
    const auto shape = integersOf(at(call.arguments, 1));
    Entry entry;
    entry.kind = EntryKind::object;
    entry.type = "torch.Tensor";
    entry.notes.push_back(fmt::format("meta tensor {} {}: the file holds no data for it",
                                      repairUtf8(at(call.arguments, 0).text()),
                                      shapeText(shape ? *shape : std::vector<std::int64_t>{})));
    return entry;
}

Entry TorchRebuilder::storageEntry(const PickleValue& value, const std::vector<Entry>& others)
{
    const TorchStorage storage = storageOf(value);
    Entry entry;
    if (!storage.type.dtype) {
        entry.kind = EntryKind::object;
        entry.type = repairUtf8(at(value.items()[0].items(), 1).text());
        entry.notes.emplace_back("cannot be shown: the dtype is not supported");
        return entry;
    }
    Dense dense;
    dense.source = {*storage.type.dtype, {}, {1}, storage.byteOffset, storage.record, false, false, m_budgetBytes};
    dense.source.shape = {storage.bytes / itemSize(dense.source.dtype)};
    dense.key = storage.key;
    dense.location = storage.location;
    dense.source.check(storage.byteOffset + storage.bytes);
    entry.dtype = dense.source.dtype;
    entry.shape = dense.source.shape;
    entry.strides = dense.source.strides;
    entry.bytes = storage.bytes;
    entry.notes.emplace_back("a storage");
    addNotes(entry, dense, others);
    entry.verify = [record = dense.source.record](const Job& job) { return record.verify(job); };
    entry.load = [source = std::move(dense.source)](const Job& job) -> Content { return source.load(job); };
    return entry;
}

std::optional<Entry> TorchRebuilder::entryOf(const PickleValue& value, const std::vector<Entry>& others)
{
    if (value.is(PickleKind::persistent)) {
        const auto id = at(value.items(), 0).items();
        return at(id, 0).text() == "storage" ? std::optional(storageEntry(value, others)) : std::nullopt;
    }
    if (!value.is(PickleKind::call))
        return std::nullopt;
    Call call = unwrap(value);
    if (isRebuildOf(call.function, "_rebuild_tensor") || isRebuildOf(call.function, "_rebuild_tensor_v2") ||
        isRebuildOf(call.function, "_rebuild_tensor_v3"))
        return denseEntry(call, others);
    if (isRebuildOf(call.function, "_rebuild_qtensor"))
        return quantizedEntry(call, others);
    if (isRebuildOf(call.function, "_rebuild_sparse_tensor") || isRebuildOf(call.function, "_rebuild_sparse_csr_tensor"))
        return sparseEntry(call);
    if (isRebuildOf(call.function, "_rebuild_meta_tensor_no_storage"))
        return metaEntry(call);
    return std::nullopt;
}

} // namespace core::io
