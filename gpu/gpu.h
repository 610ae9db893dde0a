// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gpu {

/// The GPU engine, or the reason why there is none.
struct Availability
{
    /// Null where no GPU engine can answer.
    std::unique_ptr<core::Engine> engine;
    /// One clause for people ("no CUDA device is present"); empty when there is an engine.
    std::string reason;
    /// What was found, for --version ("NVIDIA H200, compute capability 9.0"); empty for nothing.
    std::string devices;
};

/// Hears one sentence when the GPU cannot go on (memory, lost device) and the CPU answers instead.
using Tell = std::function<void(const std::string&)>;

/// Looks for a usable GPU: the one of a number, or the first that works. `tell` is called once at most, on the thread that
/// called the engine. Never throws.
Availability findEngine(std::optional<int> device = std::nullopt, Tell tell = {});

} // namespace gpu
