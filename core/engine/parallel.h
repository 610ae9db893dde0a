// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace core {

/// Memory that one thread reuses from item to item, so that no item pays for fresh pages.
class Scratch
{
public:
    /// Room for `count` values of a trivial type, aligned to 64 bytes, contents unspecified; valid until the slot is taken
    /// again.
    template <class T>
    T* take(std::size_t slot, std::int64_t count)
    {
        return reinterpret_cast<T*>(bytes(slot, static_cast<std::size_t>(count) * sizeof(T)));
    }

private:
    std::byte* bytes(std::size_t slot, std::size_t size);

    std::vector<std::vector<std::byte>> m_slots;
};

/// Calls work(first, end) for parts of the items 0 .. items - 1, most of them of `grain` or more, on the machine's threads, in
/// no order. What `work` throws is thrown here.
void forParts(std::int64_t items, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& work);

/// The threads of an engine. Thread safe; several callers share them.
class Workers
{
public:
    /// 0: all of the machine's.
    explicit Workers(int threads);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    int threads() const;

    /// Calls `body` once for each item 0 .. items - 1, on several threads, in no order. Before each item it checks for a stop;
    /// on the calling thread it reports progress between `from` and `to`. What a body throws ends the work and is thrown here.
    void forEach(std::int64_t items, const Job& job, const std::function<void(std::int64_t, Scratch&)>& body, double from = 0,
                 double to = 1) const;

private:
    struct Arena;
    std::unique_ptr<Arena> m_arena;
};

} // namespace core
