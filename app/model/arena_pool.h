// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/capture_arena.h"

#include <cstdint>
#include <memory>

namespace app {

/// The arenas of one runner. One that nobody reads any more is given again: fresh pages cost more time than what is copied into
/// them. An arena whose captures are still held is never given again, and none goes from one runner to another, so that no
/// model sees, or can write to, what another one gave. Thread-safe; captures may outlive it.
class ArenaPool
{
public:
    ArenaPool();
    ~ArenaPool();
    ArenaPool(const ArenaPool&) = delete;
    ArenaPool& operator=(const ArenaPool&) = delete;

    /// An empty arena of at least so many bytes. Throws core::Error when the system gives no such memory.
    std::shared_ptr<CaptureArena> take(std::int64_t bytes);
    /// Bytes of memory that arenas waiting for their next run hold: at most a 32nd of the machine's.
    std::int64_t waitingBytes() const;

private:
    struct Waiting;

    std::shared_ptr<Waiting> m_waiting;
};

} // namespace app
