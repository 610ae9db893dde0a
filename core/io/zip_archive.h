// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/mapped_file.h"
#include "core/progress.h"
#include "core/tensor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core::io {

/// One member of a zip archive as the central directory describes it.
struct ZipMember
{
    /// The name's bytes as stored.
    std::string name;
    /// Bytes of the data, unpacked and as stored in the file. A stored member has both equal.
    std::uint64_t size = 0;
    std::uint64_t packedSize = 0;
    /// Where the member's local header begins.
    std::uint64_t headerOffset = 0;
    /// CRC-32 of the unpacked data; 0 where the writer made none.
    std::uint32_t crc = 0;
    /// 0 stored, 8 deflated; others cannot be read.
    std::uint16_t method = 0;
    bool encrypted = false;

    bool isStored() const { return method == 0; }
    bool isFolder() const { return !name.empty() && name.back() == '/'; }
};

/// A zip archive over a mapped file, read by its central directory only, as PyTorch does (PKWARE APPNOTE 6.3.3, Zip64
/// included). Stored members are used in place. Immutable, thread safe.
class ZipArchive
{
public:
    /// Null when the file does not begin like a zip archive. Throws Error for a broken one: no directory at the end, members
    /// outside the file or over one another, sizes that contradict each other or no deflate stream can have.
    static std::shared_ptr<const ZipArchive> open(std::shared_ptr<const MappedFile> file);

    const std::shared_ptr<const MappedFile>& file() const { return m_file; }
    /// In the directory's order. Names may repeat.
    const std::vector<ZipMember>& members() const { return m_members; }
    /// The member of a name, or null. Throws Error when two members share the name.
    const ZipMember* find(std::string_view name) const;

    /// The data of a member: mapped in place when stored; inflated when deflated (grows only as bytes really inflate, up to the
    /// declared size). Throws Error: bad local header, encrypted, unknown method, past `budgetBytes`, not the declared size;
    /// Cancelled.
    Storage load(const ZipMember& member, std::int64_t budgetBytes, const Job& job) const;
    /// Copies the first bytes of a member's unpacked data and tells how many; fewer than asked only where it ends. Throws as
    /// load() does.
    std::size_t peek(const ZipMember& member, std::span<std::byte> out) const;
    /// Compares the member's CRC-32 with its data, without keeping what it inflates. The warning to show, or nothing when they
    /// match or the archive has no CRC for it. Throws as load() does.
    std::optional<std::string> verify(const ZipMember& member, const Job& job) const;

private:
    ZipArchive() = default;
    std::span<const std::byte> packedBytes(const ZipMember& member) const;
    /// "FILE: member NAME", the beginning of messages.
    std::string subject(const ZipMember& member) const;

    std::shared_ptr<const MappedFile> m_file;
    std::vector<ZipMember> m_members;
    /// Positions in m_members, sorted by name.
    std::vector<std::uint32_t> m_byName;
};

} // namespace core::io
