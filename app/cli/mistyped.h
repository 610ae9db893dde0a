// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace app::cli {

/// The word of `known` that `word` most likely stands for: at most two letters off, or its beginning; nothing where none is
/// near.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> known);

/// Whether a first argument can only be meant as a command: a bare word that names no file or folder.
bool looksLikeCommand(const std::string& word);

} // namespace app::cli
