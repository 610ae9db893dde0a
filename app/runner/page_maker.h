// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>

namespace runner {

/// Makes the pages of fresh shared memory in one go: a third cheaper than one page fault each.
void makePages(std::span<std::byte> bytes);

/// Makes pages ahead of their use, in a thread of its own: a fresh page costs as much time as some layers take to fill it.
class PageMaker
{
public:
    /// `bytes` must outlive this.
    explicit PageMaker(std::span<std::byte> bytes, std::uint64_t from);
    PageMaker(const PageMaker&) = delete;
    PageMaker& operator=(const PageMaker&) = delete;
    ~PageMaker();

    /// From now on pages up to this offset will be of use.
    void makeUpTo(std::uint64_t offset);

private:
    void work();

    std::span<std::byte> m_bytes;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::uint64_t m_made;
    std::uint64_t m_wanted = 0;
    bool m_ends = false;
    std::thread m_thread;
};

} // namespace runner
