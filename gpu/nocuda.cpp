// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda_device.h"
#include "gpu/gpu.h"

namespace gpu {

Availability findEngine(std::optional<int>, Tell)
{
    return {nullptr, "the program was built without CUDA because " ACTISCOPE_NO_CUDA_REASON, {}};
}

std::unique_ptr<Device> openCudaDevice(int)
{
    throw DeviceError("the program was built without CUDA", false);
}

} // namespace gpu
