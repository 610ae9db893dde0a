// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/names.h"

#include <cstddef>

namespace core::io {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Length of the UTF-8 sequence that begins with `lead` and the range of its second byte; 0 for a byte that begins none.
struct Sequence
{
    std::size_t length;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
};

Sequence sequenceOf(unsigned char lead)
{
    if (lead < 0x80)
        return {1};
    if (lead < 0xC2 || lead > 0xF4)
        return {0};
    if (lead < 0xE0)
        return {2};
    // Second bytes that would be overlong, surrogates, or past U+10FFFF are ill-formed.
    if (lead < 0xF0)
        return {3, static_cast<unsigned char>(lead == 0xE0 ? 0xA0 : 0x80),
                static_cast<unsigned char>(lead == 0xED ? 0x9F : 0xBF)};
    return {4, static_cast<unsigned char>(lead == 0xF0 ? 0x90 : 0x80), static_cast<unsigned char>(lead == 0xF4 ? 0x8F : 0xBF)};
}

} // namespace

std::string repairUtf8(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto sequence = sequenceOf(static_cast<unsigned char>(text[i]));
        std::size_t good = sequence.length == 0 ? 0 : 1;
        while (good > 0 && good < sequence.length && i + good < text.size()) {
            const auto next = static_cast<unsigned char>(text[i + good]);
            const bool fits = good == 1 ? next >= sequence.low && next <= sequence.high : (next & 0xC0) == 0x80;
            if (!fits)
                break;
            ++good;
        }
        if (good > 0 && good == sequence.length)
            out += text.substr(i, good);
        else
            out += replacement;
        i += good > 0 ? good : 1;
    }
    return out;
}

std::string stemName(const std::filesystem::path& file)
{
    auto name = file.filename();
    if (name.extension() == ".gz" && name.stem().extension() == ".nii")
        name = name.stem();
    return repairUtf8(name.stem().string());
}

std::string UniqueNames::take(const std::string& name)
{
    if (m_used.try_emplace(name, 1).second)
        return name;
    for (;;) {
        auto candidate = name + "~" + std::to_string(++m_used[name]);
        if (m_used.try_emplace(candidate, 1).second)
            return candidate;
    }
}

} // namespace core::io
