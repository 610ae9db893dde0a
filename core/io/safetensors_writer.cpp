// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/io/chunks.h"
#include "core/io/safetensors_header.h"
#include "core/io/write.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>

namespace core::io {

namespace {

std::string_view wordOf(const std::string& name, DType dtype)
{
    for (const auto& word : safeDTypes())
        if (word.dtype == dtype)
            return word.name;
    throw Error(fmt::format("{} cannot be written: safetensors has no {}; write an .npz", name, dtypeName(dtype)));
}

} // namespace

void writeSafetensors(const std::filesystem::path& path, const std::vector<std::pair<std::string, Tensor>>& tensors)
{
    std::vector<const std::pair<std::string, Tensor>*> order;
    for (const auto& tensor : tensors)
        order.push_back(&tensor);
    std::ranges::stable_sort(order, std::greater{}, [](const auto* tensor) { return itemSize(tensor->second.dtype()); });
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    std::int64_t end = 0;
    for (const auto* tensor : order) {
        const auto& [name, values] = *tensor;
        if (header.contains(name))
            throw Error(fmt::format("{} is given twice and cannot be written", name));
        const auto begin = end;
        end += values.bytes();
        header[name] = {{"dtype", wordOf(name, values.dtype())}, {"shape", values.shape()}, {"data_offsets", {begin, end}}};
    }
    auto text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    // Data begins at a multiple of 8 (safetensors, README: "Format").
    text.append((8 - text.size() % 8) % 8, ' ');
    std::array<std::byte, 8> length;
    for (std::size_t i = 0; i < length.size(); ++i)
        length[i] = static_cast<std::byte>(text.size() >> (8 * i) & 0xff);
    AtomicFile file(path);
    file.write(length);
    file.write(text);
    for (const auto* tensor : order)
        forEachStoredChunk(tensor->second, [&](std::span<const std::byte> bytes) { file.write(bytes); });
    file.commit();
}

} // namespace core::io
