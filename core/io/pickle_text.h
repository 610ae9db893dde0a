// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core::io {

/// Appends a code point as UTF-8; U+FFFD for one that is none.
void appendUtf8(std::string& out, std::uint32_t codePoint);

/// The text of a UNICODE line: Python's raw-unicode-escape (\uXXXX and \UXXXXXXXX; other characters are Latin-1), as UTF-8.
std::string decodeRawUnicode(std::string_view line);

/// The bytes of a STRING line: a Python literal in quotes with backslash escapes. Nothing when it is no such literal.
std::optional<std::string> decodeStringLiteral(std::string_view line);

/// A decimal integer with nothing around it; nothing when it is none or passes 64 bits.
std::optional<std::int64_t> parseInteger(std::string_view text);

/// A decimal number with nothing around it, Python's "inf" and "nan" included.
std::optional<double> parseReal(std::string_view text);

/// Decimal text of a little-endian two's complement integer of any size; very long ones only by their size.
std::string longText(std::string_view bytes);

} // namespace core::io
