// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_value.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace core::io {

bool PickleValue::hasNode() const
{
    switch (m_kind) {
    case PickleKind::tuple:
    case PickleKind::list:
    case PickleKind::set:
    case PickleKind::dict:
    case PickleKind::call:
    case PickleKind::persistent:
        return true;
    default:
        return false;
    }
}

bool PickleValue::hasShortText() const
{
    constexpr std::size_t longest = 64;
    switch (m_kind) {
    case PickleKind::bigInteger:
    case PickleKind::text:
    case PickleKind::oldText:
    case PickleKind::bytes:
    case PickleKind::global:
        return m_text->size() <= longest;
    default:
        return false;
    }
}

std::uint64_t PickleValue::bits() const
{
    std::uint64_t bits = 0;
    static_assert(sizeof bits == sizeof m_integer && sizeof bits == sizeof m_real && sizeof bits == sizeof m_node);
    std::memcpy(&bits, &m_integer, sizeof bits);
    return bits;
}

bool PickleValue::isSame(const PickleValue& other) const
{
    if (m_kind != other.m_kind)
        return false;
    return hasShortText() && other.hasShortText() ? *m_text == *other.m_text : bits() == other.bits();
}

std::size_t PickleValue::hash() const
{
    const std::size_t value = hasShortText() ? std::hash<std::string_view>()(*m_text) : std::hash<std::uint64_t>()(bits());
    return value ^ static_cast<std::size_t>(m_kind) << 56;
}

std::optional<std::int64_t> PickleValue::integer() const
{
    if (is(PickleKind::integer) || is(PickleKind::boolean))
        return m_integer;
    return std::nullopt;
}

std::optional<double> PickleValue::number() const
{
    if (is(PickleKind::real))
        return m_real;
    if (const auto whole = integer())
        return static_cast<double>(*whole);
    return std::nullopt;
}

std::string_view PickleValue::text() const
{
    switch (m_kind) {
    case PickleKind::text:
    case PickleKind::oldText:
    case PickleKind::bytes:
    case PickleKind::bigInteger:
    case PickleKind::global:
        return *m_text;
    default:
        return {};
    }
}

std::span<const PickleValue> PickleValue::items() const
{
    if (!hasNode() || is(PickleKind::call))
        return {};
    return m_node->items;
}

PickleValue PickleValue::part(std::size_t index) const
{
    if (!is(PickleKind::call) || index >= m_node->items.size())
        return {};
    return m_node->items[index];
}

std::string_view PickleValue::callable() const
{
    const PickleValue called = part(0);
    return called.is(PickleKind::global) ? called.text() : std::string_view{};
}

PickleValue PickleValue::callableValue() const
{
    return part(0);
}

std::span<const PickleValue> PickleValue::arguments() const
{
    return part(1).items();
}

PickleValue PickleValue::state() const
{
    return part(2);
}

std::span<const PickleValue> PickleValue::appended() const
{
    return part(3).items();
}

std::span<const PickleValue> PickleValue::assigned() const
{
    return part(4).items();
}

std::size_t PickleArena::giveBack(std::span<const PickleValue> piece)
{
    // Further back lie what others use, which must not be searched each time a hostile list grows.
    constexpr std::size_t searched = 64;
    if (piece.size() <= blockValues / 4)
        return 0;
    const std::size_t first = m_blocks.size() - std::min(m_blocks.size(), searched);
    for (std::size_t i = m_blocks.size(); i-- > first;)
        if (m_blocks[i].data() == piece.data() && m_blocks[i].size() == piece.size()) {
            m_blocks.erase(m_blocks.begin() + static_cast<std::ptrdiff_t>(i));
            return piece.size() * sizeof(PickleValue);
        }
    return 0;
}

} // namespace core::io
