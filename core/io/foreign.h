// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace core::io {

/// What a file that no reader takes is, and what to do: "a Git LFS pointer: fetch the real file with git lfs pull".
/// Decides by the bytes alone; always has an answer.
std::string describeForeign(std::span<const std::byte> bytes);

} // namespace core::io
