// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_builder.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace core::io {

namespace {

/// Allocator overhead of one node or vector, for the allowance.
constexpr std::size_t blockBytes = 16;
/// Longer tuples are not looked for among those made before.
constexpr std::size_t mostSharedItems = 8;
constexpr std::size_t sharedSlots = 1024;

/// Members of a call's node (see PickleNode).
constexpr std::size_t statePart = 2;
constexpr std::size_t appendedPart = 3;
constexpr std::size_t assignedPart = 4;

std::size_t hashOf(PickleKind kind, std::span<const PickleValue> items)
{
    // FNV-1a over whole words.
    constexpr std::size_t prime = 0x100000001b3;
    std::size_t hash = 0xcbf29ce484222325 ^ static_cast<std::size_t>(kind);
    for (const PickleValue& item : items)
        hash = (hash ^ item.hash()) * prime;
    return hash ^ hash >> 32;
}

bool areSame(std::span<const PickleValue> a, std::span<const PickleValue> b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const PickleValue& x, const PickleValue& y) { return x.isSame(y); });
}

} // namespace

PickleValue PickleBuilder::makeText(PickleKind kind, std::string_view text)
{
    m_allowance.charge(sizeof(text));
    return {kind, &m_pickle.views.emplace_back(text)};
}

PickleValue PickleBuilder::makeOwnedText(PickleKind kind, std::string text)
{
    m_allowance.charge(sizeof(text) + text.capacity());
    return makeText(kind, m_pickle.texts.emplace_back(std::move(text)));
}

PickleValue PickleBuilder::makeGlobal(std::string_view module, std::string_view name)
{
    auto full = fmt::format("{}.{}", module, name);
    if (const auto known = m_globals.find(full); known != m_globals.end())
        return {PickleKind::global, known->second};
    m_allowance.charge(4 * blockBytes + full.size());
    const PickleValue made = makeOwnedText(PickleKind::global, full);
    m_globals.emplace(std::move(full), made.m_text);
    return made;
}

PickleValue PickleBuilder::makeShared(PickleKind kind, std::span<const PickleValue> items)
{
    if (items.size() > mostSharedItems)
        return makeNode(kind, items);
    if (m_shared.empty()) {
        m_allowance.charge(sharedSlots * sizeof(PickleValue));
        m_shared.resize(sharedSlots);
    }
    PickleValue& slot = m_shared[hashOf(kind, items) % sharedSlots];
    if (!slot.is(kind) || !areSame(slot.items(), items))
        slot = makeNode(kind, items);
    return slot;
}

PickleValue PickleBuilder::makeNode(PickleKind kind, std::span<const PickleValue> items)
{
    m_allowance.charge(sizeof(PickleNode));
    const auto own = makeItems(items.size());
    std::copy(items.begin(), items.end(), own.begin());
    return {kind, &m_pickle.nodes.emplace_back(PickleNode{own, own.size()})};
}

std::span<PickleValue> PickleBuilder::makeItems(std::size_t count)
{
    return m_pickle.arena.take(count, [this](std::size_t bytes) { m_allowance.charge(bytes); });
}

void PickleBuilder::reserve(PickleNode& node, std::size_t count)
{
    if (count <= node.capacity)
        return;
    const auto larger = makeItems(std::max(count, 2 * node.capacity));
    std::copy(node.items.begin(), node.items.end(), larger.begin());
    m_allowance.release(m_pickle.arena.giveBack({node.items.data(), node.capacity}));
    node.items = larger.first(node.items.size());
    node.capacity = larger.size();
}

PickleValue& PickleBuilder::partOf(PickleNode& call, std::size_t index)
{
    if (call.items.size() <= index) {
        const std::size_t before = call.items.size();
        reserve(call, index + 1);
        call.items = {call.items.data(), index + 1};
        std::fill(call.items.begin() + static_cast<std::ptrdiff_t>(before), call.items.end(), PickleValue());
    }
    return call.items[index];
}

PickleNode& PickleBuilder::collector(PickleNode& call, std::size_t index, PickleKind kind)
{
    PickleValue& part = partOf(call, index);
    if (!part.is(kind))
        part = makeNode(kind, {});
    return *part.m_node;
}

void PickleBuilder::addItems(PickleNode& node, std::span<const PickleValue> values)
{
    const std::size_t before = node.items.size();
    reserve(node, before + values.size());
    node.items = {node.items.data(), before + values.size()};
    std::copy(values.begin(), values.end(), node.items.begin() + static_cast<std::ptrdiff_t>(before));
}

bool PickleBuilder::append(const PickleValue& target, std::span<const PickleValue> values)
{
    if (target.is(PickleKind::list) || target.is(PickleKind::set))
        addItems(*target.m_node, values);
    else if (target.is(PickleKind::call))
        addItems(collector(*target.m_node, appendedPart, PickleKind::list), values);
    else
        return false;
    return true;
}

bool PickleBuilder::assign(const PickleValue& target, std::span<const PickleValue> pairs)
{
    if (target.is(PickleKind::dict))
        addItems(*target.m_node, pairs);
    else if (target.is(PickleKind::call))
        addItems(collector(*target.m_node, assignedPart, PickleKind::dict), pairs);
    else
        return false;
    return true;
}

void PickleBuilder::setState(const PickleValue& target, const PickleValue& state)
{
    if (target.is(PickleKind::call))
        partOf(*target.m_node, statePart) = state;
}

Pickle PickleBuilder::take(PickleValue root)
{
    m_allowance.release(m_shared.size() * sizeof(PickleValue));
    m_pickle.root = root;
    return std::move(m_pickle);
}

} // namespace core::io
