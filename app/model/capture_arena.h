// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <cstdint>
#include <memory>
#include <span>

namespace app {

/// Memory shared with the runner for one run at a time: input tensors in front, captures behind. It can neither shrink nor
/// grow, so that nothing can be cut off under a reader; tensors made of it keep it alive. The runner may still write to it:
/// values read from it are data, never trusted as sizes or indices.
class CaptureArena : public std::enable_shared_from_this<CaptureArena>
{
public:
    /// Bytes at which values begin are multiples of this.
    static constexpr std::int64_t alignment = 64;

    /// Pages are taken when touched. Throws core::Error when the system gives no such memory.
    static std::unique_ptr<CaptureArena> make(std::int64_t bytes);
    ~CaptureArena();
    CaptureArena(const CaptureArena&) = delete;
    CaptureArena& operator=(const CaptureArena&) = delete;

    int descriptor() const { return m_descriptor; }
    /// Bytes that the run may use.
    std::int64_t bytes() const { return m_size; }
    /// Bytes that there are.
    std::int64_t capacity() const { return static_cast<std::int64_t>(m_bytes.size()); }
    /// Bytes that put() has filled, rounded up to the alignment.
    std::int64_t used() const { return m_used; }
    /// Copies a tensor in, contiguous, and returns its offset. Throws core::Error when it does not fit.
    std::int64_t put(const core::Tensor& tensor);
    /// Makes it an empty one of `bytes`, at most its capacity. Nobody may hold a tensor of it.
    void reset(std::int64_t bytes);
    /// Gives the memory behind its first `keptBytes` back to the system.
    void trim(std::int64_t keptBytes);
    /// Bytes of memory that it takes.
    std::int64_t residentBytes() const;
    /// A contiguous tensor at an offset. Throws core::Error when it is unaligned or reaches past the end. The arena must be
    /// held by a shared_ptr.
    core::Tensor tensor(core::DType dtype, core::Shape shape, std::int64_t offset) const;

private:
    CaptureArena() = default;

    int m_descriptor = -1;
    std::span<std::byte> m_bytes;
    std::int64_t m_size = 0;
    std::int64_t m_used = 0;
};

/// Bytes that a tensor takes in an arena.
std::int64_t arenaBytes(std::int64_t tensorBytes);

} // namespace app
