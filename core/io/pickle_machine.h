// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/allowance.h"
#include "core/io/byte_view.h"
#include "core/io/pickle_builder.h"
#include "core/io/pickle_stack.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace core::io {

/// The opcodes behind readPickle(), which move values between the file, the builder and the stack. Every operation throws Error
/// for what does not hold what it needs.
class PickleMachine
{
public:
    PickleMachine(ByteView& view, Allowance& allowance) : m_view(view), m_builder(allowance), m_stack(view, allowance) {}

    /// Runs one opcode; false for STOP.
    bool step();
    /// The finished pickle, once step() answered false. The machine is of no further use.
    Pickle take() { return m_builder.take(m_root); }

private:
    /// Opcodes by what they do; each answers whether the opcode was one of its own.
    bool runNumber(unsigned char opcode);
    bool runText(unsigned char opcode);
    bool runContainer(unsigned char opcode);
    bool runMemo(unsigned char opcode);
    bool runObject(unsigned char opcode);
    bool runStack(unsigned char opcode);

    void push(PickleValue value) { m_stack.push(value); }
    void pushInteger(std::int64_t value) { push(PickleValue(value)); }
    void pushIntegerLine();
    void pushLong(std::uint64_t bytes);
    void pushReal();
    void pushText(PickleKind kind, std::uint64_t bytes);
    void pushString();
    void pushTuple(std::size_t count);
    void pushDict();
    void pushGlobalLines();
    void pushStackGlobal();
    void pushCall(PickleValue callable, PickleValue arguments);
    void pushCallOfMarked();
    void append(std::span<const PickleValue> values);
    void assign(std::span<const PickleValue> pairs);
    std::uint64_t lineIndex();

    ByteView& m_view;
    PickleBuilder m_builder;
    PickleStack m_stack;
    PickleValue m_root;
};

} // namespace core::io
