// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/arena.h"

#include "app/runner/descriptor.h"
#include "app/runner/page_maker.h"
#include "core/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>

namespace runner {
namespace {

/// Blocks of several pages.
constexpr std::uint64_t manyBytes = 64u << 10;
/// A run that captures one layer should not pay for pages that nobody needs.
constexpr std::uint64_t aheadAfter = 4u << 20;
/// What a run may make in vain.
constexpr std::uint64_t mostAhead = 4u << 20;

/// The next multiple of the alignment; the value itself must be far from 2^64.
std::uint64_t aligned(std::uint64_t value)
{
    return (value + Arena::alignment - 1) / Arena::alignment * Arena::alignment;
}

} // namespace

Arena::Arena() = default;

Arena::Arena(const Descriptor& file, std::uint64_t size, std::uint64_t used)
{
    struct stat status = {};
    if (::fstat(file.number(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) < size || used > size)
        throw core::Error("the capture arena is smaller than the message says: send its true size");
    // A file that shrank under the mapping would end the runner with SIGBUS.
    const int seals = ::fcntl(file.number(), F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK))
        throw core::Error("the capture arena is not sealed against shrinking: seal the memfd before it is sent");
    if (size == 0)
        return;
    void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (address == MAP_FAILED)
        throw core::Error(std::string("the capture arena cannot be mapped (") + std::strerror(errno) +
                          "): choose a smaller budget");
    m_address = static_cast<std::byte*>(address);
    m_size = size;
    m_inputs = used;
    m_used = used;
}

Arena::~Arena()
{
    m_pages.reset();
    if (m_address)
        ::munmap(m_address, m_size);
}

std::optional<std::uint64_t> Arena::allocate(std::uint64_t bytes)
{
    const std::uint64_t offset = aligned(m_used);
    if (offset > m_size || bytes > m_size - offset)
        return std::nullopt;
    m_used = offset + bytes;
    preparePages(offset, bytes);
    return offset;
}

void Arena::preparePages(std::uint64_t offset, std::uint64_t bytes)
{
    if (bytes >= manyBytes)
        makePages({m_address + offset, bytes});
    const std::uint64_t captured = m_used - m_inputs;
    if (captured < aheadAfter)
        return;
    if (!m_pages)
        m_pages = std::make_unique<PageMaker>(std::span(m_address, m_size), m_used);
    m_pages->makeUpTo(m_used + mostAhead);
}

std::span<std::byte> Arena::at(std::uint64_t offset, std::uint64_t bytes) const
{
    if (offset > m_size || bytes > m_size - offset)
        throw core::Error("a tensor lies outside the capture arena: check its offset and shape");
    return {m_address + offset, bytes};
}

} // namespace runner
