// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace core {

/// Bytes of memory that the machine has.
std::int64_t machineBytes();

} // namespace core
