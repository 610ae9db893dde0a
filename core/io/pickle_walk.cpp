// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_walk.h"

#include "core/io/entries.h"
#include "core/io/pickle.h"
#include "core/io/pickle_repr.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace core::io {

namespace {

/// Sequences of more plain values than this are shown as one entry.
constexpr std::size_t mostPlainItems = 1000;
/// Allocator and bookkeeping of one entry, for the allowance.
constexpr std::size_t entryOverhead = 256;
constexpr std::size_t visitCost = 64;

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool isDictType(std::string_view name)
{
    return isOneOf(name, {"collections.OrderedDict", "collections.defaultdict", "collections.Counter", "builtins.dict",
                          "__builtin__.dict"});
}

bool isListType(std::string_view name)
{
    return isOneOf(name, {"builtins.list", "builtins.set", "builtins.frozenset", "builtins.tuple", "__builtin__.list",
                          "__builtin__.set", "__builtin__.frozenset", "__builtin__.tuple", "collections.deque", "torch.Size"});
}

/// Functions by which TorchScript marks the type of a list or dict (torch/jit/_pickle.py): the value is the first argument.
bool isTypeTag(std::string_view name)
{
    return isOneOf(name, {"torch.jit._pickle.build_intlist", "torch.jit._pickle.build_tensorlist",
                          "torch.jit._pickle.build_doublelist", "torch.jit._pickle.build_boollist",
                          "torch.jit._pickle.restore_type_tag"});
}

/// The class that a persistent id of a legacy file names: ("module", class, file, source).
std::string_view classOfId(const PickleValue& persistent)
{
    const auto id = persistent.items().empty() ? persistent.items() : persistent.items()[0].items();
    return id.size() > 1 ? id[1].text() : std::string_view{};
}

/// The class of an object: what is called, or what a copyreg helper is asked to make.
std::string_view classOf(const PickleValue& call)
{
    const auto name = call.callable();
    if (call.callableValue().is(PickleKind::persistent))
        return classOfId(call.callableValue());
    if (isOneOf(name, {"copyreg._reconstructor", "copy_reg._reconstructor", "copyreg.__newobj__", "copy_reg.__newobj__",
                       "copyreg.__newobj_ex__"}) &&
        !call.arguments().empty())
        return call.arguments()[0].is(PickleKind::persistent) ? classOfId(call.arguments()[0]) : call.arguments()[0].text();
    return name;
}

PickleValue valueOf(std::span<const PickleValue> pairs, std::string_view key)
{
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
        if (pairs[i].isText() && pairs[i].text() == key)
            return pairs[i + 1];
    return {};
}

/// Keys and values of a dict or of a call that makes one.
std::span<const PickleValue> pairsOf(const PickleValue& value)
{
    if (value.is(PickleKind::dict))
        return value.items();
    return isDictType(value.callable()) ? value.assigned() : std::span<const PickleValue>{};
}

bool isModuleState(const PickleValue& state)
{
    return state.is(PickleKind::dict) && !valueOf(state.items(), "_parameters").isNone() &&
           !valueOf(state.items(), "_modules").isNone();
}

} // namespace

PickleWalk::Place PickleWalk::Place::key(std::string_view key) const
{
    Place place{name.empty() && path.empty() ? std::string(key) : fmt::format("{}.{}", name, key), path};
    // A state_dict's flat keys ("layer1.0.weight") make a tree as well.
    for (auto& segment : dottedPath(std::string(key)))
        place.path.push_back(std::move(segment));
    return place;
}

PickleWalk::Place PickleWalk::Place::index(std::string_view index) const
{
    auto segment = fmt::format("[{}]", index);
    Place place{name + segment, path};
    place.path.push_back(std::move(segment));
    return place;
}

void PickleWalk::walk(const PickleValue& root, Style style, const Job& job)
{
    m_style = style;
    m_job = &job;
    m_stem = stemName(m_document.file);
    visit(root, {}, 0);
}

void PickleWalk::visit(const PickleValue& value, const Place& place, int depth)
{
    m_job->check();
    if (depth > deepestNesting)
        throw Error(fmt::format("{}: values nested deeper than {}: the file is damaged or hostile, do not trust it",
                                m_document.file.string(), deepestNesting));
    if (addTensor(value, place))
        return;
    if (auto text = plainText(value))
        return addValue(std::move(*text), place);
    if (value.is(PickleKind::global))
        return addObject(value.text(), place);
    // Containers are charged although they take no memory: shared ones, or many below a long name, could be walked without end.
    m_allowance.charge(visitCost + place.name.size() + place.path.size() * sizeof(std::string));
    if (!m_open.insert(value.node()).second)
        return addValue("(refers back to one of its parents)", place);
    visitNode(value, place, depth);
    m_open.erase(value.node());
}

void PickleWalk::visitNode(const PickleValue& value, const Place& place, int depth)
{
    switch (value.kind()) {
    case PickleKind::dict:
        return visitPairs(value.items(), place, depth);
    case PickleKind::persistent:
        return addObject(classOfId(value), place);
    case PickleKind::call:
        if (!visitKnownCall(value, place, depth))
            visitObject(value, place, depth);
        return;
    default:
        return visitItems(value.items(), place, depth);
    }
}

void PickleWalk::visitItems(std::span<const PickleValue> items, const Place& place, int depth)
{
    const auto isPlain = [](const PickleValue& item) { return !item.hasNode(); };
    if (items.size() > mostPlainItems && std::all_of(items.begin(), items.end(), isPlain)) {
        const auto shown = [&](std::size_t i) { return plainText(items[i]).value_or("..."); };
        return addValue(fmt::format("[{}, {}, {}, ... {}] ({} values)", shown(0), shown(1), shown(2), shown(items.size() - 1),
                                    items.size()),
                        place);
    }
    for (std::size_t i = 0; i < items.size(); ++i)
        visit(items[i], place.index(std::to_string(i)), depth + 1);
}

void PickleWalk::visitMember(const PickleValue& key, const PickleValue& value, const Place& place, int depth)
{
    if (key.isText())
        visit(value, place.key(repairUtf8(key.text())), depth + 1);
    else
        visit(value, place.index(keyText(key)), depth + 1);
}

void PickleWalk::visitPairs(std::span<const PickleValue> pairs, const Place& place, int depth)
{
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
        visitMember(pairs[i], pairs[i + 1], place, depth);
}

void PickleWalk::visitPairList(std::span<const PickleValue> items, const Place& place, int depth)
{
    for (const PickleValue& item : items)
        if (const auto pair = item.items(); pair.size() == 2)
            visitMember(pair[0], pair[1], place, depth);
}

bool PickleWalk::visitKnownCall(const PickleValue& value, const Place& place, int depth)
{
    const auto name = value.callable();
    const PickleValue first = value.arguments().empty() ? PickleValue() : value.arguments()[0];
    if (isTypeTag(name)) {
        visit(first, place, depth + 1);
        return true;
    }
    if (isListType(name)) {
        visitItems(first.items(), place, depth);
        visitItems(value.appended(), place, depth);
        return true;
    }
    if (isDictType(name)) {
        if (first.is(PickleKind::dict))
            visitPairs(first.items(), place, depth);
        else
            visitPairList(first.items(), place, depth);
        visitPairs(value.assigned(), place, depth);
        return true;
    }
    return false;
}

void PickleWalk::visitObject(const PickleValue& value, const Place& place, int depth)
{
    const PickleValue state = value.state();
    const auto type = classOf(value);
    if (m_style == Style::script && type.starts_with("__torch__") && state.is(PickleKind::dict))
        return visitScriptModule(state.items(), place, depth);
    addObject(type, place);
    if (isModuleState(state))
        return visitModule(state.items(), place, depth);
    // A copyreg helper's arguments are classes, not members.
    if (!value.callable().starts_with("copy"))
        visitItems(value.arguments(), place, depth);
    visitItems(value.appended(), place, depth);
    visitPairs(value.assigned(), place, depth);
    if (state.is(PickleKind::dict))
        return visitPairs(state.items(), place, depth);
    // Objects with __slots__: (dict or None, dict of slots).
    const auto parts = state.items();
    const auto isAttributes = [](const PickleValue& part) { return part.isNone() || part.is(PickleKind::dict); };
    if (state.is(PickleKind::tuple) && parts.size() == 2 && std::all_of(parts.begin(), parts.end(), isAttributes)) {
        visitPairs(parts[0].items(), place, depth);
        visitPairs(parts[1].items(), place, depth);
    } else if (!state.isNone()) {
        visit(state, place, depth + 1);
    }
}

void PickleWalk::markParametersFrom(std::size_t first)
{
    for (std::size_t i = first; i < m_document.entries.size(); ++i)
        if (m_document.entries[i].kind == EntryKind::tensor)
            m_document.entries[i].kind = EntryKind::parameter;
}

void PickleWalk::visitModule(std::span<const PickleValue> state, const Place& place, int depth)
{
    // Parameters that are None (no bias) are not part of a state_dict either.
    const auto visitSet = [&](std::string_view key) {
        const auto pairs = pairsOf(valueOf(state, key));
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
            if (!pairs[i + 1].isNone())
                visitMember(pairs[i], pairs[i + 1], place, depth);
    };
    const std::size_t first = m_document.entries.size();
    visitSet("_parameters");
    visitSet("_buffers");
    markParametersFrom(first);
    for (std::size_t i = 0; i + 1 < state.size(); i += 2) {
        const auto key = state[i].text();
        // Bookkeeping of nn.Module itself; what a user keeps under such a name is at least a container or tensor.
        const bool isInternal = key == "training" || (key.starts_with("_") && !state[i + 1].hasNode());
        if (!isInternal && !isOneOf(key, {"_parameters", "_buffers", "_modules", "_non_persistent_buffers_set"}))
            visitMember(state[i], state[i + 1], place, depth);
    }
    visitSet("_modules");
}

void PickleWalk::visitScriptModule(std::span<const PickleValue> state, const Place& place, int depth)
{
    for (std::size_t i = 0; i + 1 < state.size(); i += 2) {
        const PickleValue& value = state[i + 1];
        if (!value.hasNode() || plainText(value))
            continue;
        const std::size_t first = m_document.entries.size();
        visitMember(state[i], value, place, depth);
        const bool isDirect =
            m_document.entries.size() == first + 1 && m_document.entries.back().path.size() == place.path.size() + 1;
        if (isDirect)
            markParametersFrom(first);
    }
}

bool PickleWalk::addTensor(const PickleValue& value, const Place& place)
{
    auto entry = m_torch.entryOf(value, m_document.entries);
    if (!entry)
        entry = m_numpy.entryOf(value);
    if (!entry)
        return false;
    add(std::move(*entry), place);
    return true;
}

void PickleWalk::addValue(std::string text, const Place& place)
{
    // The plain values of a program are of no use before it runs.
    if (m_style == Style::script)
        return m_allowance.charge(place.name.size() + place.path.size() * sizeof(std::string));
    Entry entry;
    entry.kind = EntryKind::value;
    entry.value = std::move(text);
    add(std::move(entry), place);
}

void PickleWalk::addObject(std::string_view type, const Place& place)
{
    Entry entry;
    entry.kind = EntryKind::object;
    entry.type = type.empty() ? "object" : repairUtf8(type);
    entry.notes.emplace_back("not executed");
    add(std::move(entry), place);
}

void PickleWalk::add(Entry entry, const Place& place)
{
    m_allowance.charge(sizeof(Entry) + entryOverhead + 2 * place.name.size() + entry.value.size() +
                       place.path.size() * sizeof(std::string));
    // A file that holds just one thing names it after itself.
    entry.name = m_names.take(place.path.empty() ? m_stem : place.name);
    entry.path = place.path.empty() ? std::vector<std::string>{entry.name} : place.path;
    m_document.entries.push_back(std::move(entry));
}

} // namespace core::io
