// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.h"
#include "core/io/reader.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuzz {

/// Opens the bytes as a file, loads and verifies every tensor, as a whole program would. Returns 0, as libFuzzer asks.
inline int readAll(core::io::Reader* reader, const std::uint8_t* data, std::size_t size)
{
    const core::io::Limits limits{.budgetBytes = std::int64_t{1} << 26};
    try {
        const auto document = reader(core::MappedFile::fromBytes("fuzz", std::as_bytes(std::span(data, size))), limits, {});
        if (!document)
            return 0;
        for (const auto& entry : document->entries) {
            if (!entry.isTensor())
                continue;
            try {
                const auto content = entry.load({});
                if (const auto* tensor = std::get_if<core::Tensor>(&content); tensor && tensor->bytes() < (1 << 24))
                    tensor->toContiguous();
                if (entry.verify)
                    entry.verify({});
            } catch (const core::Error&) {
            }
        }
    } catch (const core::Error&) {
    }
    return 0;
}

} // namespace fuzz
