// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_machine.h"

#include "core/io/pickle.h"
#include "core/io/pickle_opcodes.h"
#include "core/io/pickle_text.h"

#include <fmt/format.h>
#include <utility>

namespace core::io {

namespace {

constexpr int newestProtocol = 5;

} // namespace

bool PickleMachine::step()
{
    const auto opcode = m_view.little<unsigned char>();
    if (opcode == opStop) {
        m_root = m_stack.pop();
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
        m_stack.mark();
        return true;
    case opPop:
        m_stack.popValueOrMark();
        return true;
    case opPopMark:
        m_stack.popMarked();
        return true;
    case opDup:
        push(m_stack.top());
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
        pushReal();
        return true;
    default:
        return false;
    }
}

void PickleMachine::pushReal()
{
    const auto value = parseReal(m_view.line());
    if (!value)
        m_view.fail("the pickle has a float that is none");
    push(PickleValue(*value));
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
    push(m_builder.makeText(PickleKind::bigInteger, line));
}

void PickleMachine::pushLong(std::uint64_t bytes)
{
    const auto raw = m_view.text(bytes);
    if (raw.size() > sizeof(std::int64_t))
        return push(m_builder.makeOwnedText(PickleKind::bigInteger, longText(raw)));
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
        pushText(PickleKind::text, m_view.little<std::uint32_t>());
        return true;
    case opShortBinUnicode:
        pushText(PickleKind::text, m_view.little<std::uint8_t>());
        return true;
    case opBinUnicode8:
        pushText(PickleKind::text, m_view.little<std::uint64_t>());
        return true;
    case opUnicode:
        push(m_builder.makeOwnedText(PickleKind::text, decodeRawUnicode(m_view.line())));
        return true;
    case opBinString:
        pushText(PickleKind::oldText, m_view.little<std::uint32_t>());
        return true;
    case opShortBinString:
        pushText(PickleKind::oldText, m_view.little<std::uint8_t>());
        return true;
    case opString:
        pushString();
        return true;
    case opBinBytes:
        pushText(PickleKind::bytes, m_view.little<std::uint32_t>());
        return true;
    case opShortBinBytes:
        pushText(PickleKind::bytes, m_view.little<std::uint8_t>());
        return true;
    case opBinBytes8:
    case opByteArray8:
        pushText(PickleKind::bytes, m_view.little<std::uint64_t>());
        return true;
    default:
        return false;
    }
}

void PickleMachine::pushText(PickleKind kind, std::uint64_t bytes)
{
    push(m_builder.makeText(kind, m_view.text(bytes)));
}

void PickleMachine::pushString()
{
    auto text = decodeStringLiteral(m_view.line());
    if (!text)
        m_view.fail("the pickle has a string without its quotes");
    push(m_builder.makeOwnedText(PickleKind::oldText, std::move(*text)));
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
        push(m_builder.makeShared(PickleKind::tuple, m_stack.popMarked()));
        return true;
    case opEmptyList:
        push(m_builder.makeNode(PickleKind::list, {}));
        return true;
    case opList:
        push(m_builder.makeNode(PickleKind::list, m_stack.popMarked()));
        return true;
    case opEmptyDict:
        push(m_builder.makeNode(PickleKind::dict, {}));
        return true;
    case opDict:
        pushDict();
        return true;
    case opEmptySet:
        push(m_builder.makeNode(PickleKind::set, {}));
        return true;
    case opFrozenSet:
        push(m_builder.makeNode(PickleKind::set, m_stack.popMarked()));
        return true;
    case opAppend: {
        const PickleValue value = m_stack.pop();
        append({&value, 1});
        return true;
    }
    case opAppends:
    case opAddItems:
        append(m_stack.popMarked());
        return true;
    case opSetItem: {
        const PickleValue value = m_stack.pop();
        const PickleValue pair[] = {m_stack.pop(), value};
        assign(pair);
        return true;
    }
    case opSetItems:
        assign(m_stack.popMarked());
        return true;
    default:
        return false;
    }
}

void PickleMachine::pushTuple(std::size_t count)
{
    PickleValue items[3];
    for (std::size_t i = count; i-- > 0;)
        items[i] = m_stack.pop();
    push(m_builder.makeShared(PickleKind::tuple, std::span(items).first(count)));
}

void PickleMachine::pushDict()
{
    const auto items = m_stack.popMarked();
    if (items.size() % 2 != 0)
        m_view.fail("the pickle has a dict with a key that has no value");
    push(m_builder.makeNode(PickleKind::dict, items));
}

void PickleMachine::append(std::span<const PickleValue> values)
{
    if (!m_builder.append(m_stack.top(), values))
        m_view.fail("the pickle appends to what is no list");
}

void PickleMachine::assign(std::span<const PickleValue> pairs)
{
    if (pairs.size() % 2 != 0)
        m_view.fail("the pickle has a dict with a key that has no value");
    if (!m_builder.assign(m_stack.top(), pairs))
        m_view.fail("the pickle sets an item of what is no dict");
}

bool PickleMachine::runMemo(unsigned char opcode)
{
    switch (opcode) {
    case opBinPut:
        m_stack.remember(m_view.little<std::uint8_t>());
        return true;
    case opLongBinPut:
        m_stack.remember(m_view.little<std::uint32_t>());
        return true;
    case opPut:
        m_stack.remember(lineIndex());
        return true;
    case opMemoize:
        m_stack.rememberNext();
        return true;
    case opBinGet:
        m_stack.recall(m_view.little<std::uint8_t>());
        return true;
    case opLongBinGet:
        m_stack.recall(m_view.little<std::uint32_t>());
        return true;
    case opGet:
        m_stack.recall(lineIndex());
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

bool PickleMachine::runObject(unsigned char opcode)
{
    switch (opcode) {
    case opGlobal:
        pushGlobalLines();
        return true;
    case opStackGlobal:
        pushStackGlobal();
        return true;
    case opReduce:
    case opNewObj: {
        const PickleValue arguments = m_stack.pop();
        const PickleValue callable = m_stack.pop();
        pushCall(callable, arguments);
        return true;
    }
    case opNewObjEx: {
        const PickleValue keywords = m_stack.pop();
        const PickleValue arguments = m_stack.pop();
        const PickleValue callable = m_stack.pop();
        pushCall(callable, arguments);
        if (keywords.is(PickleKind::dict) && !keywords.items().empty())
            assign(keywords.items());
        return true;
    }
    case opInst: {
        pushGlobalLines();
        const PickleValue callable = m_stack.pop();
        pushCall(callable, m_builder.makeShared(PickleKind::tuple, m_stack.popMarked()));
        return true;
    }
    case opObj:
        pushCallOfMarked();
        return true;
    case opBuild: {
        const PickleValue state = m_stack.pop();
        m_builder.setState(m_stack.top(), state);
        return true;
    }
    case opBinPersid: {
        const PickleValue id = m_stack.pop();
        push(m_builder.makeShared(PickleKind::persistent, {&id, 1}));
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
    push(m_builder.makeGlobal(module, name));
}

void PickleMachine::pushStackGlobal()
{
    const PickleValue name = m_stack.pop();
    const PickleValue module = m_stack.pop();
    if (!name.isText() || !module.isText())
        m_view.fail("the pickle names a class by what is no text");
    push(m_builder.makeGlobal(module.text(), name.text()));
}

void PickleMachine::pushCall(PickleValue callable, PickleValue arguments)
{
    if (!arguments.is(PickleKind::tuple))
        m_view.fail("the pickle makes an object with arguments that are no tuple");
    const PickleValue parts[] = {callable, arguments};
    push(m_builder.makeNode(PickleKind::call, parts));
}

void PickleMachine::pushCallOfMarked()
{
    const auto items = m_stack.popMarked();
    if (items.empty())
        m_view.fail("the pickle makes an object without a class");
    const PickleValue callable = items.front();
    pushCall(callable, m_builder.makeShared(PickleKind::tuple, items.subspan(1)));
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
