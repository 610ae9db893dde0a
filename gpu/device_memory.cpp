// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_memory.h"

namespace gpu {

DeviceMemory::Loan::~Loan()
{
    if (!m_memory)
        return;
    try {
        const std::lock_guard lock(m_memory->m_mutex);
        m_memory->m_free.emplace(std::pair(m_kind, m_size), m_data);
    } catch (...) {
        m_memory->release(m_data, m_kind);
    }
}

DeviceMemory::Loan DeviceMemory::take(std::size_t bytes, Kind kind)
{
    constexpr std::size_t step = 4096;
    const std::size_t size = (bytes / step + 1) * step;
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_free.lower_bound({kind, size});
        // Much larger memory is left for larger needs.
        if (found != m_free.end() && found->first.first == kind && found->first.second <= 2 * size) {
            Loan loan(*this, kind, found->second, found->first.second);
            m_free.erase(found);
            return loan;
        }
    }
    return {*this, kind, allocate(size, kind), size};
}

std::byte* DeviceMemory::allocate(std::size_t bytes, Kind kind)
{
    const auto attempt = [&] { return kind == Kind::device ? m_device.allocate(bytes) : m_device.allocatePinned(bytes); };
    try {
        return attempt();
    } catch (const DeviceError& error) {
        if (!error.isMemory())
            throw;
    }
    drop();
    return attempt();
}

void DeviceMemory::drop() noexcept
{
    const std::lock_guard lock(m_mutex);
    for (const auto& [what, data] : m_free)
        release(data, what.first);
    m_free.clear();
}

void DeviceMemory::release(std::byte* data, Kind kind) noexcept
{
    if (kind == Kind::device)
        m_device.release(data);
    else
        m_device.releasePinned(data);
}

} // namespace gpu
