// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"

namespace core::io {

/// Limits that keep hostile files from taking the machine.
struct Limits
{
    /// Bytes that unpacked data of one entry may take; 0 means a quarter of the machine's memory.
    std::int64_t budgetBytes = 0;
};

/// Opens a file or a directory (its readable files as entries, not recursive) by content, never by extension.
/// Reads headers and the index only. Throws Error that names the file, the place, the reason and the remedy; Cancelled when
/// stopped. A broken file of a known format is an Error, never handed to the next reader.
Document open(const std::filesystem::path& path, const Limits& limits = {}, const Job& job = {});

} // namespace core::io
