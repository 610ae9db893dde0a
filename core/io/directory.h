// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/io/open.h"

#include <filesystem>

namespace core::io {

/// A directory as one document: the entries of its readable files, by file name, not recursive, hidden files left out.
/// The only entry of a file is named FILE (and found as FILE:NAME, too), others FILE:NAME. Files that cannot be read become
/// warnings. Files are opened anew when an entry is loaded, so that a thousand of them do not stay open. Throws Error when
/// there is nothing to read.
Document openDirectory(const std::filesystem::path& path, const Limits& limits, const Job& job);

} // namespace core::io
