// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip_archive.h"

#include "core/io/buffer.h"
#include "core/io/byte_view.h"
#include "core/io/inflate.h"
#include "core/io/names.h"
#include "core/io/zip_directory.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <zlib.h>

namespace core::io {

namespace {

constexpr std::uint32_t localSignature = 0x04034b50;
/// Between two looks at the stop token.
constexpr std::size_t pieceBytes = std::size_t{1} << 20;

std::uint32_t crcOf(std::uint32_t crc, std::span<const std::byte> bytes)
{
    const auto* first = reinterpret_cast<const Bytef*>(bytes.data());
    return static_cast<std::uint32_t>(crc32_z(crc, first, bytes.size()));
}

std::uint32_t crcOfStored(std::span<const std::byte> bytes, const Job& job)
{
    std::uint32_t crc = 0;
    for (std::size_t at = 0; at < bytes.size(); at += pieceBytes) {
        job.report(static_cast<double>(at) / static_cast<double>(bytes.size()));
        crc = crcOf(crc, bytes.subspan(at, std::min(pieceBytes, bytes.size() - at)));
    }
    return crc;
}

[[noreturn]] void failSize(const std::string& subject, std::uint64_t declared)
{
    throw Error(fmt::format("{}: does not unpack to its declared {} bytes: the file is damaged, fetch or save it again",
                            subject, declared));
}

std::uint32_t crcOfDeflated(Inflater& inflater, std::uint64_t size, const std::string& subject, const Job& job)
{
    std::vector<std::byte> piece(pieceBytes);
    std::uint32_t crc = 0;
    std::uint64_t done = 0;
    for (;;) {
        job.report(size == 0 ? 0.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(size)));
        const std::size_t got = inflater.read(piece);
        done += got;
        crc = crcOf(crc, std::span(piece).first(got));
        if (done > size || (got < piece.size() && done < size))
            failSize(subject, size);
        if (got < piece.size())
            return crc;
    }
}

Storage inflateAll(Inflater& inflater, std::uint64_t size, const std::string& subject, const Job& job)
{
    const Buffer buffer(static_cast<std::size_t>(size), subject);
    const auto out = buffer.bytes();
    for (std::size_t done = 0; done < out.size();) {
        job.report(static_cast<double>(done) / static_cast<double>(size));
        const auto piece = out.subspan(done, std::min(pieceBytes, out.size() - done));
        if (inflater.read(piece) < piece.size())
            failSize(subject, size);
        done += piece.size();
    }
    std::byte more[1];
    if (inflater.read(more) > 0)
        failSize(subject, size);
    return buffer.storage();
}

} // namespace

std::shared_ptr<const ZipArchive> ZipArchive::open(std::shared_ptr<const MappedFile> file)
{
    const std::string_view head = ByteView(file->bytes()).peek(4);
    if (head != std::string_view("PK\3\4", 4) && head != std::string_view("PK\5\6", 4))
        return nullptr;
    const std::shared_ptr<ZipArchive> archive(new ZipArchive);
    archive->m_members = readZipDirectory(file->bytes(), file->path().string());
    archive->m_file = std::move(file);
    archive->m_byName.resize(archive->m_members.size());
    std::iota(archive->m_byName.begin(), archive->m_byName.end(), 0U);
    const auto& members = archive->m_members;
    std::sort(archive->m_byName.begin(), archive->m_byName.end(),
              [&](auto a, auto b) { return members[a].name < members[b].name; });
    return archive;
}

const ZipMember* ZipArchive::find(std::string_view name) const
{
    const auto isBefore = [this](std::uint32_t member, std::string_view text) { return m_members[member].name < text; };
    const auto found = std::lower_bound(m_byName.begin(), m_byName.end(), name, isBefore);
    if (found == m_byName.end() || m_members[*found].name != name)
        return nullptr;
    const auto next = found + 1;
    if (next != m_byName.end() && m_members[*next].name == name)
        throw Error(subject(m_members[*found]) + " stands in the archive twice: the file is damaged or hostile, save it again");
    return &m_members[*found];
}

std::string ZipArchive::subject(const ZipMember& member) const
{
    return fmt::format("{}: member {}", m_file->path().string(), repairUtf8(member.name));
}

std::span<const std::byte> ZipArchive::packedBytes(const ZipMember& member) const
{
    if (member.encrypted)
        throw Error(subject(member) + " is encrypted: decrypt the archive first");
    if (member.method != 0 && member.method != 8)
        throw Error(fmt::format("{} is packed by method {}, which is not supported: store or deflate it", subject(member),
                                member.method));
    ByteView view(m_file->bytes(), subject(member));
    view.seek(member.headerOffset);
    if (view.little<std::uint32_t>() != localSignature)
        view.fail("no local header");
    // Sizes and checksum of the local header are not believed: a data descriptor may replace them.
    view.skip(22);
    const auto nameLength = view.little<std::uint16_t>();
    const auto extraLength = view.little<std::uint16_t>();
    view.skip(std::uint64_t{nameLength} + extraLength);
    return view.take(member.packedSize);
}

Storage ZipArchive::load(const ZipMember& member, std::int64_t budgetBytes, const Job& job) const
{
    const auto packed = packedBytes(member);
    if (member.isStored())
        return {packed, m_file, m_file};
    if (member.size > static_cast<std::uint64_t>(budgetBytes))
        throw Error(fmt::format("{} unpacks to {} bytes, more than the {} that one entry may take: unpack the archive first",
                                subject(member), member.size, budgetBytes));
    Inflater inflater(packed, subject(member));
    return inflateAll(inflater, member.size, subject(member), job);
}

std::size_t ZipArchive::peek(const ZipMember& member, std::span<std::byte> out) const
{
    const auto packed = packedBytes(member);
    if (!member.isStored())
        return Inflater(packed, subject(member)).read(out);
    const auto count = std::min(out.size(), packed.size());
    std::copy_n(packed.begin(), count, out.begin());
    return count;
}

std::optional<std::string> ZipArchive::verify(const ZipMember& member, const Job& job) const
{
    if (member.crc == 0)
        return std::nullopt;
    const auto packed = packedBytes(member);
    std::uint32_t crc = 0;
    if (member.isStored()) {
        crc = crcOfStored(packed, job);
    } else {
        Inflater inflater(packed, subject(member));
        crc = crcOfDeflated(inflater, member.size, subject(member), job);
    }
    if (crc == member.crc)
        return std::nullopt;
    return fmt::format(
        "{}: its checksum does not match (CRC-32 {:08x}, {:08x} expected): the values may be damaged, fetch or save "
        "the file again",
        subject(member), crc, member.crc);
}

} // namespace core::io
