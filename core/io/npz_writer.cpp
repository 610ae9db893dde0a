// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/io/chunks.h"
#include "core/io/write.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace core::io {

namespace {

/// One stored member; sizes and place are known before anything is written, so that a pipe works too.
struct Member
{
    std::string name;
    std::string header;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;
    std::uint32_t crc = 0;
};

constexpr std::uint64_t zip64Mark = 0xffffffff;

template <class T>
void put(std::string& text, T value)
{
    for (std::size_t i = 0; i < sizeof(T); ++i)
        text += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint32_t narrowed(std::uint64_t value, bool zip64)
{
    return static_cast<std::uint32_t>(zip64 ? zip64Mark : value);
}

std::uint32_t checksum(std::uint32_t crc, std::span<const std::byte> bytes)
{
    // zlib takes a null pointer for "start anew".
    if (bytes.empty())
        return crc;
    return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// The fields that a local header and a directory record share (APPNOTE.TXT 4.3.7, 4.3.12), from "version needed" to the
/// length of the extra field.
void putShared(std::string& text, const Member& member, bool zip64, std::size_t extraBytes)
{
    constexpr std::uint16_t utf8Names = 1 << 11;
    constexpr std::uint16_t firstDay = 1 << 5 | 1; // 1980-01-01, as numpy.savez writes: the same data gives the same file
    put<std::uint16_t>(text, zip64 ? 45 : 20);
    put<std::uint16_t>(text, utf8Names);
    put<std::uint16_t>(text, 0);
    put<std::uint16_t>(text, 0);
    put<std::uint16_t>(text, firstDay);
    put<std::uint32_t>(text, member.crc);
    put<std::uint32_t>(text, narrowed(member.bytes, zip64));
    put<std::uint32_t>(text, narrowed(member.bytes, zip64));
    put<std::uint16_t>(text, static_cast<std::uint16_t>(member.name.size()));
    put<std::uint16_t>(text, static_cast<std::uint16_t>(extraBytes));
}

std::string localHeader(const Member& member)
{
    const bool zip64 = member.bytes >= zip64Mark;
    std::string text;
    put<std::uint32_t>(text, 0x04034b50);
    putShared(text, member, zip64, zip64 ? 20 : 0);
    text += member.name;
    if (zip64) {
        put<std::uint16_t>(text, 1);
        put<std::uint16_t>(text, 16);
        put<std::uint64_t>(text, member.bytes);
        put<std::uint64_t>(text, member.bytes);
    }
    return text;
}

std::string directoryRecord(const Member& member)
{
    const bool zip64 = member.bytes >= zip64Mark || member.offset >= zip64Mark;
    std::string text;
    put<std::uint32_t>(text, 0x02014b50);
    put<std::uint16_t>(text, 3 << 8 | 45); // made on Unix
    putShared(text, member, zip64, zip64 ? 28 : 0);
    put<std::uint16_t>(text, 0);
    put<std::uint16_t>(text, 0);
    put<std::uint16_t>(text, 0);
    put<std::uint32_t>(text, std::uint32_t{0600} << 16);
    put<std::uint32_t>(text, narrowed(member.offset, zip64));
    text += member.name;
    if (zip64) {
        put<std::uint16_t>(text, 1);
        put<std::uint16_t>(text, 24);
        put<std::uint64_t>(text, member.bytes);
        put<std::uint64_t>(text, member.bytes);
        put<std::uint64_t>(text, member.offset);
    }
    return text;
}

std::string directoryEnd(std::uint64_t count, std::uint64_t offset, std::uint64_t size)
{
    const bool zip64 = count >= 0xffff || offset >= zip64Mark || size >= zip64Mark;
    std::string text;
    if (zip64) {
        put<std::uint32_t>(text, 0x06064b50);
        put<std::uint64_t>(text, 44);
        put<std::uint16_t>(text, 3 << 8 | 45);
        put<std::uint16_t>(text, 45);
        put<std::uint64_t>(text, 0);
        put<std::uint64_t>(text, count);
        put<std::uint64_t>(text, count);
        put<std::uint64_t>(text, size);
        put<std::uint64_t>(text, offset);
        put<std::uint32_t>(text, 0x07064b50);
        put<std::uint32_t>(text, 0);
        put<std::uint64_t>(text, offset + size);
        put<std::uint32_t>(text, 1);
    }
    put<std::uint32_t>(text, 0x06054b50);
    put<std::uint32_t>(text, 0);
    put<std::uint16_t>(text, static_cast<std::uint16_t>(zip64 ? 0xffff : count));
    put<std::uint16_t>(text, static_cast<std::uint16_t>(zip64 ? 0xffff : count));
    put<std::uint32_t>(text, narrowed(size, zip64));
    put<std::uint32_t>(text, narrowed(offset, zip64));
    put<std::uint16_t>(text, 0);
    return text;
}

Member describe(const NpzMember& array)
{
    Member member;
    member.name = array.name + ".npy";
    if (member.name.size() > 0xffff)
        throw Error(
            fmt::format("cannot write the array {}...: its name is longer than a zip allows", array.name.substr(0, 40)));
    member.header = npyHeader(array.dtype, array.shape);
    member.bytes = member.header.size() + static_cast<std::uint64_t>(elementCount(array.shape)) * itemSize(array.dtype);
    member.crc = checksum(0, std::as_bytes(std::span(member.header)));
    array.produce([&](std::span<const std::byte> bytes) { member.crc = checksum(member.crc, bytes); });
    return member;
}

} // namespace

void writeNpzMembers(const std::filesystem::path& path, const std::vector<NpzMember>& members)
{
    AtomicFile file(path);
    std::uint64_t offset = 0;
    std::string directory;
    for (const auto& array : members) {
        auto member = describe(array);
        member.offset = offset;
        const auto header = localHeader(member);
        file.write(header);
        file.write(member.header);
        array.produce([&](std::span<const std::byte> bytes) { file.write(bytes); });
        offset += header.size() + member.bytes;
        directory += directoryRecord(member);
    }
    file.write(directory);
    file.write(directoryEnd(members.size(), offset, directory.size()));
    file.commit();
}

void writeNpz(const std::filesystem::path& path, const std::vector<std::pair<std::string, Tensor>>& tensors)
{
    std::vector<NpzMember> members;
    for (const auto& [name, tensor] : tensors)
        members.push_back({name, npyDType(tensor.dtype()), tensor.shape(),
                           [&array = tensor](const ByteSink& sink) { forEachChunk(array, sink); }});
    writeNpzMembers(path, members);
}

} // namespace core::io
