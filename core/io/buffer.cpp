// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/buffer.h"

#include "core/error.h"

#include <algorithm>
#include <new>

namespace core::io {

namespace {

constexpr std::align_val_t alignment{64};

} // namespace

Buffer::Buffer(std::size_t size, const std::string& subject) : m_size(size)
{
    try {
        // One byte at least: new of nothing may give the same address twice.
        auto* const memory = static_cast<std::byte*>(operator new(std::max<std::size_t>(size, 1), alignment));
        m_memory = std::shared_ptr<std::byte[]>(memory, [](std::byte* p) { operator delete(p, alignment); });
    } catch (const std::bad_alloc&) {
        throw Error(subject + ": not enough memory for " + std::to_string(size) + " bytes; close other programs");
    }
}

} // namespace core::io
