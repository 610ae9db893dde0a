// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/allowance.h"
#include "core/io/byte_view.h"
#include "core/io/pickle_value.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace core::io {

/// Stack, marks and memo of a pickle being read. Charges its memory and gives it back at the end. Throws Error (the view's
/// subject and byte) for a value, mark or memo that is not there.
class PickleStack
{
public:
    PickleStack(const ByteView& view, Allowance& allowance) : m_view(view), m_allowance(allowance) {}
    ~PickleStack();
    PickleStack(const PickleStack&) = delete;
    PickleStack& operator=(const PickleStack&) = delete;

    void push(PickleValue value) { grow(m_values, value); }
    PickleValue pop();
    const PickleValue& top() const;
    void mark() { grow(m_marks, m_values.size()); }
    /// The last mark where nothing lies above it, else the last value.
    void popValueOrMark();
    /// The values above the last mark, which is removed together with them. Valid until the next call.
    std::span<const PickleValue> popMarked();

    /// Puts the top value into the memo.
    void remember(std::uint64_t index);
    /// The same at the next free index.
    void rememberNext() { remember(m_memo.size()); }
    /// Pushes a value of the memo.
    void recall(std::uint64_t index);

private:
    template <class T>
    void grow(std::vector<T>& vector, T value)
    {
        if (vector.size() == vector.capacity()) {
            const std::size_t more = std::max<std::size_t>(vector.capacity() * 2, 16);
            m_allowance.charge((more - vector.capacity()) * sizeof(T));
            vector.reserve(more);
        }
        vector.push_back(value);
    }

    const ByteView& m_view;
    Allowance& m_allowance;
    std::vector<PickleValue> m_values;
    std::vector<std::size_t> m_marks;
    std::vector<PickleValue> m_memo;
    std::vector<PickleValue> m_marked;
};

} // namespace core::io
