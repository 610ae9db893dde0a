// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/hot_test.h"
#include "core/engine/parallel.h"
#include "core/engine/plane_grid.h"
#include "gpu/device_memory.h"

namespace gpu {

/// Blocks that keep a device busy.
inline constexpr std::int64_t enoughBlocks = 64;

/// The selected part of a strided tensor on a device, packed: plane after plane, batch-major, in the stored type.
class DeviceValues
{
public:
    /// Copies the values there, through pinned memory that is filled while what it held before is on its way. Not for complex
    /// dtypes or tensors without elements. Throws DeviceError, core::Cancelled.
    DeviceValues(const OpenDevice& open, const core::PlaneGrid& grid, const core::Workers& workers, const core::Job& job);
    ~DeviceValues();

    core::DType dtype() const { return m_dtype; }
    Stored type() const { return m_type; }
    const core::Extents& extents() const { return m_extents; }
    Planes planes() const { return {m_values.data(), m_float8.as<float>(), m_extents.channels, m_extents.planeElements()}; }

    Device& device() const { return *m_device; }
    DeviceMemory& memory() const { return *m_memory; }

    /// `count` values of a trivial type from a device array, once all work is done.
    template <class T>
    std::vector<T> fetch(const std::byte* from, std::int64_t count) const
    {
        const auto pinned = m_memory->takeArray<T>(count, DeviceMemory::Kind::pinned);
        m_device->copyOut(pinned.data(), from, static_cast<std::size_t>(count) * sizeof(T));
        m_device->synchronize();
        return {pinned.template as<T>(), pinned.template as<T>() + count};
    }

private:
    core::DType m_dtype;
    Stored m_type;
    core::Extents m_extents;
    std::unique_ptr<Device> m_device;
    std::unique_ptr<DeviceMemory> m_memory;
    DeviceMemory::Loan m_values;
    DeviceMemory::Loan m_float8;
};

/// Waits at its end, also where something throws: copies that are on their way use memory that others get on loan then.
class Settled
{
public:
    explicit Settled(Device& device) : m_device(device) {}
    ~Settled()
    {
        if (m_isDone)
            return;
        try {
            m_device.synchronize();
        } catch (const DeviceError&) {
        }
    }
    Settled(const Settled&) = delete;
    Settled& operator=(const Settled&) = delete;

    /// Nothing is on its way any more.
    void done() { m_isDone = true; }

private:
    Device& m_device;
    bool m_isDone = false;
};

/// An array of a trivial type on a device, from memory of the host.
class DeviceArray
{
public:
    DeviceArray() = default;
    DeviceArray(const DeviceValues& values, const void* from, std::size_t bytes);
    template <class T>
    DeviceArray(const DeviceValues& values, const std::vector<T>& from)
        : DeviceArray(values, from.data(), from.size() * sizeof(T))
    {
    }

    const std::byte* data() const { return m_array.data(); }

private:
    /// Both until the work that was asked for meanwhile is done.
    DeviceMemory::Loan m_pinned;
    DeviceMemory::Loan m_array;
};

/// The conditions of a test on a device.
class DeviceHot
{
public:
    DeviceHot(const DeviceValues& values, const core::HotTest& test);

    /// For all channels.
    HotTable table() const { return {m_conditions.data(), m_step}; }
    /// That of one channel, for all.
    HotTable ofChannel(std::int64_t channel) const
    {
        return {m_conditions.data() + channel * m_step * static_cast<std::int64_t>(m_size), 0};
    }

private:
    std::int64_t m_step;
    std::size_t m_size = 0;
    DeviceArray m_conditions;
};

} // namespace gpu
