// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace support {

/// What a test learns of watched devices, and how it makes them fail. Outlives them.
struct Watch
{
    std::mutex mutex;
    /// What was written outside of a buffer.
    std::string damage;
    /// Buffers that were not given back.
    std::int64_t open = 0;
    std::int64_t calls = 0;
    /// Kernels that look at the values for a query.
    std::int64_t passes = 0;
    /// The call that fails (counted from 1), and whether memory is what lacks; later ones fail too when the device is lost.
    std::int64_t failAt = 0;
    bool failsForMemory = false;
};

/// Puts canaries around every buffer of another device, and fails where a test wants it.
class WatchedDevice : public gpu::OneStart<WatchedDevice>
{
public:
    WatchedDevice(std::unique_ptr<gpu::Device> device, Watch& watch) : m_device(std::move(device)), m_watch(watch) {}
    ~WatchedDevice() override
    {
        const std::lock_guard lock(m_watch.mutex);
        m_watch.open += static_cast<std::int64_t>(m_sizes.size());
    }
    WatchedDevice(const WatchedDevice&) = delete;
    WatchedDevice& operator=(const WatchedDevice&) = delete;

    std::byte* allocate(std::size_t bytes) override
    {
        count();
        std::byte* const whole = m_device->allocate(bytes + 2 * margin);
        m_device->fill(whole, canary, margin);
        m_device->fill(whole + margin + bytes, canary, margin);
        const std::lock_guard lock(m_watch.mutex);
        m_sizes[whole + margin] = bytes;
        return whole + margin;
    }
    void release(std::byte* memory) noexcept override
    {
        check(memory);
        {
            const std::lock_guard lock(m_watch.mutex);
            m_sizes.erase(memory);
        }
        m_device->release(memory - margin);
    }
    std::byte* allocatePinned(std::size_t bytes) override
    {
        count();
        return m_device->allocatePinned(bytes);
    }
    void releasePinned(std::byte* memory) noexcept override { m_device->releasePinned(memory); }

    void copyIn(std::byte* to, const std::byte* from, std::size_t bytes) override
    {
        count();
        m_device->copyIn(to, from, bytes);
    }
    void copyRowsIn(std::byte* to, std::size_t toStep, const std::byte* from, std::size_t fromStep, std::size_t rowBytes,
                    std::size_t rows) override
    {
        count();
        m_device->copyRowsIn(to, toStep, from, fromStep, rowBytes, rows);
    }
    void copyOut(std::byte* to, const std::byte* from, std::size_t bytes) override
    {
        count();
        m_device->copyOut(to, from, bytes);
    }
    void fill(std::byte* to, int value, std::size_t bytes) override
    {
        count();
        m_device->fill(to, value, bytes);
    }

    std::size_t prefixScratch(std::int64_t n) override { return m_device->prefixScratch(n); }
    void prefix(const std::uint32_t* counts, std::uint64_t* before, std::int64_t n, std::byte* scratch) override
    {
        count();
        m_device->prefix(counts, before, n, scratch);
    }

    void mark(int place) override { m_device->mark(place); }
    void await(int place) override { m_device->await(place); }
    void synchronize() override
    {
        count();
        m_device->synchronize();
    }

private:
    friend class gpu::OneStart<WatchedDevice>;

    static constexpr std::size_t margin = 4096;
    static constexpr int canary = 0xc7;

    template <class Parameters>
    static constexpr bool isPass =
        std::is_same_v<Parameters, gpu::ReduceParameters> || std::is_same_v<Parameters, gpu::CountParameters> ||
        std::is_same_v<Parameters, gpu::SumParameters> || std::is_same_v<Parameters, gpu::MarkParameters>;

    /// Counts a call, and fails when it is its turn.
    void count()
    {
        const std::lock_guard lock(m_watch.mutex);
        ++m_watch.calls;
        if (m_watch.failAt > 0 &&
            (m_watch.calls == m_watch.failAt || (m_watch.calls > m_watch.failAt && !m_watch.failsForMemory)))
            throw gpu::DeviceError("the test says so", m_watch.failsForMemory);
    }

    template <class Parameters>
    void start(gpu::Stored type, std::int64_t blocks, const Parameters& p)
    {
        count();
        if constexpr (isPass<Parameters>) {
            const std::lock_guard lock(m_watch.mutex);
            ++m_watch.passes;
        }
        m_device->launch(type, blocks, p);
    }

    void check(std::byte* memory) noexcept
    {
        try {
            std::size_t bytes = 0;
            {
                const std::lock_guard lock(m_watch.mutex);
                bytes = m_sizes.at(memory);
            }
            for (const std::size_t side : {std::size_t{0}, margin + bytes}) {
                std::vector<std::byte> found(margin);
                m_device->copyOut(found.data(), memory - margin + side, margin);
                m_device->synchronize();
                for (std::size_t i = 0; i < margin; ++i)
                    if (found[i] != std::byte{canary}) {
                        const std::lock_guard lock(m_watch.mutex);
                        m_watch.damage = fmt::format("a buffer of {} bytes: byte {} {} it was written", bytes,
                                                     side ? i : margin - i, side ? "after" : "before");
                    }
            }
        } catch (const std::exception& error) {
            const std::lock_guard lock(m_watch.mutex);
            m_watch.damage = error.what();
        }
    }

    std::unique_ptr<gpu::Device> m_device;
    Watch& m_watch;
    std::map<std::byte*, std::size_t> m_sizes;
};

} // namespace support
