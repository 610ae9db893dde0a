// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/models/model_index.h"

#include "core/io/open.h"
#include "core/progress.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace support {
namespace {

using nlohmann::json;

template <class T>
T stored(const std::byte* at)
{
    T value{};
    std::memcpy(&value, at, sizeof value);
    return value;
}

std::complex<double> element(const core::Tensor& tensor, std::int64_t index)
{
    const std::byte* at = tensor.data() + index * core::itemSize(tensor.dtype());
    switch (tensor.dtype()) {
    case core::DType::boolean:
    case core::DType::u8:
        return static_cast<double>(stored<std::uint8_t>(at));
    case core::DType::i8:
        return static_cast<double>(stored<std::int8_t>(at));
    case core::DType::i16:
        return static_cast<double>(stored<std::int16_t>(at));
    case core::DType::i32:
        return static_cast<double>(stored<std::int32_t>(at));
    case core::DType::i64:
        return static_cast<double>(stored<std::int64_t>(at));
    case core::DType::f16:
        return core::toFloat(stored<core::Half>(at));
    case core::DType::bf16:
        return core::toFloat(stored<core::BFloat16>(at));
    case core::DType::f32:
        return static_cast<double>(stored<float>(at));
    case core::DType::f64:
        return stored<double>(at);
    case core::DType::c64:
        return std::complex<double>(stored<std::complex<float>>(at));
    case core::DType::c128:
        return stored<std::complex<double>>(at);
    default:
        throw core::Error(fmt::format("no test compares {}", core::dtypeName(tensor.dtype())));
    }
}

bool isNan(std::complex<double> value)
{
    return std::isnan(value.real()) || std::isnan(value.imag());
}

json withTensors(const json& value, const ModelIndex& model, ClientArena& arena)
{
    const std::string kind = value.begin().key();
    json held = value.begin().value();
    if (kind == "tensor")
        return arena.add(model.tensor(held.get<std::string>()));
    if (kind == "list" || kind == "tuple") {
        for (json& element : held)
            element = withTensors(element, model, arena);
    } else if (kind == "dict") {
        for (json& entry : held)
            entry[1] = withTensors(entry[1], model, arena);
    }
    return {{kind, held}};
}

std::uint64_t bytesOf(const json& value, const ModelIndex& model)
{
    const std::string kind = value.begin().key();
    const json& held = value.begin().value();
    constexpr std::uint64_t alignment = 64;
    if (kind == "tensor")
        return static_cast<std::uint64_t>(model.tensor(held.get<std::string>()).bytes()) + alignment;
    std::uint64_t bytes = 0;
    if (kind == "list" || kind == "tuple") {
        for (const json& element : held)
            bytes += bytesOf(element, model);
    } else if (kind == "dict") {
        for (const json& entry : held)
            bytes += bytesOf(entry[1], model);
    }
    return bytes;
}

} // namespace

ModelIndex::ModelIndex(const std::string& name)
    : index(json::parse(std::ifstream(std::string(TEST_DATA "/models/") + name + ".json"))),
      values(core::io::open(std::string(TEST_DATA "/models/") + name + ".safetensors"))
{
}

core::Tensor ModelIndex::tensor(const std::string& key) const
{
    for (const core::Entry& entry : values.entries) {
        // Dots part the names of a document; the keys themselves may hold them.
        if (entry.name == key)
            return std::get<core::Tensor>(entry.load({}));
    }
    throw core::Error("the index names a tensor that its values lack: " + key);
}

json ModelIndex::arguments(ClientArena& arena) const
{
    json out = index.at("arguments");
    for (json& argument : out)
        argument["value"] = withTensors(argument["value"], *this, arena);
    return out;
}

std::uint64_t ModelIndex::argumentBytes() const
{
    std::uint64_t bytes = 0;
    for (const json& argument : index.at("arguments"))
        bytes += bytesOf(argument.at("value"), *this);
    return bytes;
}

std::string difference(const core::Tensor& got, const core::Tensor& expected, double tolerance)
{
    if (got.dtype() != expected.dtype() || got.shape() != expected.shape())
        return fmt::format("{} {} instead of {} {}", core::dtypeName(got.dtype()), core::shapeText(got.shape()),
                           core::dtypeName(expected.dtype()), core::shapeText(expected.shape()));
    double largest = 0;
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const double magnitude = std::abs(element(expected, i));
        if (std::isfinite(magnitude))
            largest = std::max(largest, magnitude);
    }
    for (std::int64_t i = 0; i < expected.elements(); ++i) {
        const auto a = element(got, i);
        const auto b = element(expected, i);
        const bool same = a == b || (isNan(a) && isNan(b)) || std::abs(a - b) <= tolerance * largest;
        if (!same)
            return fmt::format("element {}: {} instead of {} (largest {})", i, a.real(), b.real(), largest);
    }
    return {};
}

std::string difference(const json& value, const ClientArena& arena, const json& expected, const ModelIndex& model)
{
    const double tolerance = model.index.at("tolerance").get<double>();
    if (expected.contains("none"))
        return value.contains("none") ? "" : "a value instead of none: " + value.dump();
    if (expected.contains("tensor")) {
        if (!value.contains("tensor"))
            return "no tensor: " + value.dump();
        return difference(arena.tensor(value.at("tensor")), model.tensor(expected.at("tensor").get<std::string>()), tolerance);
    }
    const json& sparse = expected.at("sparse");
    if (!value.contains("sparse") || value["sparse"]["kind"] != sparse["kind"] || value["sparse"]["shape"] != sparse["shape"])
        return "another kind of value: " + value.dump();
    for (const char* part : {"indices", "plain", "values"}) {
        if (!sparse.contains(part))
            continue;
        const auto found =
            difference(arena.tensor(value["sparse"][part]), model.tensor(sparse[part].get<std::string>()), tolerance);
        if (!found.empty())
            return std::string(part) + ": " + found;
    }
    return {};
}

} // namespace support
