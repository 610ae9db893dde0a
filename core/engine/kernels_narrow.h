// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/dtype.h"

#include <cstdint>

namespace core {

/// What toHalf and toBFloat16 make of each of `n` values. Kernels: see kernels.h.
void narrow(const float* values, std::int64_t n, Half* narrowed);
void narrow(const float* values, std::int64_t n, BFloat16* narrowed);

} // namespace core
