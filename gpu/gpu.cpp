// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/gpu.h"

#include "gpu/kernels.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gpu {

Availability findEngine(std::optional<int>, Tell)
{
    std::array<DeviceFacts, 16> devices{};
    const int count = std::min(listDevices(devices.data(), static_cast<int>(devices.size())), static_cast<int>(devices.size()));
    Availability found;
    for (int i = 0; i < count; ++i) {
        const DeviceFacts& device = devices[static_cast<std::size_t>(i)];
        found.devices += fmt::format("{}{}, compute capability {}.{}", i ? "; " : "", device.name, device.major, device.minor);
    }
    found.reason = count ? "this version answers on the CPU only" : "no CUDA device is present";
    return found;
}

} // namespace gpu
