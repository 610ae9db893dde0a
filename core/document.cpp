// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/document.h"

#include <algorithm>

namespace core {

std::string_view entryKindName(EntryKind kind)
{
    constexpr std::string_view names[] = {"tensor", "parameter", "layer", "value", "object"};
    return names[static_cast<std::size_t>(kind)];
}

const Entry* Document::find(std::string_view name) const
{
    const auto named = std::find_if(entries.begin(), entries.end(), [name](const Entry& entry) { return entry.name == name; });
    if (named != entries.end())
        return &*named;
    const auto alias = std::find_if(entries.begin(), entries.end(),
                                    [name](const Entry& entry) { return !name.empty() && entry.alias == name; });
    return alias == entries.end() ? nullptr : &*alias;
}

} // namespace core
