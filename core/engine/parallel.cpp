// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/parallel.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

namespace core {

std::byte* Scratch::bytes(std::size_t slot, std::size_t size)
{
    constexpr std::size_t alignment = 64;
    if (m_slots.size() <= slot)
        m_slots.resize(slot + 1);
    std::vector<std::byte>& room = m_slots[slot];
    if (room.size() < size + alignment)
        room.resize(size + alignment);
    void* aligned = room.data();
    std::size_t space = room.size();
    return static_cast<std::byte*>(std::align(alignment, size, aligned, space));
}

namespace {

// oneTBB orders a caller's work, the items, and what follows them. These say so once more where the thread sanitizer sees it:
// the library is built without.

/// Global, so that a worker finds it before it reads anything of the caller's.
std::atomic<std::int64_t> begun = 0;

/// Ends a worker's part, whatever is thrown in it.
struct PartEnd
{
    std::atomic<std::int64_t>& ended;
    ~PartEnd() { ended.fetch_add(1, std::memory_order_release); }
};

/// Ends the whole on the caller's thread.
struct WholeEnd
{
    std::atomic<std::int64_t>& ended;
    ~WholeEnd() { ended.load(std::memory_order_acquire); }
};

} // namespace

void forParts(std::int64_t items, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& work)
{
    std::atomic<std::int64_t> ended = 0;
    const WholeEnd wholeEnd{ended};
    begun.fetch_add(1, std::memory_order_release);
    // A context of its own: a stop inside one caller's work must not cancel another's.
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, items, static_cast<std::size_t>(std::max(grain, std::int64_t{1}))),
        [&](const tbb::blocked_range<std::int64_t>& range) {
            begun.load(std::memory_order_acquire);
            const PartEnd partEnd{ended};
            work(range.begin(), range.end());
        },
        context);
}

struct Workers::Arena
{
    explicit Arena(int threads) : arena(threads) {}
    tbb::task_arena arena;
};

Workers::Workers(int threads) : m_arena(std::make_unique<Arena>(threads > 0 ? threads : int{tbb::task_arena::automatic})) {}

Workers::~Workers() = default;

int Workers::threads() const
{
    return m_arena->arena.max_concurrency();
}

void Workers::forEach(std::int64_t items, const Job& job, const std::function<void(std::int64_t, Scratch&)>& body, double from,
                      double to) const
{
    job.check();
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<std::int64_t> done = 0;
    tbb::enumerable_thread_specific<Scratch> scratches;
    const auto step = [&](std::int64_t item) {
        job.check();
        body(item, scratches.local());
        const std::int64_t finished = done.fetch_add(1, std::memory_order_relaxed) + 1;
        if (job.progress && std::this_thread::get_id() == caller)
            job.progress(from + (to - from) * static_cast<double>(finished) / static_cast<double>(items));
    };
    if (items <= 1 || threads() == 1) {
        for (std::int64_t item = 0; item < items; ++item)
            step(item);
        return;
    }
    m_arena->arena.execute([&] {
        forParts(items, 1, [&](std::int64_t first, std::int64_t end) {
            for (std::int64_t item = first; item != end; ++item)
                step(item);
        });
    });
}

} // namespace core
