// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <memory>
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

/// Looks for a usable GPU. Never throws.
Availability findEngine();

} // namespace gpu
