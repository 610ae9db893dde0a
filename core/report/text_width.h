// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace core::report {

/// Characters of a UTF-8 text: bytes that do not continue one.
inline std::size_t textWidth(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char letter) { return (static_cast<unsigned char>(letter) & 0xc0) != 0x80; }));
}

} // namespace core::report
