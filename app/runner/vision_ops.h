// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace runner {

/// Gives LibTorch torchvision's operators `nms`, `roi_align`, `ps_roi_align`, `roi_pool` and `deform_conv2d` on the CPU,
/// forward only, under torchvision's schemas: those that no operator library has brought. Call it after operator libraries are
/// loaded.
void registerVisionOps();

} // namespace runner
