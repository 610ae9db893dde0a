// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/table.h"

#include <string>
#include <string_view>
#include <vector>

namespace core::report {

/// Builds JSON text in the order of the calls. Numbers are exact: floats as numberText writes them, integers beyond 64 bits as
/// strings, what JSON lacks as "NaN", "Infinity", "-Infinity". Bytes that are not UTF-8 become U+FFFD.
class JsonWriter
{
public:
    void beginObject();
    void endObject();
    /// Array items and object members are put on lines of their own when `lines` is set.
    void beginArray(bool lines = false);
    void endArray();
    void key(std::string_view name);
    void value(const Cell& cell);
    void value(std::string_view text);
    void value(const char* text) { value(std::string_view(text)); }
    void value(const std::string& text) { value(std::string_view(text)); }
    void value(bool truth);
    template <class T>
    void member(std::string_view name, const T& content)
    {
        key(name);
        value(content);
    }
    /// An array of objects, one a row, each on a line of its own.
    void value(const Table& table);
    /// The text so far, and a newline.
    std::string take();

private:
    void separate();
    void open(char bracket, bool lines);
    void close(char bracket);

    struct Level
    {
        bool empty = true;
        bool lines = false;
    };
    std::string m_text;
    std::vector<Level> m_levels;
    bool m_afterKey = false;
};

} // namespace core::report
