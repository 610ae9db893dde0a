// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "gpu/device.h"

#include <string>

namespace support {

/// That of the bench; or tensors so small that kernels may be loops, to prove the rows themselves.
enum class SpeedSize { bench, small };

/// Times the rows of the bench on an engine and on the CPU engine, and prints a table: milliseconds of both (the best of
/// several runs, answers on the host), their ratio, and gigabytes of the tensor per second. The answers are compared as well.
/// `open` opens the engine's device. Writes the same to a JSON file where one is named. Returns the number of differences.
int checkSpeed(const core::Engine& engine, const gpu::OpenDevice& open, SpeedSize size, const std::string& jsonFile);

} // namespace support
