// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"
#include "gpu/gpu.h"

namespace gpu {

/// The GPU engine on a device: a tensor that the device cannot take in, and one on which it fails, are answered by the CPU
/// engine; so are complex and sparse tensors and those without elements, silently. `tell` hears one sentence for each tensor
/// that memory lacks for, and one when the device fails; from then on nothing is asked of it. `device` is its name.
std::unique_ptr<core::Engine> makeGpuEngine(OpenDevice open, std::string device, Tell tell);

} // namespace gpu
