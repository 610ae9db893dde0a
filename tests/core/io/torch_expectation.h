// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace tests {

/// The elements of a tensor row by row, as hexadecimal digits of their bytes.
inline std::string hexOf(const core::Tensor& tensor)
{
    constexpr char digits[] = "0123456789abcdef";
    const core::Tensor plain = tensor.toContiguous();
    std::string text;
    for (std::int64_t i = 0; i < plain.bytes(); ++i) {
        const auto byte = static_cast<unsigned>(plain.data()[i]);
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

/// What differs between a loaded tensor and {"dtype", "shape", "strides", "data"}; empty when nothing does.
inline std::string differenceOf(const core::Tensor& tensor, const nlohmann::json& expected)
{
    if (core::dtypeName(tensor.dtype()) != expected.at("dtype").get<std::string>())
        return "dtype " + std::string(core::dtypeName(tensor.dtype()));
    if (tensor.shape() != expected.at("shape").get<core::Shape>())
        return "shape " + core::shapeText(tensor.shape());
    if (tensor.strides() != expected.at("strides").get<core::Strides>())
        return "strides " + core::shapeText(tensor.strides());
    if (const auto data = hexOf(tensor); data != expected.at("data").get<std::string>())
        return "data " + data + ", expected " + expected.at("data").get<std::string>();
    return {};
}

/// The same for a sparse tensor: {"shape", "storage", "indices", "plain", "values"}.
inline std::string differenceOf(const core::SparseTensor& tensor, const nlohmann::json& expected)
{
    if (core::storageKindName(tensor.kind) != expected.at("storage").get<std::string>())
        return "storage " + std::string(core::storageKindName(tensor.kind));
    if (tensor.shape != expected.at("shape").get<core::Shape>())
        return "shape " + core::shapeText(tensor.shape);
    if (auto difference = differenceOf(tensor.indices, expected.at("indices")); !difference.empty())
        return "indices: " + difference;
    if (!expected.at("plain").is_null())
        if (auto difference = differenceOf(tensor.plainIndices, expected.at("plain")); !difference.empty())
            return "plain indices: " + difference;
    const auto difference = differenceOf(tensor.values, expected.at("values"));
    return difference.empty() ? difference : "values: " + difference;
}

/// The same for what an entry says of itself and what it loads.
inline std::string differenceOf(const core::Entry& entry, const nlohmann::json& expected)
{
    if (core::entryKindName(entry.kind) != expected.at("kind").get<std::string>())
        return "kind " + std::string(core::entryKindName(entry.kind));
    for (const auto& wanted : expected.value("notes", nlohmann::json::array()))
        if (std::find(entry.notes.begin(), entry.notes.end(), wanted.get<std::string>()) == entry.notes.end())
            return "no note '" + wanted.get<std::string>() + "'";
    if (entry.kind == core::EntryKind::value)
        return entry.value == expected.at("value").get<std::string>() ? std::string() : "value " + entry.value;
    if (entry.kind == core::EntryKind::object || entry.kind == core::EntryKind::layer)
        return entry.type == expected.at("type").get<std::string>() ? std::string() : "type " + entry.type;
    if (core::dtypeName(entry.dtype) != expected.at("dtype").get<std::string>() ||
        entry.shape != expected.at("shape").get<core::Shape>() ||
        core::storageKindName(entry.storage) != expected.at("storage").get<std::string>())
        return "describes itself otherwise: " + std::string(core::dtypeName(entry.dtype)) + core::shapeText(entry.shape);
    if (const auto warning = entry.verify ? entry.verify({}) : std::nullopt)
        return "warns " + *warning;
    const core::Content content = entry.load({});
    if (const auto* sparse = std::get_if<core::SparseTensor>(&content)) {
        if (entry.stored != expected.at("stored").get<std::int64_t>())
            return "stored differs";
        return differenceOf(*sparse, expected);
    }
    if (entry.strides != expected.at("strides").get<core::Strides>())
        return "strides " + core::shapeText(entry.strides);
    if (entry.bytes != std::get<core::Tensor>(content).bytes())
        return "bytes " + std::to_string(entry.bytes);
    return differenceOf(std::get<core::Tensor>(content), expected);
}

} // namespace tests
