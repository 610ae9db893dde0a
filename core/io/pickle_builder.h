// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/allowance.h"
#include "core/io/pickle_value.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace core::io {

/// Makes the values of a pickle and the memory they live in; charges all of it. Tuples and persistent ids never change, so one
/// met again with the same members is shared: a hundred thousand views on a storage name it once.
class PickleBuilder
{
public:
    explicit PickleBuilder(Allowance& allowance) : m_allowance(allowance) {}

    /// Text that lies in the file.
    PickleValue makeText(PickleKind kind, std::string_view text);
    /// Text of its own.
    PickleValue makeOwnedText(PickleKind kind, std::string text);
    PickleValue makeGlobal(std::string_view module, std::string_view name);
    /// A tuple or persistent id.
    PickleValue makeShared(PickleKind kind, std::span<const PickleValue> items);
    /// A container that may grow, or a call.
    PickleValue makeNode(PickleKind kind, std::span<const PickleValue> items);

    /// Appends to a list, a set, or the result of a call; false for other targets.
    bool append(const PickleValue& target, std::span<const PickleValue> values);
    /// Assigns key, value, key, value ... to a dict or the result of a call; false for other targets.
    bool assign(const PickleValue& target, std::span<const PickleValue> pairs);
    /// Gives the result of a call its state. Attributes of built-in containers (a state_dict's _metadata) are dropped: they are
    /// not shown.
    void setState(const PickleValue& target, const PickleValue& state);

    Pickle take(PickleValue root);

private:
    std::span<PickleValue> makeItems(std::size_t count);
    /// Makes room for `count` members of a node, those there are kept.
    void reserve(PickleNode& node, std::size_t count);
    /// The member of a call at `index`, made None when it is not there yet.
    PickleValue& partOf(PickleNode& call, std::size_t index);
    /// The list or dict of a call that collects what is done to its result.
    PickleNode& collector(PickleNode& call, std::size_t index, PickleKind kind);
    void addItems(PickleNode& node, std::span<const PickleValue> values);

    Allowance& m_allowance;
    Pickle m_pickle;
    std::unordered_map<std::string, const std::string_view*> m_globals;
    /// The last value made with each hash.
    std::vector<PickleValue> m_shared;
};

} // namespace core::io
