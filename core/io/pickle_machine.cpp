// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_machine.h"

#include "core/io/pickle.h"
#include "core/io/pickle_text.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

namespace core::io {

namespace {

/// Opcodes of Python's pickletools.py, by its names.
enum Opcode : unsigned char {
    opMark = '(',
    opEmptyTuple = ')',
    opStop = '.',
    opPop = '0',
    opPopMark = '1',
    opDup = '2',
    opBinBytes = 'B',
    opShortBinBytes = 'C',
    opFloat = 'F',
    opBinFloat = 'G',
    opInt = 'I',
    opBinInt = 'J',
    opBinInt1 = 'K',
    opLong = 'L',
    opBinInt2 = 'M',
    opNone = 'N',
    opBinPersid = 'Q',
    opReduce = 'R',
    opString = 'S',
    opBinString = 'T',
    opShortBinString = 'U',
    opUnicode = 'V',
    opBinUnicode = 'X',
    opEmptyList = ']',
    opAppend = 'a',
    opBuild = 'b',
    opGlobal = 'c',
    opDict = 'd',
    opAppends = 'e',
    opGet = 'g',
    opBinGet = 'h',
    opInst = 'i',
    opLongBinGet = 'j',
    opList = 'l',
    opObj = 'o',
    opPut = 'p',
    opBinPut = 'q',
    opLongBinPut = 'r',
    opSetItem = 's',
    opTuple = 't',
    opSetItems = 'u',
    opEmptyDict = '}',
    opProto = 0x80,
    opNewObj = 0x81,
    opTuple1 = 0x85,
    opTuple2 = 0x86,
    opTuple3 = 0x87,
    opNewTrue = 0x88,
    opNewFalse = 0x89,
    opLong1 = 0x8a,
    opLong4 = 0x8b,
    opShortBinUnicode = 0x8c,
    opBinUnicode8 = 0x8d,
    opBinBytes8 = 0x8e,
    opEmptySet = 0x8f,
    opAddItems = 0x90,
    opFrozenSet = 0x91,
    opNewObjEx = 0x92,
    opStackGlobal = 0x93,
    opMemoize = 0x94,
    opFrame = 0x95,
    opByteArray8 = 0x96,
};

constexpr int newestProtocol = 5;
/// Allocator overhead of one node or vector, for the allowance.
constexpr std::size_t blockBytes = 16;

} // namespace

template <class T>
void PickleMachine::grow(std::vector<T>& vector, T value)
{
    if (vector.size() == vector.capacity()) {
        const std::size_t more = std::max<std::size_t>(vector.capacity() * 2, 16);
        m_allowance.charge((more - vector.capacity()) * sizeof(T));
        vector.reserve(more);
    }
    vector.push_back(std::move(value));
}

PickleValue PickleMachine::pop()
{
    const PickleValue value = top();
    m_stack.pop_back();
    return value;
}

PickleValue& PickleMachine::top()
{
    if (m_stack.size() <= (m_marks.empty() ? 0 : m_marks.back()))
        m_view.fail("the pickle takes a value that is not there");
    return m_stack.back();
}

std::span<const PickleValue> PickleMachine::popMarked()
{
    if (m_marks.empty())
        m_view.fail("the pickle refers to a mark that is not there");
    const std::size_t from = m_marks.back();
    m_marks.pop_back();
    m_marked.assign(m_stack.begin() + static_cast<std::ptrdiff_t>(from), m_stack.end());
    m_stack.resize(from);
    return m_marked;
}

PickleValue PickleMachine::makeText(PickleKind kind, std::string_view text)
{
    m_allowance.charge(sizeof(text));
    return {kind, &m_pickle.views.emplace_back(text)};
}

PickleValue PickleMachine::makeOwnedText(PickleKind kind, std::string text)
{
    m_allowance.charge(sizeof(text) + text.capacity());
    return makeText(kind, m_pickle.texts.emplace_back(std::move(text)));
}

std::span<PickleValue> PickleMachine::makeItems(std::size_t count)
{
    return m_pickle.arena.take(count, [this](std::size_t bytes) { m_allowance.charge(bytes); });
}

void PickleMachine::reserve(PickleNode& node, std::size_t count)
{
    if (count <= node.capacity)
        return;
    const auto larger = makeItems(std::max(count, 2 * node.capacity));
    std::copy(node.items.begin(), node.items.end(), larger.begin());
    node.items = larger.first(node.items.size());
    node.capacity = larger.size();
}

PickleValue PickleMachine::makeNode(PickleKind kind, std::span<const PickleValue> items)
{
    m_allowance.charge(sizeof(PickleNode));
    const auto own = makeItems(items.size());
    std::copy(items.begin(), items.end(), own.begin());
    return {kind, &m_pickle.nodes.emplace_back(PickleNode{own, own.size()})};
}

PickleValue PickleMachine::makeGlobal(std::string_view module, std::string_view name)
{
    auto full = fmt::format("{}.{}", module, name);
    if (const auto known = m_globals.find(full); known != m_globals.end())
        return {PickleKind::global, known->second};
    m_allowance.charge(4 * blockBytes + full.size());
    const PickleValue made = makeOwnedText(PickleKind::global, full);
    m_globals.emplace(std::move(full), made.m_text);
    return made;
}

Pickle PickleMachine::take()
{
    m_allowance.release(m_stack.capacity() * sizeof(PickleValue) + m_memo.capacity() * sizeof(PickleValue) +
                        m_marks.capacity() * sizeof(std::size_t));
    return std::move(m_pickle);
}

bool PickleMachine::step()
{
    const auto opcode = m_view.little<unsigned char>();
    if (opcode == opStop) {
        m_pickle.root = pop();
        return false;
    }
    if (runText(opcode) || runMemo(opcode) || runContainer(opcode) || runNumber(opcode) || runObject(opcode) ||
        runStack(opcode))
        return true;
    m_view.fail(fmt::format("the pickle has the unknown or unsupported opcode 0x{:02x}", opcode));
}

bool PickleMachine::runStack(unsigned char opcode)
{
    switch (opcode) {
    case opProto:
        if (const int protocol = m_view.little<unsigned char>(); protocol > newestProtocol)
            m_view.fail(fmt::format("the pickle has protocol {}, newer than {},", protocol, newestProtocol));
        return true;
    case opFrame:
        if (m_view.little<std::uint64_t>() > m_view.left())
            m_view.fail("a frame of the pickle is longer than the file: it is cut off");
        return true;
    case opMark:
        mark();
        return true;
    case opPop:
        if (!m_marks.empty() && m_marks.back() == m_stack.size())
            m_marks.pop_back();
        else
            pop();
        return true;
    case opPopMark:
        popMarked();
        return true;
    case opDup:
        push(top());
        return true;
    default:
        return false;
    }
}

bool PickleMachine::runNumber(unsigned char opcode)
{
    switch (opcode) {
    case opNone:
        push({});
        return true;
    case opNewTrue:
    case opNewFalse:
        push(PickleValue(opcode == opNewTrue));
        return true;
    case opBinInt:
        pushInteger(m_view.little<std::int32_t>());
        return true;
    case opBinInt1:
        pushInteger(m_view.little<std::uint8_t>());
        return true;
    case opBinInt2:
        pushInteger(m_view.little<std::uint16_t>());
        return true;
    case opInt:
    case opLong:
        pushIntegerLine();
        return true;
    case opLong1:
        pushLong(m_view.little<std::uint8_t>());
        return true;
    case opLong4:
        pushLong(m_view.little<std::uint32_t>());
        return true;
    case opBinFloat:
        push(PickleValue(m_view.big<double>()));
        return true;
    case opFloat:
        if (const auto value = parseReal(m_view.line()))
            push(PickleValue(*value));
        else
            m_view.fail("the pickle has a float that is none");
        return true;
    default:
        return false;
    }
}

void PickleMachine::pushIntegerLine()
{
    auto line = m_view.line();
    // INT says bool by these two spellings (pickletools.py, read_decimalnl_short).
    if (line == "00" || line == "01")
        return push(PickleValue(line == "01"));
    if (!line.empty() && line.back() == 'L')
        line.remove_suffix(1);
    if (const auto value = parseInteger(line))
        return pushInteger(*value);
    const auto digits = line.substr(line.starts_with('-') ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
        m_view.fail("the pickle has an integer that is none");
    push(makeText(PickleKind::bigInteger, line));
}

void PickleMachine::pushLong(std::uint64_t bytes)
{
    const auto raw = m_view.text(bytes);
    if (raw.size() > sizeof(std::int64_t))
        return push(makeOwnedText(PickleKind::bigInteger, longText(raw)));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < raw.size(); ++i)
        value |= std::uint64_t{static_cast<unsigned char>(raw[i])} << (8 * i);
    const std::size_t unused = 64 - 8 * raw.size();
    // Shifts the sign bit up and back down, which repeats it.
    pushInteger(raw.empty() ? 0 : static_cast<std::int64_t>(value << unused) >> unused);
}

bool PickleMachine::runText(unsigned char opcode)
{
    switch (opcode) {
    case opBinUnicode:
        push(makeText(PickleKind::text, m_view.text(m_view.little<std::uint32_t>())));
        return true;
    case opShortBinUnicode:
        push(makeText(PickleKind::text, m_view.text(m_view.little<std::uint8_t>())));
        return true;
    case opBinUnicode8:
        push(makeText(PickleKind::text, m_view.text(m_view.little<std::uint64_t>())));
        return true;
    case opUnicode:
        push(makeOwnedText(PickleKind::text, decodeRawUnicode(m_view.line())));
        return true;
    case opBinString:
        push(makeText(PickleKind::oldText, m_view.text(m_view.little<std::uint32_t>())));
        return true;
    case opShortBinString:
        push(makeText(PickleKind::oldText, m_view.text(m_view.little<std::uint8_t>())));
        return true;
    case opString:
        if (auto text = decodeStringLiteral(m_view.line()))
            push(makeOwnedText(PickleKind::oldText, std::move(*text)));
        else
            m_view.fail("the pickle has a string without its quotes");
        return true;
    case opBinBytes:
        push(makeText(PickleKind::bytes, m_view.text(m_view.little<std::uint32_t>())));
        return true;
    case opShortBinBytes:
        push(makeText(PickleKind::bytes, m_view.text(m_view.little<std::uint8_t>())));
        return true;
    case opBinBytes8:
    case opByteArray8:
        push(makeText(PickleKind::bytes, m_view.text(m_view.little<std::uint64_t>())));
        return true;
    default:
        return false;
    }
}

bool PickleMachine::runContainer(unsigned char opcode)
{
    switch (opcode) {
    case opEmptyTuple:
    case opTuple1:
    case opTuple2:
    case opTuple3:
        pushTuple(opcode == opEmptyTuple ? 0 : static_cast<std::size_t>(opcode - opTuple1 + 1));
        return true;
    case opTuple:
        push(makeNode(PickleKind::tuple, popMarked()));
        return true;
    case opEmptyList:
        push(makeNode(PickleKind::list, {}));
        return true;
    case opList:
        push(makeNode(PickleKind::list, popMarked()));
        return true;
    case opEmptyDict:
        push(makeNode(PickleKind::dict, {}));
        return true;
    case opDict:
        pushDict();
        return true;
    case opEmptySet:
        push(makeNode(PickleKind::set, {}));
        return true;
    case opFrozenSet:
        push(makeNode(PickleKind::set, popMarked()));
        return true;
    case opAppend: {
        const PickleValue value = pop();
        append({&value, 1});
        return true;
    }
    case opAppends:
    case opAddItems:
        append(popMarked());
        return true;
    case opSetItem: {
        const PickleValue value = pop();
        const PickleValue pair[] = {pop(), value};
        assign(pair);
        return true;
    }
    case opSetItems:
        assign(popMarked());
        return true;
    default:
        return false;
    }
}

void PickleMachine::pushTuple(std::size_t count)
{
    PickleValue items[3];
    for (std::size_t i = count; i-- > 0;)
        items[i] = pop();
    push(makeNode(PickleKind::tuple, std::span(items).first(count)));
}

void PickleMachine::pushDict()
{
    const auto items = popMarked();
    if (items.size() % 2 != 0)
        m_view.fail("the pickle has a dict with a key that has no value");
    push(makeNode(PickleKind::dict, items));
}

PickleNode& PickleMachine::collector(PickleNode& call, std::size_t index, PickleKind kind)
{
    PickleValue& part = partOf(call, index);
    if (!part.is(kind))
        part = makeNode(kind, {});
    return *part.m_node;
}

PickleValue& PickleMachine::partOf(PickleNode& call, std::size_t index)
{
    if (call.items.size() <= index) {
        const std::size_t before = call.items.size();
        reserve(call, index + 1);
        call.items = {call.items.data(), index + 1};
        std::fill(call.items.begin() + static_cast<std::ptrdiff_t>(before), call.items.end(), PickleValue());
    }
    return call.items[index];
}

void PickleMachine::addItems(PickleNode& node, std::span<const PickleValue> values)
{
    const std::size_t before = node.items.size();
    reserve(node, before + values.size());
    node.items = {node.items.data(), before + values.size()};
    std::copy(values.begin(), values.end(), node.items.begin() + static_cast<std::ptrdiff_t>(before));
}

void PickleMachine::append(std::span<const PickleValue> values)
{
    const PickleValue target = top();
    if (target.is(PickleKind::list) || target.is(PickleKind::set))
        addItems(*target.m_node, values);
    else if (target.is(PickleKind::call))
        addItems(collector(*target.m_node, 3, PickleKind::list), values);
    else
        m_view.fail("the pickle appends to what is no list");
}

void PickleMachine::assign(std::span<const PickleValue> pairs)
{
    if (pairs.size() % 2 != 0)
        m_view.fail("the pickle has a dict with a key that has no value");
    const PickleValue target = top();
    if (target.is(PickleKind::dict))
        addItems(*target.m_node, pairs);
    else if (target.is(PickleKind::call))
        addItems(collector(*target.m_node, 4, PickleKind::dict), pairs);
    else
        m_view.fail("the pickle sets an item of what is no dict");
}

bool PickleMachine::runMemo(unsigned char opcode)
{
    switch (opcode) {
    case opBinPut:
        remember(m_view.little<std::uint8_t>());
        return true;
    case opLongBinPut:
        remember(m_view.little<std::uint32_t>());
        return true;
    case opPut:
        remember(lineIndex());
        return true;
    case opMemoize:
        remember(m_memo.size());
        return true;
    case opBinGet:
        recall(m_view.little<std::uint8_t>());
        return true;
    case opLongBinGet:
        recall(m_view.little<std::uint32_t>());
        return true;
    case opGet:
        recall(lineIndex());
        return true;
    default:
        return false;
    }
}

std::uint64_t PickleMachine::lineIndex()
{
    const auto index = parseInteger(m_view.line());
    if (!index || *index < 0)
        m_view.fail("the pickle has a memo index that is none");
    return static_cast<std::uint64_t>(*index);
}

void PickleMachine::remember(std::uint64_t index)
{
    // Every pickler numbers its memo from 0 or 1 upwards; a far index would only make us allocate.
    constexpr std::uint64_t slack = 256;
    if (index > m_memo.size() + slack)
        m_view.fail(fmt::format("the pickle puts memo {} after {} others", index, m_memo.size()));
    const PickleValue value = top();
    while (m_memo.size() <= index)
        grow(m_memo, {});
    m_memo[static_cast<std::size_t>(index)] = value;
}

void PickleMachine::recall(std::uint64_t index)
{
    if (index >= m_memo.size())
        m_view.fail(fmt::format("the pickle gets memo {}, which it never put", index));
    push(m_memo[static_cast<std::size_t>(index)]);
}

bool PickleMachine::runObject(unsigned char opcode)
{
    switch (opcode) {
    case opGlobal:
        pushGlobalLines();
        return true;
    case opStackGlobal: {
        const PickleValue name = pop();
        const PickleValue module = pop();
        if (!name.isText() || !module.isText())
            m_view.fail("the pickle names a class by what is no text");
        push(makeGlobal(module.text(), name.text()));
        return true;
    }
    case opReduce:
    case opNewObj: {
        const PickleValue arguments = pop();
        const PickleValue callable = pop();
        call(callable, arguments);
        return true;
    }
    case opNewObjEx: {
        const PickleValue keywords = pop();
        const PickleValue arguments = pop();
        const PickleValue callable = pop();
        call(callable, arguments);
        if (keywords.is(PickleKind::dict) && !keywords.items().empty())
            assign(keywords.items());
        return true;
    }
    case opInst: {
        pushGlobalLines();
        const PickleValue callable = pop();
        call(callable, makeNode(PickleKind::tuple, popMarked()));
        return true;
    }
    case opObj: {
        const auto items = popMarked();
        if (items.empty())
            m_view.fail("the pickle makes an object without a class");
        const PickleValue callable = items.front();
        call(callable, makeNode(PickleKind::tuple, items.subspan(1)));
        return true;
    }
    case opBuild:
        build();
        return true;
    case opBinPersid: {
        const PickleValue id = pop();
        push(makeNode(PickleKind::persistent, {&id, 1}));
        return true;
    }
    default:
        return false;
    }
}

void PickleMachine::pushGlobalLines()
{
    const auto module = m_view.line();
    const auto name = m_view.line();
    push(makeGlobal(module, name));
}

void PickleMachine::call(PickleValue callable, PickleValue arguments)
{
    if (!arguments.is(PickleKind::tuple))
        m_view.fail("the pickle makes an object with arguments that are no tuple");
    const PickleValue parts[] = {callable, arguments};
    push(makeNode(PickleKind::call, parts));
}

void PickleMachine::build()
{
    const PickleValue state = pop();
    const PickleValue target = top();
    // Attributes of built-in containers (a state_dict's _metadata) are not shown.
    if (!target.is(PickleKind::call))
        return;
    partOf(*target.m_node, 2) = state;
}

Pickle readPickle(ByteView& view, Allowance& allowance, const Job& job)
{
    constexpr unsigned stepsBetweenChecks = 4096;
    PickleMachine machine(view, allowance);
    for (unsigned steps = 1; machine.step(); ++steps)
        if (steps % stepsBetweenChecks == 0)
            job.check();
    return machine.take();
}

} // namespace core::io
