// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/buffer_pool.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace core {
namespace {

constexpr std::size_t pageBytes = std::size_t{2} << 20;

} // namespace

BufferPool::Loan::Loan(Loan&& other) noexcept
    : m_pool(std::exchange(other.m_pool, nullptr)), m_bytes(std::exchange(other.m_bytes, nullptr)),
      m_size(std::exchange(other.m_size, 0))
{
}

BufferPool::Loan& BufferPool::Loan::operator=(Loan&& other) noexcept
{
    std::swap(m_pool, other.m_pool);
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_size, other.m_size);
    return *this;
}

BufferPool::Loan::~Loan()
{
    if (m_pool)
        m_pool->giveBack({m_bytes, m_size});
}

BufferPool::~BufferPool()
{
    for (const Buffer& buffer : m_free)
        std::free(buffer.bytes);
}

BufferPool::Loan BufferPool::take(std::size_t bytes)
{
    const std::size_t size = std::max(bytes + pageBytes - 1, pageBytes) / pageBytes * pageBytes;
    {
        const std::lock_guard lock(m_mutex);
        // One that is not far too large.
        const auto found = std::find_if(m_free.begin(), m_free.end(),
                                        [&](const Buffer& buffer) { return buffer.size >= size && buffer.size / 2 <= size; });
        if (found != m_free.end()) {
            const Buffer buffer = *found;
            m_free.erase(found);
            m_freeBytes -= buffer.size;
            return Loan(*this, buffer.bytes, buffer.size);
        }
    }
    auto* fresh = static_cast<std::byte*>(std::aligned_alloc(pageBytes, size));
    if (!fresh)
        throw std::bad_alloc();
    // Advice only: ordinary pages do as well.
    madvise(fresh, size, MADV_HUGEPAGE);
    return Loan(*this, fresh, size);
}

void BufferPool::giveBack(Buffer buffer) noexcept
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_freeBytes + buffer.size <= m_keptBytes) {
            try {
                m_free.push_back(buffer);
                m_freeBytes += buffer.size;
                return;
            } catch (const std::bad_alloc&) {
            }
        }
    }
    std::free(buffer.bytes);
}

struct PooledStorage::Owner
{
    // Before the loan, so that it lives longer.
    std::shared_ptr<BufferPool> pool;
    BufferPool::Loan loan;
    std::vector<std::byte> few;
};

PooledStorage::PooledStorage(std::shared_ptr<BufferPool> pool, std::size_t bytes)
    : m_owner(std::make_shared<Owner>()), m_size(bytes)
{
    constexpr std::size_t many = std::size_t{1} << 20;
    if (pool && bytes >= many) {
        m_owner->pool = std::move(pool);
        m_owner->loan = m_owner->pool->take(bytes);
        m_data = m_owner->loan.as<std::byte>(bytes).data();
    } else {
        m_owner->few.resize(bytes);
        m_data = m_owner->few.data();
    }
}

Storage PooledStorage::take() &&
{
    return {{m_data, m_size}, std::move(m_owner), nullptr};
}

} // namespace core
