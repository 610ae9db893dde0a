// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace runner {

class Descriptor;
class PageMaker;

/// The memory that parent and runner share during one run: inputs first, captures behind them. Every block begins at a
/// multiple of 64 bytes.
class Arena
{
public:
    static constexpr std::uint64_t alignment = 64;

    /// An arena without room.
    Arena();
    /// Maps `size` bytes of a memfd, of which the parent filled the first `used`. Throws core::Error when the file is smaller,
    /// can still be shrunk, or cannot be mapped.
    Arena(const Descriptor& file, std::uint64_t size, std::uint64_t used);
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    /// Offset of `bytes` fresh bytes, or none when they do not fit.
    std::optional<std::uint64_t> allocate(std::uint64_t bytes);
    /// The bytes at an offset. Throws core::Error when they are not inside the arena.
    std::span<std::byte> at(std::uint64_t offset, std::uint64_t bytes) const;

private:
    void preparePages(std::uint64_t offset, std::uint64_t bytes);

    std::byte* m_address = nullptr;
    std::uint64_t m_size = 0;
    std::uint64_t m_inputs = 0;
    std::uint64_t m_used = 0;
    std::unique_ptr<PageMaker> m_pages;
};

} // namespace runner
