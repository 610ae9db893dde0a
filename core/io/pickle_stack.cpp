// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_stack.h"

#include <fmt/format.h>

namespace core::io {

PickleStack::~PickleStack()
{
    m_allowance.release((m_values.capacity() + m_memo.capacity()) * sizeof(PickleValue) +
                        m_marks.capacity() * sizeof(std::size_t));
}

PickleValue PickleStack::pop()
{
    const PickleValue value = top();
    m_values.pop_back();
    return value;
}

const PickleValue& PickleStack::top() const
{
    if (m_values.size() <= (m_marks.empty() ? 0 : m_marks.back()))
        m_view.fail("the pickle takes a value that is not there");
    return m_values.back();
}

void PickleStack::popValueOrMark()
{
    if (!m_marks.empty() && m_marks.back() == m_values.size())
        m_marks.pop_back();
    else
        pop();
}

std::span<const PickleValue> PickleStack::popMarked()
{
    if (m_marks.empty())
        m_view.fail("the pickle refers to a mark that is not there");
    const std::size_t from = m_marks.back();
    m_marks.pop_back();
    m_marked.assign(m_values.begin() + static_cast<std::ptrdiff_t>(from), m_values.end());
    m_values.resize(from);
    return m_marked;
}

void PickleStack::remember(std::uint64_t index)
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

void PickleStack::recall(std::uint64_t index)
{
    if (index >= m_memo.size())
        m_view.fail(fmt::format("the pickle gets memo {}, which it never put", index));
    push(m_memo[static_cast<std::size_t>(index)]);
}

} // namespace core::io
