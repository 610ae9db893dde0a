// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <map>
#include <mutex>
#include <utility>

namespace gpu {

/// Lends memory of a device, and pinned memory of the host, and keeps what comes back: CUDA takes longer to find memory than to
/// answer a question. Thread safe. Outlives its loans.
class DeviceMemory
{
public:
    enum class Kind { device, pinned };

    /// Memory on loan; it goes back when the loan ends. Whoever lets it go has seen to it that later work on the queue may
    /// write to it; pinned memory: that no copy uses it any more.
    class Loan
    {
    public:
        Loan() = default;
        Loan(Loan&& other) noexcept { swap(other); }
        Loan& operator=(Loan&& other) noexcept
        {
            Loan(std::move(other)).swap(*this);
            return *this;
        }
        ~Loan();

        std::byte* data() const { return m_data; }
        /// The memory as an array.
        template <class T>
        T* as() const
        {
            return reinterpret_cast<T*>(m_data);
        }

    private:
        friend class DeviceMemory;
        Loan(DeviceMemory& memory, Kind kind, std::byte* data, std::size_t size)
            : m_memory(&memory), m_data(data), m_size(size), m_kind(kind)
        {
        }
        void swap(Loan& other) noexcept
        {
            std::swap(m_memory, other.m_memory);
            std::swap(m_data, other.m_data);
            std::swap(m_size, other.m_size);
            std::swap(m_kind, other.m_kind);
        }

        DeviceMemory* m_memory = nullptr;
        std::byte* m_data = nullptr;
        std::size_t m_size = 0;
        Kind m_kind = Kind::device;
    };

    explicit DeviceMemory(Device& device) : m_device(device) {}
    ~DeviceMemory() { drop(); }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// At least `bytes` bytes, contents unspecified. Throws DeviceError.
    Loan take(std::size_t bytes, Kind kind = Kind::device);
    template <class T>
    Loan takeArray(std::int64_t count, Kind kind = Kind::device)
    {
        return take(static_cast<std::size_t>(count) * sizeof(T), kind);
    }

private:
    /// Gives back to the device what nobody has on loan.
    void drop() noexcept;
    std::byte* allocate(std::size_t bytes, Kind kind);
    void release(std::byte* data, Kind kind) noexcept;

    Device& m_device;
    std::mutex m_mutex;
    /// By kind and size.
    std::multimap<std::pair<Kind, std::size_t>, std::byte*> m_free;
};

} // namespace gpu
