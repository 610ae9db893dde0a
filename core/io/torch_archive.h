// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/io/open.h"
#include "core/io/pickle_walk.h"
#include "core/io/strided_source.h"
#include "core/io/zip_archive.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace core::io {

/// A zip archive as PyTorch writes it: all members lie under one folder, whose name does not matter
/// (caffe2/serialize/inline_container.h).
class TorchArchive
{
public:
    /// Nothing when the file is no zip archive or its members do not share a folder. Throws Error for a broken archive.
    static std::optional<TorchArchive> open(std::shared_ptr<const MappedFile> file, const Limits& limits);

    std::string file() const { return m_zip->file()->path().string(); }
    std::int64_t budgetBytes() const { return m_budgetBytes; }
    /// The order that the archive's `byteorder` member tells; little without one.
    ByteOrder order() const { return m_records->order; }
    /// The member of a name inside the folder, or null.
    const ZipMember* find(std::string_view name) const;
    /// Gets a source file's name ("code/__torch__.py") and text; returns false to end.
    using SourceVisitor = std::function<bool(const std::string& name, std::string_view text)>;
    /// Visits the source files under `code/`. False when the visitor ended it, or when they hold more than 64 MiB of text,
    /// which no real program does. Throws Error.
    bool forEachSource(const SourceVisitor& visit, const Job& job) const;
    /// Compares every member's checksum with its data; a warning for each that does not match.
    std::vector<std::string> verifyAll(const Job& job) const;
    /// Whether there is a source file under `code/`.
    bool holdsSources() const;
    /// Whether a source file under `code/` defines a method: what C++ torch::save writes holds classes without any.
    bool holdsMethods(const Job& job) const;
    /// The bytes of a member. Throws Error.
    Storage load(const ZipMember& member, const Job& job) const;
    /// The member as a record that tensors share. Throws Error when there is none of this name.
    StorageRecord record(const std::string& name) const;

    /// Reads the pickle `name` whose storages are the members `folder`/KEY, and lists what it holds. A checksum that does not
    /// match becomes a warning of the document. Throws Error, Cancelled.
    void listPickle(Document& document, const std::string& name, const std::string& folder, PickleWalk::Style style,
                    const Job& job) const;

private:
    TorchArchive(std::shared_ptr<const ZipArchive> zip, std::string folder, std::int64_t budgetBytes);

    std::shared_ptr<const ZipArchive> m_zip;
    std::string m_folder;
    std::int64_t m_budgetBytes;
    std::shared_ptr<RecordSource> m_records;
};

} // namespace core::io
