// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/tensor.h"

namespace ui {

/// One element of a [H, W] tensor; for complex dtypes the absolute value. Indices must lie inside.
core::Scalar pixelValue(const core::Tensor& map, std::int64_t y, std::int64_t x);

} // namespace ui
