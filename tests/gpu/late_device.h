// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <deque>
#include <functional>
#include <mutex>

namespace support {

/// Does nothing of what another device is asked before somebody waits for it: the latest that a queue may be. Who reads,
/// changes or gives back the host's memory too early gets wrong answers or a sentence in `fault`.
class LateDevice : public gpu::OneStart<LateDevice>
{
public:
    explicit LateDevice(std::unique_ptr<gpu::Device> device) : m_device(std::move(device)) {}
    ~LateDevice() override
    {
        const std::lock_guard lock(m_mutex);
        work(m_asked);
    }
    LateDevice(const LateDevice&) = delete;
    LateDevice& operator=(const LateDevice&) = delete;

    std::byte* allocate(std::size_t bytes) override { return m_device->allocate(bytes); }
    void release(std::byte* memory) noexcept override
    {
        const std::lock_guard lock(m_mutex);
        work(m_asked);
        m_device->release(memory);
    }
    std::byte* allocatePinned(std::size_t bytes) override { return m_device->allocatePinned(bytes); }
    void releasePinned(std::byte* memory) noexcept override
    {
        const std::lock_guard lock(m_mutex);
        work(m_asked);
        m_device->releasePinned(memory);
    }

    void copyIn(std::byte* to, const std::byte* from, std::size_t bytes) override
    {
        ask([=, this] { m_device->copyIn(to, from, bytes); });
    }
    void copyRowsIn(std::byte* to, std::size_t toStep, const std::byte* from, std::size_t fromStep, std::size_t rowBytes,
                    std::size_t rows) override
    {
        ask([=, this] { m_device->copyRowsIn(to, toStep, from, fromStep, rowBytes, rows); });
    }
    void copyOut(std::byte* to, const std::byte* from, std::size_t bytes) override
    {
        ask([=, this] { m_device->copyOut(to, from, bytes); });
    }
    void fill(std::byte* to, int value, std::size_t bytes) override
    {
        ask([=, this] { m_device->fill(to, value, bytes); });
    }
    std::size_t prefixScratch(std::int64_t n) override { return m_device->prefixScratch(n); }
    void prefix(const std::uint32_t* counts, std::uint64_t* before, std::int64_t n, std::byte* scratch) override
    {
        ask([=, this] { m_device->prefix(counts, before, n, scratch); });
    }

    void mark(int place) override
    {
        const std::lock_guard lock(m_mutex);
        m_marks[place] = m_asked;
    }
    void await(int place) override
    {
        const std::lock_guard lock(m_mutex);
        work(m_marks[place]);
    }
    void synchronize() override
    {
        const std::lock_guard lock(m_mutex);
        work(m_asked);
    }

private:
    friend class gpu::OneStart<LateDevice>;

    void ask(std::function<void()> item)
    {
        const std::lock_guard lock(m_mutex);
        m_items.push_back(std::move(item));
        ++m_asked;
    }

    template <class Parameters>
    void start(gpu::Stored type, std::int64_t blocks, const Parameters& p)
    {
        ask([=, this] { m_device->launch(type, blocks, p); });
    }

    /// Does the first `end` of all that was ever asked.
    void work(std::int64_t end)
    {
        for (; m_done < end; ++m_done) {
            m_items.front()();
            m_items.pop_front();
        }
    }

    std::unique_ptr<gpu::Device> m_device;
    std::mutex m_mutex;
    std::deque<std::function<void()>> m_items;
    std::int64_t m_asked = 0;
    std::int64_t m_done = 0;
    std::int64_t m_marks[marks] = {};
};

} // namespace support
