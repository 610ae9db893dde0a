// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/values.h"

#include "app/runner/arena.h"
#include "app/runner/dtypes.h"
#include "core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace runner {
namespace {

using nlohmann::json;

constexpr std::size_t highestRank = 64;

struct TensorKind
{
    at::ScalarType type;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;
};

TensorKind readKind(const json& value)
{
    const std::string name = value.at("dtype").get<std::string>();
    const auto type = dtypeFromName(name);
    if (!type)
        throw core::Error("there is no dtype " + name + ": use PyTorch's names, as float32");
    TensorKind kind{*type, value.at("shape").get<std::vector<std::int64_t>>(), c10::elementSize(*type)};
    bool fits = kind.shape.size() <= highestRank;
    for (const std::int64_t extent : kind.shape)
        fits = fits && extent >= 0 && !__builtin_mul_overflow(kind.bytes, static_cast<std::uint64_t>(extent), &kind.bytes);
    if (!fits || kind.bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw core::Error("a tensor's shape is impossible: extents are at least 0, and at most 64 of them");
    return kind;
}

/// A copy: models may write to their inputs, and the arena is shared.
at::Tensor readTensor(const json& value, const Arena& arena)
{
    const TensorKind kind = readKind(value);
    if (kind.bytes == 0)
        return at::empty(kind.shape, kind.type);
    const std::span<std::byte> bytes = arena.at(value.at("offset").get<std::uint64_t>(), kind.bytes);
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % Arena::alignment != 0)
        throw core::Error("a tensor does not begin at a multiple of 64 bytes: align it");
    return at::from_blob(bytes.data(), kind.shape, kind.type).clone();
}

/// torch.randn for floating and complex dtypes; torch.randint(0, high) for the others.
at::Tensor randomTensor(const json& value)
{
    const TensorKind kind = readKind(value);
    if (c10::isFloatingType(kind.type) || c10::isComplexType(kind.type))
        return at::randn(kind.shape, kind.type);
    return at::randint(value.value("high", std::int64_t{2}), kind.shape, kind.type);
}

double readDouble(const json& value)
{
    if (value == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (value == "Infinity")
        return std::numeric_limits<double>::infinity();
    if (value == "-Infinity")
        return -std::numeric_limits<double>::infinity();
    return value.get<double>();
}

/// The type of an element of a list, or of a dict's key (0) or value (1).
c10::TypePtr contained(const c10::TypePtr& type, std::size_t index)
{
    return type->containedTypeSize() > index ? type->containedType(index) : c10::TypePtr(c10::AnyType::get());
}

c10::IValue readList(const json& values, const c10::TypePtr& type, const Arena& arena)
{
    const c10::TypePtr element = contained(type, 0);
    c10::impl::GenericList list(element);
    for (const json& value : values)
        list.push_back(readValue(value, element, arena));
    return list;
}

c10::IValue readTuple(const json& values, const c10::TypePtr& type, const Arena& arena)
{
    std::vector<c10::IValue> elements;
    for (const json& value : values)
        elements.push_back(readValue(value, contained(type, elements.size()), arena));
    const auto named = type->cast<c10::TupleType>();
    if (named && named->schema() && named->elements().size() == elements.size())
        return c10::ivalue::Tuple::createNamed(std::move(elements), named);
    return c10::ivalue::Tuple::create(std::move(elements));
}

c10::IValue readDict(const json& entries, const c10::TypePtr& type, const Arena& arena)
{
    const c10::TypePtr key = contained(type, 0);
    const c10::TypePtr element = contained(type, 1);
    c10::impl::GenericDict dict(key, element);
    for (const json& entry : entries)
        dict.insert_or_assign(readValue(entry.at(0), key, arena), readValue(entry.at(1), element, arena));
    return dict;
}

at::ScalarType readDtype(const json& name)
{
    if (const auto type = dtypeFromName(name.get<std::string>()))
        return *type;
    throw core::Error("there is no dtype " + name.get<std::string>() + ": use PyTorch's names, as float32");
}

} // namespace

c10::IValue readValue(const json& value, const c10::TypePtr& wanted, const Arena& arena)
{
    if (!value.is_object() || value.size() != 1)
        throw core::Error("a value is an object with one member: send it as the protocol says");
    const c10::TypePtr type = wanted->kind() == c10::TypeKind::OptionalType ? contained(wanted, 0) : wanted;
    const std::string& kind = value.begin().key();
    const json& held = value.begin().value();
    if (kind == "tensor")
        return readTensor(held, arena);
    if (kind == "random")
        return randomTensor(held);
    if (kind == "ones") {
        const TensorKind ones = readKind(held);
        return at::ones(ones.shape, ones.type);
    }
    if (kind == "none")
        return {};
    if (kind == "int") {
        // A whole number where the model wants a float, as Python's call would take it.
        if (type->kind() == c10::TypeKind::FloatType)
            return static_cast<double>(held.get<std::int64_t>());
        return held.get<std::int64_t>();
    }
    if (kind == "float")
        return readDouble(held);
    if (kind == "bool")
        return held.get<bool>();
    if (kind == "string")
        return held.get<std::string>();
    if (kind == "list")
        return readList(held, type, arena);
    if (kind == "tuple")
        return readTuple(held, type, arena);
    if (kind == "dict")
        return readDict(held, type, arena);
    if (kind == "device")
        return c10::Device(held.get<std::string>());
    if (kind == "dtype")
        return static_cast<std::int64_t>(readDtype(held));
    throw core::Error("there is no kind of value named " + kind + ": send one of the protocol's");
}

} // namespace runner
