// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/npy_header.h"
#include "core/io/zip_archive.h"

#include <memory>
#include <string>

namespace core::io {

/// A .npy inside a zip archive. Copies share the archive.
struct NpzArray
{
    std::shared_ptr<const ZipArchive> archive;
    /// Points into the archive.
    const ZipMember* member = nullptr;
    NpyHeader header;
    std::int64_t budgetBytes = 0;

    /// Reads the header, of packed data only as much as that takes. Throws Error.
    NpzArray(std::shared_ptr<const ZipArchive> archive, const ZipMember& member, std::int64_t budgetBytes);
    /// "FILE: member NAME", the beginning of messages.
    std::string subject() const;
    /// The member's name without ".npy", repaired to UTF-8.
    std::string name() const;
    /// The array. Stored data is mapped in place, packed data is unpacked each time. Throws Error, Cancelled.
    Tensor load(const Job& job) const;
    /// Like load(), as contiguous int64. Throws Error unless the array has `rank` axes and holds integers.
    Tensor loadIntegers(std::size_t rank, const Job& job) const;
};

} // namespace core::io
