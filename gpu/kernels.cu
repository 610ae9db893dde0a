// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/kernels.h"

#include <cstring>
#include <cuda_runtime.h>

namespace gpu {

int listDevices(DeviceFacts* devices, int capacity) noexcept
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        return 0;
    for (int i = 0; i < count && i < capacity; ++i) {
        cudaDeviceProp properties;
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess)
            return i;
        std::strncpy(devices[i].name, properties.name, sizeof devices[i].name - 1);
        devices[i].name[sizeof devices[i].name - 1] = 0;
        devices[i].major = properties.major;
        devices[i].minor = properties.minor;
    }
    return count;
}

} // namespace gpu
