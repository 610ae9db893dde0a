// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

namespace support {

/// Compares an engine with the CPU engine on a tensor of more than 2^31 elements (3 GiB of uint8), and prints what it found.
/// Returns the number of differences.
int checkLarge(const core::Engine& engine);

} // namespace support
