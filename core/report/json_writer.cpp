// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/json_writer.h"

#include "core/report/number_text.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>

namespace core::report {

namespace {

std::string quotedText(std::string_view text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string realText(double value)
{
    return std::isfinite(value) ? numberText(value) : '"' + numberText(value) + '"';
}

std::string scalarText(const Scalar& value)
{
    const double* real = std::get_if<double>(&value);
    return real ? realText(*real) : numberText(value);
}

std::string cellText(const Cell& cell)
{
    return std::visit(
        [](const auto& value) -> std::string {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::monostate>)
                return "null";
            else if constexpr (std::is_same_v<T, std::string>)
                return quotedText(value);
            else if constexpr (std::is_same_v<T, double>)
                return realText(value);
            else if constexpr (std::is_same_v<T, __int128>)
                return fits64(value) ? numberText(value) : '"' + numberText(value) + '"';
            else if constexpr (std::is_same_v<T, std::vector<Scalar>>) {
                std::string list = "[";
                for (const auto& item : value)
                    list += (list.size() > 1 ? "," : "") + scalarText(item);
                return list + "]";
            } else
                return std::to_string(value);
        },
        cell);
}

} // namespace

void JsonWriter::separate()
{
    if (std::exchange(m_afterKey, false) || m_levels.empty())
        return;
    auto& level = m_levels.back();
    if (!level.empty)
        m_text += ',';
    if (level.lines)
        m_text += '\n';
    level.empty = false;
}

void JsonWriter::open(char bracket, bool lines)
{
    separate();
    m_text += bracket;
    m_levels.push_back({true, lines});
}

void JsonWriter::close(char bracket)
{
    if (m_levels.back().lines && !m_levels.back().empty)
        m_text += '\n';
    m_text += bracket;
    m_levels.pop_back();
}

void JsonWriter::beginObject()
{
    open('{', false);
}

void JsonWriter::endObject()
{
    close('}');
}

void JsonWriter::beginArray(bool lines)
{
    open('[', lines);
}

void JsonWriter::endArray()
{
    close(']');
}

void JsonWriter::key(std::string_view name)
{
    separate();
    m_text += quotedText(name) + ':';
    m_afterKey = true;
}

void JsonWriter::value(const Cell& cell)
{
    separate();
    m_text += cellText(cell);
}

void JsonWriter::value(std::string_view text)
{
    separate();
    m_text += quotedText(text);
}

void JsonWriter::value(bool truth)
{
    separate();
    m_text += truth ? "true" : "false";
}

void JsonWriter::value(const Table& table)
{
    std::vector<std::string> keys;
    for (const auto& column : table.columns)
        keys.push_back(quotedText(column) + ':');
    beginArray(true);
    for (const auto& row : table.rows) {
        separate();
        for (std::size_t i = 0; i < row.size(); ++i) {
            m_text += i == 0 ? '{' : ',';
            m_text += keys[i];
            m_text += cellText(row[i]);
        }
        m_text += '}';
    }
    endArray();
}

std::string JsonWriter::take()
{
    return std::exchange(m_text, {}) + '\n';
}

} // namespace core::report
