// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torch_archive.h"

#include "core/io/pickle.h"
#include "core/io/reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace core::io {

namespace {

/// Pickles up to this size, which are read anyway, have their checksum compared at once.
constexpr std::uint64_t checkedPickleBytes = std::uint64_t{16} << 20;

/// More source text than any real program has.
constexpr std::uint64_t longestSources = std::uint64_t{64} << 20;

} // namespace

TorchArchive::TorchArchive(std::shared_ptr<const ZipArchive> zip, std::string folder, std::int64_t budgetBytes)
    : m_zip(std::move(zip)), m_folder(std::move(folder)), m_budgetBytes(budgetBytes),
      m_records(std::make_shared<RecordSource>())
{
    const auto memberOf = [](const ZipArchive& archive, const StorageRecord& record) -> const ZipMember& {
        return archive.members()[static_cast<std::size_t>(record.place)];
    };
    m_records->subject = [archive = m_zip, memberOf](const StorageRecord& record) {
        return fmt::format("{}: member {}", archive->file()->path().string(), repairUtf8(memberOf(*archive, record).name));
    };
    m_records->load = [archive = m_zip, memberOf, budgetBytes](const StorageRecord& record, const Job& job) {
        return archive->load(memberOf(*archive, record), budgetBytes, job);
    };
    m_records->verify = [archive = m_zip, memberOf](const StorageRecord& record, const Job& job) {
        return archive->verify(memberOf(*archive, record), job);
    };
}

std::optional<TorchArchive> TorchArchive::open(std::shared_ptr<const MappedFile> file, const Limits& limits)
{
    auto zip = ZipArchive::open(std::move(file));
    if (!zip || zip->members().empty())
        return std::nullopt;
    const std::string& first = zip->members().front().name;
    const auto slash = first.find('/');
    if (slash == std::string::npos)
        return std::nullopt;
    auto folder = first.substr(0, slash + 1);
    TorchArchive archive(std::move(zip), std::move(folder), entryBudget(limits));
    if (const ZipMember* order = archive.find("byteorder"); order && order->size == 3) {
        const Storage text = archive.load(*order, {});
        if (ByteView(text.bytes).text(3) == "big")
            archive.m_records->order = ByteOrder::big;
    }
    return archive;
}

const ZipMember* TorchArchive::find(std::string_view name) const
{
    return m_zip->find(m_folder + std::string(name));
}

bool TorchArchive::forEachSource(const SourceVisitor& visit, const Job& job) const
{
    const std::string folder = m_folder + "code/";
    std::uint64_t left = longestSources;
    for (const ZipMember& member : m_zip->members()) {
        if (!member.name.starts_with(folder) || !member.name.ends_with(".py"))
            continue;
        if (member.size > left)
            return false;
        left -= member.size;
        const Storage source = load(member, job);
        if (!visit(repairUtf8(member.name.substr(m_folder.size())), ByteView(source.bytes).text(source.bytes.size())))
            return false;
    }
    return true;
}

std::vector<std::string> TorchArchive::verifyAll(const Job& job) const
{
    std::vector<std::string> warnings;
    for (const ZipMember& member : m_zip->members())
        if (auto warning = m_zip->verify(member, job))
            warnings.push_back(std::move(*warning));
    return warnings;
}

bool TorchArchive::holdsSources() const
{
    const std::string folder = m_folder + "code/";
    return std::ranges::any_of(m_zip->members(), [&](const ZipMember& member) {
        return member.name.starts_with(folder) && member.name.ends_with(".py");
    });
}

bool TorchArchive::holdsMethods(const Job& job) const
{
    return !forEachSource(
        [](const std::string&, std::string_view text) { return text.find("  def ") == std::string_view::npos; }, job);
}

Storage TorchArchive::load(const ZipMember& member, const Job& job) const
{
    return m_zip->load(member, m_budgetBytes, job);
}

StorageRecord TorchArchive::record(const std::string& name) const
{
    const ZipMember* member = find(name);
    if (!member)
        throw Error(fmt::format("{}: member {} is missing: the file is incomplete, fetch or save it again", file(),
                                repairUtf8(m_folder + name)));
    return {m_records, member->size, static_cast<std::uint64_t>(member - m_zip->members().data())};
}

void TorchArchive::listPickle(Document& document, const std::string& name, const std::string& folder, PickleWalk::Style style,
                              const Job& job) const
{
    const auto pickled = record(name);
    const Storage bytes = pickled.load(job);
    if (bytes.bytes.size() <= checkedPickleBytes)
        if (auto warning = pickled.verify(job))
            document.warnings.push_back(std::move(*warning));
    Allowance allowance(file(), m_zip->file()->bytes().size());
    ByteView view(bytes.bytes, pickled.subject());
    const Pickle pickle = readPickle(view, allowance, job);
    TorchRebuilder torch(
        file(), [&](std::string_view key) { return record(folder + "/" + std::string(key)); }, m_budgetBytes);
    const NumpyRebuilder numpy(file(), pickled, bytes, m_budgetBytes);
    PickleWalk(document, allowance, torch, numpy).walk(pickle.root, style, job);
    m_zip->file()->verify();
}

} // namespace core::io
