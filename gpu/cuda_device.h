// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

namespace gpu {

/// A queue on the CUDA device of a number. Throws DeviceError: device lost, busy, or no code for it in this program.
std::unique_ptr<Device> openCudaDevice(int number);

} // namespace gpu
