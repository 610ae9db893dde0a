// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runner/descriptor.h"
#include "app/runner/session.h"

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace runner {

/// A `run` message without its arena.
struct RunRequest
{
    std::int64_t id = 0;
    std::uint64_t seed = 0;
    nlohmann::json arguments;
    Choice choice;
};

/// A model that was read and can be run.
class Model
{
public:
    Model() = default;
    virtual ~Model() = default;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    /// What `opened` tells of it, without `type` and `id`.
    virtual nlohmann::json describe() const = 0;
    /// Runs it once: sends `progress`, `captured`, `output`, then `done` or `failed`. Never throws std::exception.
    virtual void run(const RunRequest& request, Arena& arena, const Session::Send& send) = 0;
};

/// Reads a TorchScript archive onto the CPU ("cpu") or the GPU ("cuda"). Throws LibTorch's exceptions and core::Error.
std::unique_ptr<Model> openTorchScript(Descriptor file, const std::string& device);

} // namespace runner
