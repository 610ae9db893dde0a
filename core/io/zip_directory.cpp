// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip_directory.h"

#include "core/io/byte_view.h"
#include "core/io/inflate.h"
#include "core/io/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace core::io {

namespace {

constexpr std::uint32_t endSignature = 0x06054b50;
constexpr std::uint32_t locator64Signature = 0x07064b50;
constexpr std::uint32_t end64Signature = 0x06064b50;
constexpr std::uint32_t memberSignature = 0x02014b50;
constexpr std::uint64_t endBytes = 22;
constexpr std::uint64_t locator64Bytes = 20;
constexpr std::uint64_t memberBytes = 46;
constexpr std::uint64_t localHeaderBytes = 30;
constexpr std::uint64_t longestComment = 65535;
constexpr std::uint32_t saturated32 = 0xFFFFFFFF;
constexpr std::uint16_t zip64Field = 1;

/// Where the directory lies and how many members it lists.
struct End
{
    std::uint64_t count = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
    /// Where the end records begin: the directory must end here or before.
    std::uint64_t position = 0;
};

/// Position of the end record, searched backwards past the archive's comment.
std::uint64_t findEnd(const ByteView& whole, const std::string& file)
{
    const std::uint64_t size = whole.size();
    const std::uint64_t lowest = size > endBytes + longestComment ? size - endBytes - longestComment : 0;
    for (std::uint64_t at = size >= endBytes ? size - endBytes + 1 : 0; at-- > lowest;) {
        ByteView view = whole;
        view.seek(at);
        if (view.little<std::uint32_t>() != endSignature)
            continue;
        view.skip(16);
        // The comment behind it must end the file: a member may itself hold an archive with an end record.
        if (view.little<std::uint16_t>() == view.left())
            return at;
    }
    throw Error(
        fmt::format("{}: a zip archive without the directory at its end: the file is cut off ({} bytes are here); fetch "
                    "or save it again",
                    file, size));
}

/// The Zip64 end record, when a locator stands before the plain one.
std::optional<End> readEnd64(ByteView view, std::uint64_t end)
{
    if (end < locator64Bytes)
        return std::nullopt;
    view.seek(end - locator64Bytes);
    if (view.little<std::uint32_t>() != locator64Signature)
        return std::nullopt;
    view.skip(4);
    const auto position = view.little<std::uint64_t>();
    view.seek(position);
    if (view.little<std::uint32_t>() != end64Signature)
        view.fail("no Zip64 end record where its locator points");
    view.skip(8 + 2 + 2 + 4 + 4 + 8);
    End result;
    result.count = view.little<std::uint64_t>();
    result.size = view.little<std::uint64_t>();
    result.offset = view.little<std::uint64_t>();
    result.position = position;
    return result;
}

End readEnd(ByteView view, const std::string& file)
{
    End result;
    result.position = findEnd(view, file);
    if (const auto zip64 = readEnd64(view, result.position))
        return *zip64;
    view.seek(result.position + 4);
    if (view.little<std::uint16_t>() != 0 || view.little<std::uint16_t>() != 0)
        throw Error(file + ": a zip archive in several parts: join them into one file first");
    view.skip(2);
    result.count = view.little<std::uint16_t>();
    result.size = view.little<std::uint32_t>();
    result.offset = view.little<std::uint32_t>();
    return result;
}

/// Replaces the saturated fields of a member by those of its Zip64 extra field, which holds just them, in this order.
void readExtra(ZipMember& member, ByteView extra)
{
    while (extra.left() >= 4) {
        const auto id = extra.little<std::uint16_t>();
        const auto length = extra.little<std::uint16_t>();
        if (id != zip64Field) {
            // Some writers leave padding here that is no field: what does not fit is not looked at.
            extra.skip(std::min<std::size_t>(length, extra.left()));
            continue;
        }
        ByteView field(extra.take(length), extra.subject());
        for (std::uint64_t* value : {&member.size, &member.packedSize, &member.headerOffset})
            if (*value == saturated32)
                *value = field.little<std::uint64_t>();
        return;
    }
}

ZipMember readMember(ByteView& directory)
{
    if (directory.little<std::uint32_t>() != memberSignature)
        directory.fail("the entry of a member does not begin with its signature");
    directory.skip(4);
    ZipMember member;
    const auto flags = directory.little<std::uint16_t>();
    member.encrypted = (flags & 1) != 0;
    member.method = directory.little<std::uint16_t>();
    directory.skip(4);
    member.crc = directory.little<std::uint32_t>();
    member.packedSize = directory.little<std::uint32_t>();
    member.size = directory.little<std::uint32_t>();
    const auto nameLength = directory.little<std::uint16_t>();
    const auto extraLength = directory.little<std::uint16_t>();
    const auto commentLength = directory.little<std::uint16_t>();
    directory.skip(8);
    member.headerOffset = directory.little<std::uint32_t>();
    member.name = directory.text(nameLength);
    readExtra(member, ByteView(directory.take(extraLength), directory.subject()));
    directory.skip(commentLength);
    return member;
}

void checkSizes(const ZipMember& member, const std::string& file)
{
    const auto name = repairUtf8(member.name);
    if (member.isStored() && !member.encrypted && member.size != member.packedSize)
        throw Error(
            fmt::format("{}: member {} is stored as {} bytes but declares {}: the file is damaged, fetch or save it again",
                        file, name, member.packedSize, member.size));
    if (member.method == 8 && member.size / Inflater::highestRatio > member.packedSize)
        throw Error(
            fmt::format("{}: member {} declares {} bytes, more than its {} packed bytes can hold: a zip bomb or a damaged "
                        "file; do not trust it",
                        file, name, member.size, member.packedSize));
}

/// Every member, local header and name included, lies before the directory and before the next member.
void checkPlaces(const std::vector<ZipMember>& members, std::uint64_t directory, const std::string& file)
{
    std::vector<std::uint32_t> order(members.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto isBefore = [&](auto a, auto b) { return members[a].headerOffset < members[b].headerOffset; };
    std::sort(order.begin(), order.end(), isBefore);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const ZipMember& member = members[order[i]];
        const bool isLast = i + 1 == order.size();
        const std::uint64_t limit = isLast ? directory : std::min(directory, members[order[i + 1]].headerOffset);
        const std::uint64_t header = localHeaderBytes + member.name.size();
        if (member.headerOffset <= limit && header <= limit - member.headerOffset &&
            member.packedSize <= limit - member.headerOffset - header)
            continue;
        if (isLast || limit == directory)
            throw Error(
                fmt::format("{}: member {} reaches past the end of the archive's data ({} bytes at byte {}): the file is "
                            "damaged, fetch or save it again",
                            file, repairUtf8(member.name), member.packedSize, member.headerOffset));
        throw Error(fmt::format("{}: members {} and {} overlap: the file is damaged or hostile, do not trust it", file,
                                repairUtf8(member.name), repairUtf8(members[order[i + 1]].name)));
    }
}

} // namespace

std::vector<ZipMember> readZipDirectory(std::span<const std::byte> bytes, const std::string& file)
{
    const ByteView whole(bytes, file + ": the zip directory");
    const End end = readEnd(whole, file);
    if (end.offset > end.position || end.size > end.position - end.offset)
        throw Error(fmt::format("{}: the zip directory ({} bytes at byte {}) lies outside the file: it is damaged or cut off, "
                                "fetch or save it again",
                                file, end.size, end.offset));
    if (end.count > end.size / memberBytes || end.count >= saturated32)
        throw Error(
            fmt::format("{}: the zip directory of {} bytes cannot list {} members: the file is damaged, fetch or save it "
                        "again",
                        file, end.size, end.count));
    ByteView directory = whole.part(end.offset, end.size, file + ": the zip directory");
    std::vector<ZipMember> members;
    members.reserve(static_cast<std::size_t>(end.count));
    while (members.size() < end.count) {
        members.push_back(readMember(directory));
        checkSizes(members.back(), file);
    }
    checkPlaces(members, end.offset, file);
    return members;
}

} // namespace core::io
