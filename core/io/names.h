// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

namespace core::io {

/// The text with every byte sequence that is not UTF-8 replaced by U+FFFD (one for each maximal ill-formed part, as Python's
/// errors="replace" and the Unicode standard, section 3.9).
std::string repairUtf8(std::string_view text);

/// The name of a bare tensor: the file's name without its last extension (`.nii.gz` drops both), repaired to UTF-8.
std::string stemName(const std::filesystem::path& file);

/// Gives out the names of a document's entries: one met again gets "~2", "~3" ...
class UniqueNames
{
public:
    /// `name`, or the first of "name~2", "name~3" ... not given out yet.
    std::string take(const std::string& name);

private:
    std::unordered_map<std::string, int> m_used;
};

} // namespace core::io
