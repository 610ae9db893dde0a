// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace app {

/// The engine for a device: "auto" (the first GPU that works, else the CPU), "cpu", "cuda" (the first GPU) or "cuda:N". The
/// environment variable ACTISCOPE_DEVICE stands for "auto" where it is set. `tell` hears, in one sentence and once, that the
/// GPU cannot go on and the CPU answers instead: on the thread that asked the engine. Throws core::UsageError for another
/// word, core::Error for a GPU that cannot be used.
std::unique_ptr<core::Engine> makeEngine(std::string_view device, std::function<void(const std::string&)> tell = {});

/// 0 for "cuda", N for "cuda:N"; nothing for "auto" and "cpu". Throws core::UsageError for another word.
std::optional<int> gpuNumber(std::string_view device);

} // namespace app
