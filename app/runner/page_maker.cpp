// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/page_maker.h"

#include <algorithm>
#include <sys/mman.h>

namespace runner {
namespace {

/// Since Linux 5.14; where it is unknown, each page is made at its first use.
constexpr int populateRead = 22;
constexpr std::uintptr_t pageBytes = 4096;
/// Made at a time, so that an end is soon heard of.
constexpr std::uint64_t stepBytes = 1 << 20;

} // namespace

void makePages(std::span<std::byte> bytes)
{
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    const std::uintptr_t begin = address / pageBytes * pageBytes;
    ::madvise(reinterpret_cast<void*>(begin), address + bytes.size() - begin, populateRead);
}

PageMaker::PageMaker(std::span<std::byte> bytes, std::uint64_t from)
    : m_bytes(bytes), m_made(from), m_thread([this] { work(); })
{
}

PageMaker::~PageMaker()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_ends = true;
    }
    m_changed.notify_one();
    m_thread.join();
}

void PageMaker::makeUpTo(std::uint64_t offset)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_wanted = std::min<std::uint64_t>(offset, m_bytes.size());
    }
    m_changed.notify_one();
}

void PageMaker::work()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_ends || m_made < m_wanted; });
        if (m_ends)
            return;
        const std::uint64_t begin = m_made;
        m_made = std::min(m_wanted, begin + stepBytes);
        const auto step = m_bytes.subspan(begin, m_made - begin);
        lock.unlock();
        makePages(step);
        lock.lock();
    }
}

} // namespace runner
