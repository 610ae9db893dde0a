// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

struct stat;

namespace core {

/// A file mapped read-only. Knows its size and time at opening; survives the file being truncated under it:
/// a SIGBUS handler maps zeros over the rest of the mapping, flags the file, and the next verify() throws.
class MappedFile
{
public:
    /// Throws Error (file, reason, remedy): missing, a directory, unreadable, not a regular file.
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
    /// A copy of `bytes` that stands for a file of that name and never changes (for fuzzing and tests).
    static std::shared_ptr<const MappedFile> fromBytes(const std::filesystem::path& name, std::span<const std::byte> bytes);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::span<const std::byte> bytes() const { return m_bytes; }
    /// Throws Error when the file shrank, changed, or a read of it faulted since opening.
    void verify() const;
    /// True when the file of this name is another one, or its size or modification time differ from those at opening (for
    /// "changed on disk" notices).
    bool changedOnDisk() const;

private:
    MappedFile() = default;
    bool isMapped() const { return m_slot != nullptr; }
    bool matches(const struct ::stat& status) const;

    std::filesystem::path m_path;
    std::span<const std::byte> m_bytes;
    /// What m_bytes shows when it is no mapping.
    std::vector<std::byte> m_owned;
    int m_descriptor = -1;
    std::int64_t m_modifiedNs = 0;
    std::uint64_t m_device = 0;
    std::uint64_t m_inode = 0;
    /// Set by the SIGBUS handler.
    std::atomic<bool> m_faulted = false;
    /// Where the SIGBUS handler finds this mapping; null without one.
    void* m_slot = nullptr;
};

} // namespace core
