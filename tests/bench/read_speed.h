// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/parallel.h"

#include <cstddef>
#include <span>

namespace bench {

/// Reads all bytes with `workers`, four streams each: R, the unit of the table. One stream is no ceiling.
void readOnce(std::span<const std::byte> bytes, const core::Workers& workers);

} // namespace bench
