// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/messages.h"

#include "core/error.h"
#include "core/io/names.h"
#include "core/io/sparse_check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace app {

namespace {

using nlohmann::json;

[[noreturn]] void failMessage(std::string_view what)
{
    throw core::Error(fmt::format("the model's runner sent what it should not: {}", what));
}

const json& memberOf(const json& message, const char* member)
{
    if (!message.is_object())
        failMessage(fmt::format("no object where {} was expected", member));
    const auto found = message.find(member);
    if (found == message.end())
        failMessage(fmt::format("no {}", member));
    return *found;
}

std::int64_t count(const json& value, std::string_view what)
{
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) ||
        value.get<std::int64_t>() < 0)
        failMessage(fmt::format("no count as {}", what));
    return value.get<std::int64_t>();
}

core::Shape shapeOf(const json& value)
{
    const auto& sizes = memberOf(value, "shape");
    if (!sizes.is_array() || sizes.size() > core::maxRank)
        failMessage("a shape that is none");
    core::Shape shape;
    for (const auto& size : sizes)
        shape.push_back(count(size, "an extent"));
    return shape;
}

core::DType dtypeOf(const json& value)
{
    const auto name = textOf(value, "dtype");
    const auto dtype = core::dtypeFromName(name);
    if (!dtype)
        failMessage(fmt::format("the unknown dtype {}", name.substr(0, 40)));
    return *dtype;
}

core::Tensor readTensor(const json& value, const CaptureArena* arena)
{
    if (!arena)
        failMessage("a tensor without an arena");
    return arena->tensor(dtypeOf(value), shapeOf(value), countOf(value, "offset"));
}

/// A number, or one of the three words that JSON lacks numbers for; nothing for null.
std::optional<double> realOf(const json& message, const char* member)
{
    if (!message.contains(member) || message[member].is_null())
        return std::nullopt;
    const auto& value = message[member];
    if (value.is_number())
        return value.get<double>();
    if (value == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (value == "Infinity" || value == "-Infinity")
        return value == "Infinity" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    failMessage(fmt::format("no number as {}", member));
}

/// A count that may be left out.
std::int64_t countOrNone(const json& message, const char* member)
{
    return message.contains(member) && !message[member].is_null() ? countOf(message, member) : 0;
}

UnkeptTensor readUnkept(const json& value)
{
    UnkeptTensor tensor;
    tensor.dtype = textOf(value, "dtype");
    tensor.shape = shapeOf(value);
    tensor.elements = countOf(value, "elements");
    tensor.min = realOf(value, "min");
    tensor.max = realOf(value, "max");
    tensor.mean = realOf(value, "mean");
    tensor.std = realOf(value, "std");
    tensor.nan = countOrNone(value, "nan");
    tensor.positiveInf = countOrNone(value, "posinf");
    tensor.negativeInf = countOrNone(value, "neginf");
    tensor.zeros = countOrNone(value, "zeros");
    return tensor;
}

core::StorageKind kindOf(const std::string& name)
{
    for (const auto kind : {core::StorageKind::coo, core::StorageKind::csr, core::StorageKind::csc, core::StorageKind::bsr,
                            core::StorageKind::bsc})
        if (core::storageKindName(kind) == name)
            return kind;
    failMessage("a sparse tensor of an unknown kind");
}

/// A tensor with elements of its own: what indexes must not change between being checked and being used.
core::Tensor owned(const core::Tensor& tensor)
{
    const auto* first = tensor.data();
    auto bytes = std::vector<std::byte>(first, first + tensor.bytes());
    return core::Tensor::contiguous(tensor.dtype(), tensor.shape(), core::Storage::fromVector(std::move(bytes)));
}

json placed(const core::Tensor& tensor, CaptureArena& arena)
{
    return {{"dtype", core::dtypeName(tensor.dtype())}, {"shape", tensor.shape()}, {"offset", arena.put(tensor)}};
}

json realText(double value)
{
    if (std::isfinite(value))
        return value;
    return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

/// A value as the object with one member that stands for it.
json valueMessage(const ModelValue& value, CaptureArena* arena)
{
    struct Visitor
    {
        CaptureArena* arena;

        json operator()(std::monostate) const { return {{"none", true}}; }
        json operator()(const core::Tensor& tensor) const { return {{"tensor", placed(tensor, *arena)}}; }
        json operator()(const GeneratedTensor& tensor) const
        {
            json made{{"dtype", core::dtypeName(tensor.dtype)}, {"shape", tensor.shape}};
            if (tensor.random && tensor.high > 0)
                made["high"] = tensor.high;
            return {{tensor.random ? "random" : "ones", std::move(made)}};
        }
        json operator()(std::int64_t number) const { return {{"int", number}}; }
        json operator()(double number) const { return {{"float", realText(number)}}; }
        json operator()(bool flag) const { return {{"bool", flag}}; }
        json operator()(const std::string& text) const { return {{"string", text}}; }
        json operator()(const ModelList& list) const
        {
            auto items = json::array();
            for (const auto& item : list.items)
                items.push_back(valueMessage(item, arena));
            return {{list.isTuple ? "tuple" : "list", std::move(items)}};
        }
        json operator()(const ModelDict& dict) const
        {
            auto items = json::array();
            for (const auto& [key, item] : dict.items)
                items.push_back(json::array({json{{"string", key}}, valueMessage(item, arena)}));
            return {{"dict", std::move(items)}};
        }
    };
    return std::visit(Visitor{arena}, value.value);
}

std::optional<std::int64_t> hintOf(const json& message, const char* member)
{
    const auto hints = message.find("hints");
    if (hints == message.end() || !hints->is_object() || !hints->contains(member) || (*hints)[member].is_null())
        return std::nullopt;
    return count((*hints)[member], member);
}

} // namespace

json parseMessage(std::string_view line)
{
    auto message = json::parse(line, nullptr, false);
    if (!message.is_object() || !message.contains("type") || !message["type"].is_string())
        failMessage("a line that is no message");
    return message;
}

std::string textOf(const json& message, const char* member)
{
    const auto found = message.find(member);
    if (found == message.end() || found->is_null())
        return {};
    if (!found->is_string())
        failMessage(fmt::format("no text as {}", member));
    return core::io::repairUtf8(found->get_ref<const std::string&>());
}

std::int64_t countOf(const json& message, const char* member)
{
    return count(memberOf(message, member), member);
}

std::vector<std::string> textsOf(const json& message, const char* member)
{
    const auto found = message.find(member);
    std::vector<std::string> texts;
    if (found == message.end() || found->is_null())
        return texts;
    if (!found->is_array())
        failMessage(fmt::format("no list as {}", member));
    for (const auto& text : *found) {
        if (!text.is_string())
            failMessage(fmt::format("no text in {}", member));
        texts.push_back(core::io::repairUtf8(text.get_ref<const std::string&>()));
    }
    return texts;
}

json openMessage(std::int64_t id, const std::string& name, const std::vector<std::string>& operators, const std::string& device)
{
    return {{"type", "open"}, {"id", id}, {"name", name}, {"device", device}, {"operators", operators}};
}

json runMessage(std::int64_t id, const RunRequest& request, CaptureArena* arena)
{
    auto arguments = json::array();
    for (const auto& [name, value] : request.arguments)
        arguments.push_back({{"name", name}, {"value", valueMessage(value, arena)}});
    json message{{"type", "run"}, {"id", id}, {"seed", request.seed}, {"operators", request.operators}};
    message["arguments"] = std::move(arguments);
    auto layers = json::array();
    for (const auto& layer : request.layers)
        layers.push_back(moduleOfLayer(layer));
    message["layers"] = request.allLayers ? json("*") : std::move(layers);
    message["arena"] = arena ? arena->bytes() : 0;
    message["used"] = arena ? arena->used() : 0;
    return message;
}

ModelInfo readOpened(const json& message)
{
    ModelInfo info;
    info.type = textOf(message, "model");
    info.training = message.value("training", json(false)) == true;
    for (const auto& argument : memberOf(message, "arguments")) {
        auto& read = info.arguments.emplace_back();
        read.name = textOf(argument, "name");
        read.type = textOf(argument, "type");
        if (const auto text = argument.find("default"); text != argument.end() && text->is_string())
            read.defaultText = textOf(argument, "default");
        read.required = memberOf(argument, "required") == true;
    }
    for (const auto& layer : memberOf(message, "layers")) {
        auto& read = info.layers.emplace_back();
        read.name = layerOfModule(textOf(layer, "name"));
        read.type = textOf(layer, "type");
        read.parameters = countOf(layer, "parameters");
        read.same = layerOfModule(textOf(layer, "same"));
        read.calls = countOrNone(layer, "calls");
    }
    info.channels = hintOf(message, "channels");
    info.axes = hintOf(message, "axes");
    info.features = hintOf(message, "features");
    info.vocabulary = hintOf(message, "vocabulary");
    info.warnings = textsOf(message, "warnings");
    return info;
}

Capture readCapture(const json& message, const CaptureArena* arena)
{
    Capture capture;
    capture.isOutput = message["type"] == "output";
    if (!capture.isOutput) {
        capture.layer = layerOfModule(textOf(message, "layer"));
        capture.call = countOf(message, "call");
    }
    capture.member = textOf(message, "member");
    if (const auto op = message.find("operator"); op != message.end() && op->is_object())
        capture.op = OperatorSite{textOf(*op, "name"), textOf(*op, "value"), textOf(*op, "line")};
    capture.notes = textsOf(message, "notes");
    const auto& value = memberOf(message, "value");
    if (!value.is_object() || value.size() != 1)
        failMessage("a capture without one value");
    const auto& kind = value.begin().key();
    const auto& content = value.begin().value();
    if (kind == "tensor") {
        capture.value = readTensor(content, arena);
    } else if (kind == "statistics") {
        capture.value = readUnkept(content);
    } else if (kind == "sparse") {
        core::SparseTensor sparse;
        sparse.kind = kindOf(textOf(content, "kind"));
        sparse.shape = shapeOf(content);
        sparse.coalesced = content.value("coalesced", json(false)) == true;
        sparse.indices = owned(readTensor(memberOf(content, "indices"), arena));
        if (sparse.kind != core::StorageKind::coo)
            sparse.plainIndices = owned(readTensor(memberOf(content, "plain"), arena));
        sparse.values = readTensor(memberOf(content, "values"), arena);
        core::io::checkSparse(sparse, "a captured sparse tensor", {});
        capture.value = std::move(sparse);
    } else if (kind != "none") {
        failMessage("a value of an unknown kind");
    }
    return capture;
}

} // namespace app
