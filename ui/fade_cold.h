// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frame.h"

namespace ui {

/// A frame's picture with the lowest values transparent and the highest opaque, so that an image below shows where nothing is
/// hot: alpha is the root of the place on the scale. On a diverging scale the middle is transparent; NaN and infinities stay
/// opaque. Frames without a map: the picture.
core::Image fadeCold(const core::Frame& frame);

} // namespace ui
