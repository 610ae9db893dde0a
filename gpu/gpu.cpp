// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/gpu.h"

#include "gpu/cuda_device.h"
#include "gpu/gpu_engine.h"
#include "gpu/kernels.h"

#include <algorithm>
#include <fmt/format.h>

namespace gpu {
namespace {

/// Kernels are built for 7.5 and later.
bool isSupported(const DeviceFacts& device)
{
    return device.major > 7 || (device.major == 7 && device.minor >= 5);
}

/// "12.4"
std::string versionText(int version)
{
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string deviceText(const DeviceFacts& device)
{
    return fmt::format("{}, compute capability {}.{}", device.name, device.major, device.minor);
}

/// Why there is no device at all.
std::string lackText(const DeviceList& list)
{
    if (list.driver == 0)
        return "no NVIDIA driver is installed";
    // Within a major version, any driver serves any runtime.
    if (list.driver / 1000 < list.runtime / 1000)
        return fmt::format("the NVIDIA driver knows CUDA up to {}, and {} is needed: update the driver",
                           versionText(list.driver), versionText(list.runtime / 1000 * 1000));
    if (list.error != 0 && list.count == 0)
        return fmt::format("no CUDA device can be used (CUDA says \"{}\")", errorText(list.error));
    return "no CUDA device is present";
}

/// The device asked for, or the first that is supported; -1 and a reason when there is none.
int choose(const DeviceList& list, std::optional<int> wanted, std::string& reason)
{
    if (list.count == 0) {
        reason = lackText(list);
        return -1;
    }
    if (wanted && *wanted >= list.count) {
        reason = fmt::format("there is no GPU {}: the last one is {}", *wanted, list.count - 1);
        return -1;
    }
    const int first = wanted.value_or(0);
    const int last = wanted.value_or(list.count - 1);
    for (int i = first; i <= last; ++i)
        if (isSupported(list.devices[i]))
            return i;
    reason = fmt::format("{} is too old: compute capability 7.5 is needed", deviceText(list.devices[first]));
    return -1;
}

} // namespace

Availability findEngine(std::optional<int> device, Tell tell)
{
    Availability found;
    DeviceList list;
    listDevices(list);
    for (int i = 0; i < list.count; ++i)
        found.devices += (i ? "; " : "") + deviceText(list.devices[i]);
    const int number = choose(list, device, found.reason);
    if (number >= 0)
        found.engine = makeGpuEngine([number] { return openCudaDevice(number); }, list.devices[number].name, std::move(tell));
    return found;
}

} // namespace gpu
