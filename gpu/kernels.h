// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace gpu {

/// What the CUDA runtime says of one device.
struct DeviceFacts
{
    char name[256];
    int major;
    int minor;
};

/// Fills up to `capacity` devices and returns how many there are; 0 also when the driver is missing.
int listDevices(DeviceFacts* devices, int capacity) noexcept;

} // namespace gpu
