// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/value_writer.h"

#include "app/runner/arena.h"
#include "app/runner/dense_view.h"
#include "app/runner/dtypes.h"
#include "app/runner/failure.h"
#include "app/runner/seen_tensors.h"
#include "app/runner/statistics.h"

#include <ATen/ATen.h>
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <ATen/core/ivalue.h>

namespace runner {
namespace {

/// A list of a million tensors would be a million messages.
constexpr std::size_t mostParts = 4096;

std::string memberOf(const c10::IValue& key)
{
    if (key.isString())
        return "." + key.toStringRef();
    if (key.isInt())
        return "[" + std::to_string(key.toInt()) + "]";
    return "[" + std::string(c10::str(key)) + "]";
}

/// Bytes that a dense copy takes; empty when they cannot be counted.
std::optional<std::uint64_t> denseBytes(const at::Tensor& tensor)
{
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(tensor.numel()), tensor.element_size(), &bytes))
        return std::nullopt;
    return bytes;
}

nlohmann::json shapeOnly(const at::Tensor& tensor)
{
    return {{"dtype", dtypeName(tensor.scalar_type())}, {"shape", tensor.sizes().vec()}, {"elements", tensor.numel()}};
}

std::string_view layoutName(at::Layout layout)
{
    switch (layout) {
    case at::kSparse:
        return "coo";
    case at::kSparseCsr:
        return "csr";
    case at::kSparseCsc:
        return "csc";
    case at::kSparseBsr:
        return "bsr";
    default:
        return "bsc";
    }
}

} // namespace

ValueWriter::ValueWriter(Arena& arena) : m_arena(arena), m_seen(std::make_unique<SeenTensors>()) {}

ValueWriter::~ValueWriter() = default;

std::vector<ValueWriter::Part> ValueWriter::write(const c10::IValue& value)
{
    const at::NoGradGuard noGrad;
    std::vector<Part> parts;
    visit(value, "", parts);
    return parts;
}

void ValueWriter::visit(const c10::IValue& value, const std::string& member, std::vector<Part>& parts)
{
    if (parts.size() == mostParts) {
        parts.back().notes.push_back("only the first " + std::to_string(mostParts) + " members are shown");
        parts.push_back({member, {{"none", true}}, {"not shown: too many members"}});
        return;
    }
    if (parts.size() > mostParts)
        return;
    if (value.isNone()) {
        parts.push_back({member, {{"none", true}}, {}});
    } else if (value.isTensor()) {
        addTensor(value.toTensor(), member, parts);
    } else if (value.isTuple()) {
        int index = 0;
        for (const c10::IValue& element : value.toTupleRef().elements())
            visit(element, member + "[" + std::to_string(index++) + "]", parts);
    } else if (value.isList()) {
        int index = 0;
        for (const c10::IValue& element : value.toListRef())
            visit(element, member + "[" + std::to_string(index++) + "]", parts);
    } else if (value.isGenericDict()) {
        for (const auto& entry : value.toGenericDict())
            visit(entry.value(), member + memberOf(entry.key()), parts);
    }
}

void ValueWriter::addTensor(const at::Tensor& tensor, const std::string& member, std::vector<Part>& parts)
{
    Part part{member, {{"none", true}}, {}};
    try {
        if (tensor.defined())
            describe(tensor, part);
    } catch (const std::exception& error) {
        // The model can go on with a tensor that cannot be copied.
        part.value = {{"statistics", shapeOnly(tensor)}};
        part.notes.push_back("its values cannot be read: " + explain(error).message);
    }
    parts.push_back(std::move(part));
}

void ValueWriter::describe(const at::Tensor& tensor, Part& part)
{
    if (const SeenTensors::Told* told = m_seen->find(tensor)) {
        part.value = told->value;
        part.notes = told->notes;
        return;
    }
    DenseView view = denseView(tensor);
    part.notes = std::move(view.notes);
    part.value = view.tensor.layout() == at::kStrided ? writeDense(view.tensor) : writeSparse(view.tensor);
    m_seen->add(tensor, {part.value, part.notes});
}

nlohmann::json ValueWriter::toArena(const at::Tensor& tensor)
{
    const auto bytes = denseBytes(tensor);
    const auto offset = bytes ? m_arena.allocate(*bytes) : std::nullopt;
    if (!offset)
        return nullptr;
    // An empty tensor needs an address too.
    void* address = *bytes == 0 ? static_cast<void*>(this) : m_arena.at(*offset, *bytes).data();
    at::from_blob(address, tensor.sizes(), at::TensorOptions().dtype(tensor.scalar_type())).copy_(tensor);
    return {{"dtype", dtypeName(tensor.scalar_type())}, {"shape", tensor.sizes().vec()}, {"offset", *offset}};
}

nlohmann::json ValueWriter::writeDense(const at::Tensor& tensor)
{
    if (tensor.is_meta())
        return {{"statistics", shapeOnly(tensor)}};
    nlohmann::json kept = toArena(tensor);
    if (!kept.is_null())
        return {{"tensor", std::move(kept)}};
    ++m_dropped;
    m_droppedBytes += static_cast<std::int64_t>(denseBytes(tensor).value_or(0));
    return {{"statistics", statistics(tensor)}};
}

nlohmann::json ValueWriter::writeSparse(const at::Tensor& tensor)
{
    const at::Layout layout = tensor.layout();
    nlohmann::json out{{"kind", layoutName(layout)}, {"shape", tensor.sizes().vec()}};
    const bool byRows = layout == at::kSparseCsr || layout == at::kSparseBsr;
    if (layout == at::kSparse) {
        out["coalesced"] = tensor.is_coalesced();
        out["indices"] = toArena(tensor._indices());
        out["values"] = toArena(tensor._values());
    } else {
        out["coalesced"] = false;
        out["indices"] = toArena(byRows ? tensor.crow_indices() : tensor.ccol_indices());
        out["plain"] = toArena(byRows ? tensor.col_indices() : tensor.row_indices());
        out["values"] = toArena(tensor.values());
    }
    const bool fits =
        !out["indices"].is_null() && !out["values"].is_null() && !(out.contains("plain") && out["plain"].is_null());
    if (fits)
        return {{"sparse", std::move(out)}};
    const at::Tensor values = layout == at::kSparse ? tensor._values() : tensor.values();
    ++m_dropped;
    m_droppedBytes += static_cast<std::int64_t>(values.nbytes());
    nlohmann::json told = statistics(values);
    told["shape"] = tensor.sizes().vec();
    return {{"statistics", std::move(told)}};
}

} // namespace runner
