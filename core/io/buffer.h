// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace core::io {

/// Memory that a reader fills and then hands out as a Storage. Aligned to 64 bytes, not initialised: pages that are never
/// written take no memory.
class Buffer
{
public:
    /// Throws Error that begins with `subject` when there is no memory.
    Buffer(std::size_t size, const std::string& subject);

    std::span<std::byte> bytes() const { return {m_memory.get(), m_size}; }
    /// The bytes as an immutable storage; the buffer must not be written any more.
    Storage storage() const { return {bytes(), m_memory, nullptr}; }

private:
    std::shared_ptr<std::byte[]> m_memory;
    std::size_t m_size;
};

} // namespace core::io
