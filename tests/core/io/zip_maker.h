// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tests {

/// A member of an archive to be made, and the lies to be told about it.
struct MadeMember
{
    std::string name{};
    std::string data{};
    std::uint16_t method = 0;
    /// What the directory declares instead of the truth.
    std::int64_t declaredSize = -1;
    std::int64_t declaredPacked = -1;
    std::int64_t declaredOffset = -1;
    std::uint32_t crc = 0;
    std::uint16_t flags = 0;
    /// Bytes of zeros behind `data` that are not written (a hole in the file).
    std::uint64_t hole = 0;
};

/// Makes zip archives byte by byte, good and bad ones.
class ZipMaker
{
public:
    /// With Zip64 records for every member and for the directory.
    bool useZip64 = false;
    /// Written instead of the true count of members.
    std::int64_t declaredCount = -1;
    std::vector<MadeMember> members;

    ZipMaker& add(MadeMember member)
    {
        members.push_back(std::move(member));
        return *this;
    }

    /// The archive's bytes (for archives without holes).
    std::string bytes() const
    {
        std::string out;
        for (const auto& [offset, piece] : pieces())
            out += piece;
        return out;
    }

    /// Writes the archive; holes take no room on the disk.
    void write(const std::string& path) const
    {
        std::ofstream file(path, std::ios::binary);
        for (const auto& [offset, piece] : pieces()) {
            file.seekp(static_cast<std::streamoff>(offset));
            file << piece;
        }
    }

private:
    using Pieces = std::vector<std::pair<std::uint64_t, std::string>>;

    template <class T>
    static void put(std::string& out, T value)
    {
        for (std::size_t i = 0; i < sizeof(T); ++i)
            out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
    }

    static std::string localHeader(const MadeMember& member)
    {
        std::string out = "PK\3\4";
        put<std::uint16_t>(out, 20);
        put(out, member.flags);
        put(out, member.method);
        // Times, CRC and sizes: readers must not believe them.
        out.append(16, '\0');
        put(out, static_cast<std::uint16_t>(member.name.size()));
        put<std::uint16_t>(out, 0);
        return out + member.name;
    }

    std::string directoryEntry(const MadeMember& member, std::uint64_t offset) const
    {
        const std::uint64_t truth = member.data.size() + member.hole;
        const auto size = member.declaredSize < 0 ? truth : static_cast<std::uint64_t>(member.declaredSize);
        const auto packed = member.declaredPacked < 0 ? truth : static_cast<std::uint64_t>(member.declaredPacked);
        const auto place = member.declaredOffset < 0 ? offset : static_cast<std::uint64_t>(member.declaredOffset);
        std::string extra;
        if (useZip64) {
            put<std::uint16_t>(extra, 1);
            put<std::uint16_t>(extra, 24);
            put(extra, size);
            put(extra, packed);
            put(extra, place);
        }
        std::string out = "PK\1\2";
        put<std::uint16_t>(out, 45);
        put<std::uint16_t>(out, 45);
        put(out, member.flags);
        put(out, member.method);
        put<std::uint32_t>(out, 0);
        put(out, member.crc);
        put(out, static_cast<std::uint32_t>(useZip64 ? 0xFFFFFFFF : packed));
        put(out, static_cast<std::uint32_t>(useZip64 ? 0xFFFFFFFF : size));
        put(out, static_cast<std::uint16_t>(member.name.size()));
        put(out, static_cast<std::uint16_t>(extra.size()));
        out.append(10, '\0');
        put(out, static_cast<std::uint32_t>(useZip64 ? 0xFFFFFFFF : place));
        return out + member.name + extra;
    }

    std::string endRecords(std::uint64_t offset, std::uint64_t size) const
    {
        const auto count = declaredCount < 0 ? members.size() : static_cast<std::uint64_t>(declaredCount);
        std::string out;
        if (useZip64) {
            out = "PK\6\6";
            put<std::uint64_t>(out, 44);
            put<std::uint16_t>(out, 45);
            put<std::uint16_t>(out, 45);
            put<std::uint64_t>(out, 0);
            put(out, count);
            put(out, count);
            put(out, size);
            put(out, offset);
            out += "PK\6\7";
            put<std::uint32_t>(out, 0);
            put(out, offset + size);
            put<std::uint32_t>(out, 1);
        }
        out += "PK\5\6";
        put<std::uint32_t>(out, 0);
        put(out, static_cast<std::uint16_t>(useZip64 ? 0xFFFF : count));
        put(out, static_cast<std::uint16_t>(useZip64 ? 0xFFFF : count));
        put(out, static_cast<std::uint32_t>(useZip64 ? 0xFFFFFFFF : size));
        put(out, static_cast<std::uint32_t>(useZip64 ? 0xFFFFFFFF : offset));
        put<std::uint16_t>(out, 0);
        return out;
    }

    Pieces pieces() const
    {
        Pieces result;
        std::uint64_t offset = 0;
        std::string directory;
        for (const auto& member : members) {
            directory += directoryEntry(member, offset);
            result.emplace_back(offset, localHeader(member) + member.data);
            offset += result.back().second.size() + member.hole;
        }
        const std::uint64_t size = directory.size();
        result.emplace_back(offset, directory + endRecords(offset, size));
        return result;
    }
};

} // namespace tests
