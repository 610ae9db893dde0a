// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_value.h"

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

} // namespace core::io
