// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/allowance.h"
#include "core/io/byte_view.h"
#include "core/io/pickle_value.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core::io {

/// The stack machine behind readPickle(): holds stack, marks and memo and makes values. Every operation throws Error for a
/// stack or memo that does not hold what it needs.
class PickleMachine
{
public:
    PickleMachine(ByteView& view, Allowance& allowance) : m_view(view), m_allowance(allowance) {}

    /// Runs one opcode; false for STOP.
    bool step();
    /// The finished pickle, once step() answered false. The machine is of no further use.
    Pickle take();

private:
    template <class T>
    void grow(std::vector<T>& vector, T value);
    void push(PickleValue value) { grow(m_stack, value); }
    PickleValue pop();
    PickleValue& top();
    void mark() { grow(m_marks, m_stack.size()); }
    /// The values above the last mark, which is removed together with them. Valid until the next push.
    std::span<const PickleValue> popMarked();

    PickleValue makeText(PickleKind kind, std::string_view text);
    PickleValue makeOwnedText(PickleKind kind, std::string text);
    PickleValue makeNode(PickleKind kind, std::span<const PickleValue> items);
    std::span<PickleValue> makeItems(std::size_t count);
    /// Makes room for `count` members of a node, those there are kept.
    void reserve(PickleNode& node, std::size_t count);
    /// The member of a call at `index`, made None when it is not there yet.
    PickleValue& partOf(PickleNode& call, std::size_t index);
    PickleValue makeGlobal(std::string_view module, std::string_view name);

    /// Opcodes by what they do; each answers whether the opcode was one of its own.
    bool runNumber(unsigned char opcode);
    bool runText(unsigned char opcode);
    bool runContainer(unsigned char opcode);
    bool runMemo(unsigned char opcode);
    bool runObject(unsigned char opcode);
    bool runStack(unsigned char opcode);

    void pushInteger(std::int64_t value) { push(PickleValue(value)); }
    void pushIntegerLine();
    void pushLong(std::uint64_t bytes);
    void pushTuple(std::size_t count);
    void pushDict();
    void append(std::span<const PickleValue> values);
    void assign(std::span<const PickleValue> pairs);
    void remember(std::uint64_t index);
    void recall(std::uint64_t index);
    void call(PickleValue callable, PickleValue arguments);
    void build();
    void pushGlobalLines();
    std::uint64_t lineIndex();
    /// The list (3) or dict (4) of a call that collects what is done to its result.
    PickleNode& collector(PickleNode& call, std::size_t index, PickleKind kind);
    void addItems(PickleNode& node, std::span<const PickleValue> values);

    ByteView& m_view;
    Allowance& m_allowance;
    Pickle m_pickle;
    std::vector<PickleValue> m_stack;
    std::vector<std::size_t> m_marks;
    std::vector<PickleValue> m_memo;
    std::vector<PickleValue> m_marked;
    std::unordered_map<std::string, const std::string_view*> m_globals;
};

} // namespace core::io
