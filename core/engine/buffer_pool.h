// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace core {

/// Big temporaries that are used again: fresh pages cost more than most work done on them. Buffers are aligned to 2 MiB, in
/// huge pages where the system grants them. Thread safe.
class BufferPool
{
public:
    /// A buffer on loan; it goes back when the loan ends. The pool outlives its loans.
    class Loan
    {
    public:
        Loan() = default;
        Loan(Loan&& other) noexcept;
        Loan& operator=(Loan&& other) noexcept;
        ~Loan();

        /// Room for `count` values of a trivial type, contents unspecified.
        template <class T>
        std::span<T> as(std::size_t count) const
        {
            return {reinterpret_cast<T*>(m_bytes), count};
        }
        std::size_t size() const { return m_size; }

    private:
        friend class BufferPool;
        Loan(BufferPool& pool, std::byte* bytes, std::size_t size) : m_pool(&pool), m_bytes(bytes), m_size(size) {}

        BufferPool* m_pool = nullptr;
        std::byte* m_bytes = nullptr;
        std::size_t m_size = 0;
    };

    /// Keeps at most `keptBytes` of buffers that nobody uses.
    explicit BufferPool(std::size_t keptBytes = std::size_t{256} << 20) : m_keptBytes(keptBytes) {}
    ~BufferPool();
    BufferPool(const BufferPool&) = delete;
    BufferPool& operator=(const BufferPool&) = delete;

    /// At least `bytes` bytes. Throws std::bad_alloc.
    Loan take(std::size_t bytes);

private:
    struct Buffer
    {
        std::byte* bytes;
        std::size_t size;
    };
    void giveBack(Buffer buffer) noexcept;

    std::mutex m_mutex;
    std::vector<Buffer> m_free;
    std::size_t m_freeBytes = 0;
    std::size_t m_keptBytes;
};

/// Memory of a tensor that is about to be filled: `bytes` bytes, contents unspecified, from the pool where they are many (a
/// megabyte and more), and given back once the last tensor on them is gone.
class PooledStorage
{
public:
    PooledStorage(std::shared_ptr<BufferPool> pool, std::size_t bytes);

    std::byte* data() const { return m_data; }
    /// The storage; nobody writes to it any more.
    Storage take() &&;

private:
    struct Owner;

    std::shared_ptr<Owner> m_owner;
    std::byte* m_data;
    std::size_t m_size;
};

} // namespace core
