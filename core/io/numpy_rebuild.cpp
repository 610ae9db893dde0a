// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/numpy_rebuild.h"

#include "core/io/buffer.h"
#include "core/io/names.h"
#include "core/io/torch_calls.h"

#include <algorithm>
#include <fmt/format.h>

namespace core::io {

namespace {

/// The name of a function of numpy's core in either of its places: "multiarray.scalar".
std::string_view numpyName(std::string_view global)
{
    for (const std::string_view prefix : {"numpy.core.", "numpy._core."})
        if (global.starts_with(prefix))
            return global.substr(prefix.size());
    return {};
}

PickleValue at(std::span<const PickleValue> values, std::size_t index)
{
    return index < values.size() ? values[index] : PickleValue();
}

std::optional<DType> dtypeOfCode(std::string_view code)
{
    constexpr std::pair<std::string_view, DType> codes[] = {
        {"b1", DType::boolean}, {"u1", DType::u8},  {"i1", DType::i8},  {"u2", DType::u16},  {"i2", DType::i16},
        {"u4", DType::u32},     {"i4", DType::i32}, {"u8", DType::u64}, {"i8", DType::i64},  {"f2", DType::f16},
        {"f4", DType::f32},     {"f8", DType::f64}, {"c8", DType::c64}, {"c16", DType::c128}};
    for (const auto& [known, dtype] : codes)
        if (code == known)
            return dtype;
    return std::nullopt;
}

Strides fortranStrides(const Shape& shape)
{
    const Shape reversed(shape.rbegin(), shape.rend());
    const Strides strides = contiguousStrides(reversed);
    return {strides.rbegin(), strides.rend()};
}

} // namespace

bool decodeLatin1(std::string_view text, std::span<std::byte> out)
{
    std::size_t written = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0x80) {
            // U+0080 to U+00FF are two bytes: 110000xx 10xxxxxx.
            const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
            if ((byte & 0xFC) != 0xC0 || (next & 0xC0) != 0x80)
                return false;
            byte = static_cast<unsigned char>((byte << 6) | (next & 0x3F));
            ++i;
        }
        if (written == out.size())
            return false;
        out[written++] = std::byte{byte};
    }
    return written == out.size();
}

void NumpyRebuilder::fail(const std::string& what) const
{
    throw Error(fmt::format("{}: {}; the file is damaged, save it again", m_file, what));
}

std::optional<NumpyRebuilder::Array> NumpyRebuilder::arrayOf(const PickleValue& value) const
{
    const auto name = numpyName(value.callable());
    const auto arguments = value.arguments();
    if (name == "multiarray.scalar")
        return Array{at(arguments, 0), {}, false, at(arguments, 1)};
    const bool isBuffer = name == "numeric._frombuffer";
    if (!isBuffer && name != "multiarray._reconstruct")
        return std::nullopt;
    const auto state = value.state().items();
    const auto shape = integersOf(isBuffer ? at(arguments, 2) : at(state, 1));
    if (!shape)
        fail("a NumPy array without a shape");
    if (isBuffer)
        return Array{at(arguments, 1), *shape, at(arguments, 3).text() == "F", at(arguments, 0)};
    return Array{at(state, 2), *shape, at(state, 3).isTrue(), at(state, 4)};
}

StorageRecord NumpyRebuilder::recordOf(const PickleValue& data, std::uint64_t bytes, ByteOrder order) const
{
    const auto source = std::make_shared<RecordSource>();
    source->order = order;
    source->subject = [subject = m_file + ": a NumPy array"](const StorageRecord&) { return subject; };
    source->verify = [pickle = m_pickle](const StorageRecord&, const Job& job) { return pickle.verify(job); };
    const bool isEncoded = data.callable() == "_codecs.encode";
    const auto text = isEncoded ? at(data.arguments(), 0).text() : data.text();
    if (isEncoded ? text.size() < bytes || text.size() > 2 * bytes : text.size() != bytes)
        fail(fmt::format("a NumPy array of {} bytes with {} bytes of data", bytes, text.size()));
    const std::span<const std::byte> raw(reinterpret_cast<const std::byte*>(text.data()), text.size());
    // Text that had escapes (protocol 0) lies outside the record's bytes: it needs a copy that outlives the pickle.
    const bool isInside = raw.data() >= m_bytes.bytes.data() && raw.data() <= m_bytes.bytes.data() + m_bytes.bytes.size();
    const Storage whole = isInside ? Storage{raw, m_bytes.owner, m_bytes.file} : Storage::fromVector({raw.begin(), raw.end()});
    if (!isEncoded) {
        source->load = [whole](const StorageRecord&, const Job&) { return whole; };
        return {source, bytes, 0};
    }
    source->load = [whole](const StorageRecord& record, const Job&) {
        const Buffer buffer(static_cast<std::size_t>(record.bytes), record.subject());
        if (!decodeLatin1({reinterpret_cast<const char*>(whole.bytes.data()), whole.bytes.size()}, buffer.bytes()))
            throw Error(record.subject() +
                        ": its data does not have the size of its shape; the file is damaged, save it again");
        return buffer.storage();
    };
    return {source, bytes, 0};
}

std::optional<Entry> NumpyRebuilder::entryOf(const PickleValue& value) const
{
    if (!value.is(PickleKind::call))
        return std::nullopt;
    const auto array = arrayOf(value);
    if (!array)
        return std::nullopt;
    Entry entry;
    entry.notes.emplace_back(array->shape.empty() && numpyName(value.callable()) == "multiarray.scalar" ? "a NumPy scalar"
                                                                                                        : "a NumPy array");
    const auto code = array->dtype.callable() == "numpy.dtype" ? at(array->dtype.arguments(), 0).text() : std::string_view{};
    const auto dtype = dtypeOfCode(code);
    if (!dtype || array->data.is(PickleKind::list)) {
        entry.kind = EntryKind::object;
        entry.type = "numpy.ndarray";
        entry.notes.push_back(fmt::format("dtype {} cannot be shown", repairUtf8(code)));
        return entry;
    }
    const auto order = at(array->dtype.state().items(), 1).text() == ">" ? ByteOrder::big : ByteOrder::little;
    StridedSource source{*dtype, array->shape, {}, 0, {}, false, false, m_budgetBytes};
    try {
        source.strides = array->isFortran ? fortranStrides(source.shape) : contiguousStrides(source.shape);
        entry.bytes = source.bytes();
    } catch (const Error& error) {
        fail(fmt::format("a NumPy array with an impossible shape ({})", error.what()));
    }
    source.record = recordOf(array->data, static_cast<std::uint64_t>(entry.bytes), order);
    source.check(entry.bytes);
    entry.dtype = *dtype;
    entry.shape = source.shape;
    entry.strides = source.strides;
    if (order == ByteOrder::big)
        entry.notes.emplace_back("big-endian");
    entry.verify = [record = source.record](const Job& job) { return record.verify(job); };
    entry.load = [source](const Job& job) -> Content { return source.load(job); };
    return entry;
}

} // namespace core::io
