// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <memory>
#include <string_view>

namespace app {

/// The engine for a device: "auto" (the GPU where one works, else the CPU), "cpu" or "cuda". The environment variable
/// ACTISCOPE_DEVICE stands for "auto" where it is set. Throws core::UsageError for another word, core::Error for "cuda" where
/// there is no such device.
std::unique_ptr<core::Engine> makeEngine(std::string_view device);

} // namespace app
