// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_text.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace core::io {

namespace {

constexpr std::size_t longestShownInteger = 512;

/// The number of up to `digits` hexadecimal digits at `at`; nothing when there are fewer.
std::optional<std::uint32_t> hexAt(std::string_view text, std::size_t at, std::size_t digits)
{
    if (at > text.size() || text.size() - at < digits)
        return std::nullopt;
    std::uint32_t value = 0;
    const char* end = text.data() + at + digits;
    const auto result = std::from_chars(text.data() + at, end, value, 16);
    return result.ec == std::errc{} && result.ptr == end ? std::optional(value) : std::nullopt;
}

bool isOctal(char c)
{
    return c >= '0' && c <= '7';
}

char plainEscape(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'v':
        return '\v';
    default:
        return c;
    }
}

/// Appends what the escape whose backslash is at `at` stands for; returns the position behind it.
std::size_t appendEscape(std::string& out, std::string_view text, std::size_t at)
{
    const char kind = text[at + 1];
    if (kind == 'x') {
        if (const auto value = hexAt(text, at + 2, 2)) {
            out += static_cast<char>(*value);
            return at + 4;
        }
    }
    if (isOctal(kind)) {
        unsigned value = 0;
        std::size_t end = at + 1;
        while (end < text.size() && end < at + 4 && isOctal(text[end]))
            value = value * 8 + static_cast<unsigned>(text[end++] - '0');
        out += static_cast<char>(value);
        return end;
    }
    out += plainEscape(kind);
    return at + 2;
}

} // namespace

void appendUtf8(std::string& out, std::uint32_t codePoint)
{
    if (codePoint > 0x10FFFF || (codePoint >= 0xD800 && codePoint <= 0xDFFF))
        codePoint = 0xFFFD;
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((codePoint >> shift) & 0x3F)); };
    if (codePoint < 0x80) {
        out += static_cast<char>(codePoint);
    } else if (codePoint < 0x800) {
        out += static_cast<char>(0xC0 | (codePoint >> 6));
        tail(0);
    } else if (codePoint < 0x10000) {
        out += static_cast<char>(0xE0 | (codePoint >> 12));
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0 | (codePoint >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::string decodeRawUnicode(std::string_view line)
{
    std::string out;
    for (std::size_t i = 0; i < line.size();) {
        const char kind = line[i] == '\\' && i + 1 < line.size() ? line[i + 1] : '\0';
        const std::size_t digits = kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
        const auto value = digits > 0 ? hexAt(line, i + 2, digits) : std::nullopt;
        appendUtf8(out, value ? *value : static_cast<unsigned char>(line[i]));
        i += value ? digits + 2 : 1;
    }
    return out;
}

std::optional<std::string> decodeStringLiteral(std::string_view line)
{
    if (line.size() < 2 || line.front() != line.back() || (line.front() != '\'' && line.front() != '"'))
        return std::nullopt;
    const std::string_view text = line.substr(1, line.size() - 2);
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '\\' && i + 1 < text.size())
            i = appendEscape(out, text, i);
        else
            out += text[i++];
    }
    return out;
}

std::optional<std::int64_t> parseInteger(std::string_view text)
{
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc{} && result.ptr == end ? std::optional(value) : std::nullopt;
}

std::optional<double> parseReal(std::string_view text)
{
    double value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc{} && result.ptr == end ? std::optional(value) : std::nullopt;
}

std::string longText(std::string_view bytes)
{
    if (bytes.size() > longestShownInteger)
        return "an integer of " + std::to_string(bytes.size()) + " bytes";
    std::vector<unsigned> rest(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i)
        rest[i] = static_cast<unsigned char>(bytes[bytes.size() - 1 - i]);
    const bool isNegative = !rest.empty() && rest.front() >= 0x80;
    if (isNegative) {
        unsigned carry = 1;
        for (std::size_t i = rest.size(); i-- > 0;) {
            const unsigned sum = (~rest[i] & 0xFF) + carry;
            rest[i] = sum & 0xFF;
            carry = sum >> 8;
        }
    }
    // Schoolbook division by ten, most significant byte first.
    std::string digits;
    while (std::any_of(rest.begin(), rest.end(), [](unsigned byte) { return byte != 0; })) {
        unsigned remainder = 0;
        for (unsigned& byte : rest) {
            const unsigned part = remainder * 256 + byte;
            byte = part / 10;
            remainder = part % 10;
        }
        digits += static_cast<char>('0' + remainder);
    }
    if (digits.empty())
        return "0";
    if (isNegative)
        digits += '-';
    std::reverse(digits.begin(), digits.end());
    return digits;
}

} // namespace core::io
