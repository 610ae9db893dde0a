// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "tests/support/runner_client.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace support {

/// What eager PyTorch saw of one of the models under tests/data/models (make_models.py says what is in the files).
struct ModelIndex
{
    nlohmann::json index;
    core::Document values;

    explicit ModelIndex(const std::string& name);
    core::Tensor tensor(const std::string& key) const;
    /// The model's arguments as a `run` message has them, with their tensors copied into the arena.
    nlohmann::json arguments(ClientArena& arena) const;
    /// Bytes that the arguments take in an arena.
    std::uint64_t argumentBytes() const;
};

/// Where two tensors differ by more than `tolerance` of the largest expected magnitude, as text; empty when they agree. NaN
/// equals NaN; dtype and shape must be the same.
std::string difference(const core::Tensor& got, const core::Tensor& expected, double tolerance);
/// The same for the `value` of a `captured` message against an entry of the index.
std::string difference(const nlohmann::json& value, const ClientArena& arena, const nlohmann::json& expected,
                       const ModelIndex& model);

} // namespace support
