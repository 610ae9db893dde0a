// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/arena_pool.h"

#include "core/machine.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace app {

namespace {

/// One that is written and one that is read, as for runs that follow each other.
constexpr std::size_t mostWaiting = 2;

std::int64_t mostWaitingBytes()
{
    return core::machineBytes() / 32;
}

} // namespace

struct ArenaPool::Waiting
{
    std::mutex mutex;
    /// The one that came last is the last.
    std::vector<std::unique_ptr<CaptureArena>> arenas;

    std::int64_t bytes() const
    {
        std::int64_t sum = 0;
        for (const auto& arena : arenas)
            sum += arena->residentBytes();
        return sum;
    }

    void add(std::unique_ptr<CaptureArena> arena)
    {
        const std::lock_guard lock(mutex);
        arena->trim(mostWaitingBytes());
        arenas.push_back(std::move(arena));
        while (arenas.size() > mostWaiting || bytes() > mostWaitingBytes())
            arenas.erase(arenas.begin());
    }

    /// One with room, but none so large that its pages are wasted; or nothing.
    std::unique_ptr<CaptureArena> take(std::int64_t bytes)
    {
        const std::lock_guard lock(mutex);
        const auto fits = [&](const auto& arena) { return arena->capacity() >= bytes && arena->capacity() / 2 <= bytes; };
        const auto found = std::find_if(arenas.rbegin(), arenas.rend(), fits);
        if (found == arenas.rend())
            return nullptr;
        auto arena = std::move(*found);
        arenas.erase(std::prev(found.base()));
        arena->reset(bytes);
        return arena;
    }
};

ArenaPool::ArenaPool() : m_waiting(std::make_shared<Waiting>())
{
    // An arena that comes back must not fail for want of memory.
    m_waiting->arenas.reserve(mostWaiting + 1);
}

ArenaPool::~ArenaPool() = default;

std::shared_ptr<CaptureArena> ArenaPool::take(std::int64_t bytes)
{
    auto arena = m_waiting->take(bytes);
    if (!arena)
        arena = CaptureArena::make(bytes);
    // The last capture to go brings it back, if there is still a pool.
    const auto comeBack = [pool = std::weak_ptr(m_waiting)](CaptureArena* released) {
        std::unique_ptr<CaptureArena> owned(released);
        if (const auto waiting = pool.lock())
            waiting->add(std::move(owned));
    };
    return {arena.release(), comeBack};
}

std::int64_t ArenaPool::waitingBytes() const
{
    const std::lock_guard lock(m_waiting->mutex);
    return m_waiting->bytes();
}

} // namespace app
