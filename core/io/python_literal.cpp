// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/python_literal.h"

#include <charconv>
#include <fmt/format.h>

namespace core::io {

namespace {

class Parser
{
public:
    explicit Parser(ByteView view) : m_view(std::move(view)) {}

    PythonLiteral all()
    {
        auto value = parse(0);
        skipBlanks();
        if (!m_view.atEnd())
            m_view.fail("the header goes on after its value");
        return value;
    }

private:
    using Kind = PythonLiteral::Kind;

    char next() const { return m_view.atEnd() ? '\0' : m_view.peek(1)[0]; }
    bool take(char c)
    {
        if (next() != c || m_view.atEnd())
            return false;
        m_view.skip(1);
        return true;
    }
    void skipBlanks()
    {
        while (!m_view.atEnd() && std::string_view(" \t\r\n").find(next()) != std::string_view::npos)
            m_view.skip(1);
    }

    PythonLiteral parse(int depth)
    {
        constexpr int deepest = 32;
        constexpr int most = 10'000;
        if (depth > deepest || ++m_values > most)
            m_view.fail("the header is nested too deeply or has too many values");
        skipBlanks();
        const auto begin = m_view.offset();
        auto value = parseValue(depth);
        const auto all = m_view.bytes();
        value.source = {reinterpret_cast<const char*>(all.data()) + begin, m_view.offset() - begin};
        return value;
    }

    PythonLiteral parseValue(int depth)
    {
        const char c = next();
        if (c == '(')
            return parseMembers(Kind::tuple, ')', depth);
        if (c == '[')
            return parseMembers(Kind::list, ']', depth);
        if (c == '{')
            return parseMembers(Kind::dict, '}', depth);
        if (c == '-' || (c >= '0' && c <= '9'))
            return parseInteger();
        if (c == '\'' || c == '"')
            return parseString();
        return parseWord();
    }

    PythonLiteral parseMembers(Kind kind, char end, int depth)
    {
        PythonLiteral value{.kind = kind};
        m_view.skip(1);
        bool comma = false;
        for (;;) {
            skipBlanks();
            if (take(end))
                break;
            if (!value.members.empty() && !comma)
                m_view.fail("a comma is missing in the header");
            value.members.push_back(parse(depth + 1));
            skipBlanks();
            if (kind == Kind::dict) {
                if (!take(':'))
                    m_view.fail("a colon is missing in the header");
                value.members.push_back(parse(depth + 1));
                skipBlanks();
            }
            comma = take(',');
        }
        // Brackets around one value without a comma are only brackets.
        if (kind == Kind::tuple && value.members.size() == 1 && !comma)
            return PythonLiteral(std::move(value.members[0]));
        return value;
    }

    PythonLiteral parseInteger()
    {
        PythonLiteral value{.kind = Kind::integer};
        const auto rest = m_view.peek(m_view.left());
        const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value.number);
        if (error != std::errc{})
            m_view.fail("the header has an integer that is too large");
        m_view.skip(static_cast<std::uint64_t>(stop - rest.data()));
        take('L');
        return value;
    }

    PythonLiteral parseString()
    {
        PythonLiteral value{.kind = Kind::string};
        const char quote = next();
        m_view.skip(1);
        while (!take(quote)) {
            take('\\');
            value.text += m_view.text(1);
        }
        return value;
    }

    PythonLiteral parseWord()
    {
        for (const auto& [word, kind, number] : {std::tuple<std::string_view, Kind, int>{"True", Kind::boolean, 1},
                                                 {"False", Kind::boolean, 0},
                                                 {"None", Kind::none, 0}}) {
            if (m_view.peek(word.size()) != word)
                continue;
            m_view.skip(word.size());
            return {.kind = kind, .number = number};
        }
        // u'..' and b'..' of Python 2 and 3.
        if ((take('u') || take('b')) && (next() == '\'' || next() == '"'))
            return parseString();
        m_view.fail("the header is not a Python literal");
    }

    ByteView m_view;
    int m_values = 0;
};

} // namespace

const PythonLiteral* PythonLiteral::find(std::string_view key) const
{
    for (std::size_t i = 0; kind == Kind::dict && i + 1 < members.size(); i += 2)
        if (members[i].kind == Kind::string && members[i].text == key)
            return &members[i + 1];
    return nullptr;
}

PythonLiteral parsePythonLiteral(ByteView view)
{
    return Parser(std::move(view)).all();
}

} // namespace core::io
