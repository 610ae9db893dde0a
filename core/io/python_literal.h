// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/byte_view.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core::io {

/// A value of Python's literal syntax, as headers of .npy files hold them. Nothing is evaluated.
struct PythonLiteral
{
    enum class Kind { string, integer, boolean, none, tuple, list, dict } kind = Kind::none;
    /// The value's own text in the file.
    std::string_view source = {};
    /// string: its contents.
    std::string text = {};
    /// integer: the number; boolean: 0 or 1.
    std::int64_t number = 0;
    /// Members; for a dict key, value, key, value ...
    std::vector<PythonLiteral> members = {};

    /// The value of a string key of a dict, or null.
    const PythonLiteral* find(std::string_view key) const;
};

/// Parses all of `view` (blanks around the value allowed). Python 2's `1L` is an integer. The result's `source` points into
/// the view's bytes. Throws Error at the first thing that is no literal, above 32 levels or 10,000 values, or past 64-bit
/// integers.
PythonLiteral parsePythonLiteral(ByteView view);

} // namespace core::io
