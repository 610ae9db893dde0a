// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/zip_archive.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace core::io {

/// The members that the central directory of a zip archive lists (PKWARE APPNOTE 6.3.3, sections 4.3.12 to 4.3.16 and 4.5.3),
/// in its order. `file` begins messages. Throws Error for a directory that is missing, cut off or contradicts the file: see
/// ZipArchive::open.
std::vector<ZipMember> readZipDirectory(std::span<const std::byte> bytes, const std::string& file);

} // namespace core::io
