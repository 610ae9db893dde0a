// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core::io {

/// What a value of a pickle is.
enum class PickleKind : std::uint8_t {
    none,
    boolean,
    integer,
    /// An integer beyond 64 bits, kept as text.
    bigInteger,
    real,
    text,
    /// A str of Python 2: text or raw bytes, only its user knows.
    oldText,
    bytes,
    tuple,
    list,
    set,
    dict,
    /// A class or function by name, never looked up.
    global,
    /// What a class or function would be called with to make an object; nothing is called.
    call,
    /// A reference to something outside the pickle (a storage).
    persistent,
};

struct PickleNode;

/// One value of a pickle. Small and copied freely; containers are shared as in Python. Valid as long as its Pickle.
class PickleValue
{
public:
    PickleValue() = default;
    explicit PickleValue(bool value) : m_kind(PickleKind::boolean), m_integer(value) {}
    explicit PickleValue(std::int64_t value) : m_kind(PickleKind::integer), m_integer(value) {}
    explicit PickleValue(double value) : m_kind(PickleKind::real), m_real(value) {}
    PickleValue(PickleKind kind, const std::string_view* text) : m_kind(kind), m_text(text) {}
    PickleValue(PickleKind kind, PickleNode* node) : m_kind(kind), m_node(node) {}

    PickleKind kind() const { return m_kind; }
    bool is(PickleKind kind) const { return m_kind == kind; }
    bool isNone() const { return is(PickleKind::none); }
    /// text or oldText.
    bool isText() const { return is(PickleKind::text) || is(PickleKind::oldText); }
    /// tuple, list, set, dict, call or persistent.
    bool hasNode() const;

    /// The integer of an integer or boolean.
    std::optional<std::int64_t> integer() const;
    /// The number of an integer, boolean or real.
    std::optional<double> number() const;
    /// True for a boolean or integer that is not 0.
    bool isTrue() const { return integer().value_or(0) != 0; }
    /// Characters of text (UTF-8, not validated), oldText, bytes; digits of a bigInteger; "module.name" of a global; else
    /// empty.
    std::string_view text() const;
    /// Members of a tuple, list or set; key, value, key, value ... of a dict; the id of a persistent; else empty.
    std::span<const PickleValue> items() const;
    /// Equal bits of a scalar, equal (long: the same) text, the same container.
    bool isSame(const PickleValue& other) const;
    /// Equal for values that are the same.
    std::size_t hash() const;
    /// Identity of a container, null for others.
    const PickleNode* node() const { return hasNode() ? m_node : nullptr; }

    /// Parts of a call: what is called ("" when that is no global), with which arguments, and what is done to the result.
    std::string_view callable() const;
    std::span<const PickleValue> arguments() const;
    PickleValue callableValue() const;
    PickleValue state() const;
    std::span<const PickleValue> appended() const;
    std::span<const PickleValue> assigned() const;

private:
    friend class PickleBuilder;
    /// Text that is compared, and not only where it lies: a long one met again and again would take for ever.
    bool hasShortText() const;
    std::uint64_t bits() const;
    PickleValue part(std::size_t index) const;

    PickleKind m_kind = PickleKind::none;
    union {
        std::int64_t m_integer = 0;
        double m_real;
        const std::string_view* m_text;
        PickleNode* m_node;
    };
};

/// The members behind a container. Of a call: callable, arguments, then as far as needed state, list of appended items, dict of
/// assigned items.
struct PickleNode
{
    std::span<PickleValue> items;
    /// Values that fit where `items` lie.
    std::size_t capacity = 0;
};

/// Memory for the members of containers, which live as long as their pickle: pieces of large blocks.
class PickleArena
{
public:
    /// `count` values, None each. `charge` is told the bytes of a block before it is made.
    template <class Charge>
    std::span<PickleValue> take(std::size_t count, Charge charge)
    {
        if (count > m_left.size()) {
            const std::size_t size = count > blockValues / 4 ? count : blockValues;
            charge(size * sizeof(PickleValue));
            const std::span<PickleValue> block = m_blocks.emplace_back(size);
            if (size == count)
                return block;
            m_left = block;
        }
        const auto piece = m_left.first(count);
        m_left = m_left.subspan(count);
        return piece;
    }

    /// Frees a piece that is a block of its own, as that of a large container that has grown; returns its bytes.
    std::size_t giveBack(std::span<const PickleValue> piece);

private:
    static constexpr std::size_t blockValues = 1024;

    std::deque<std::vector<PickleValue>> m_blocks;
    std::span<PickleValue> m_left;
};

/// A pickle read into values, and the memory that they live in. Text refers to the bytes that were read.
struct Pickle
{
    PickleValue root;
    PickleArena arena;
    std::deque<PickleNode> nodes;
    std::deque<std::string_view> views;
    std::deque<std::string> texts;
};

} // namespace core::io
