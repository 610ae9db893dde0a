// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/table.h"

#include "core/report/number_text.h"
#include "core/report/text_width.h"

#include <algorithm>

namespace core::report {

namespace {

enum class Digits { all, few };

std::string text(double value, Digits digits)
{
    return digits == Digits::all ? numberText(value) : roundedText(value);
}

std::string text(const Scalar& value, Digits digits)
{
    const double* real = std::get_if<double>(&value);
    return real ? text(*real, digits) : numberText(value);
}

std::string text(const std::vector<Scalar>& list, Digits digits)
{
    std::string joined = "[";
    for (const auto& value : list) {
        if (joined.size() > 1)
            joined += digits == Digits::all ? "," : ", ";
        joined += text(value, digits);
    }
    return joined + "]";
}

std::string text(const Cell& cell, Digits digits)
{
    return std::visit(
        [digits](const auto& value) -> std::string {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::monostate>)
                return "";
            else if constexpr (std::is_same_v<T, std::string>)
                return value;
            else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>)
                return std::to_string(value);
            else if constexpr (std::is_same_v<T, __int128>)
                return numberText(value);
            else
                return text(value, digits);
        },
        cell);
}

std::string quoted(std::string field)
{
    if (field.find_first_of(",\"\r\n") == std::string::npos)
        return field;
    std::string result = "\"";
    for (const char letter : field) {
        if (letter == '"')
            result += '"';
        result += letter;
    }
    return result + "\"";
}

/// Control characters would break the lines of a table (and could drive a terminal).
std::string printable(std::string field)
{
    std::ranges::replace_if(
        field, [](char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }, ' ');
    return field;
}

bool isText(const Cell& cell)
{
    return std::holds_alternative<std::string>(cell) || std::holds_alternative<std::vector<Scalar>>(cell);
}

} // namespace

Cell cell(const Scalar& value)
{
    return std::visit([](auto number) -> Cell { return number; }, value);
}

Cell cell(const Sum& sum)
{
    return sum.isInteger ? Cell(sum.integer) : Cell(sum.real);
}

Cell cell(std::span<const std::int64_t> list)
{
    return std::vector<Scalar>(list.begin(), list.end());
}

std::string csvText(const Table& table)
{
    std::string result;
    for (const auto& column : table.columns) {
        if (!result.empty())
            result += ',';
        result += quoted(column);
    }
    result += '\n';
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0)
                result += ',';
            result += quoted(text(row[i], Digits::all));
        }
        result += '\n';
    }
    return result;
}

std::string plainText(const Table& table)
{
    const std::size_t columns = table.columns.size();
    std::vector<std::vector<std::string>> lines{table.columns};
    std::vector<bool> left(columns, false);
    for (const auto& row : table.rows) {
        auto& line = lines.emplace_back();
        for (std::size_t i = 0; i < columns; ++i) {
            line.push_back(std::holds_alternative<std::monostate>(row[i]) ? "-" : printable(text(row[i], Digits::few)));
            left[i] = left[i] || isText(row[i]);
        }
    }
    std::vector<std::size_t> widths(columns, 0);
    for (const auto& line : lines)
        for (std::size_t i = 0; i < columns; ++i)
            widths[i] = std::max(widths[i], textWidth(line[i]));

    std::string result;
    for (const auto& line : lines) {
        std::string padded;
        for (std::size_t i = 0; i < columns; ++i) {
            const std::string gap(widths[i] - textWidth(line[i]), ' ');
            padded += i > 0 ? "  " : "";
            padded += left[i] ? line[i] + gap : gap + line[i];
        }
        padded.erase(padded.find_last_not_of(' ') + 1);
        result += padded + '\n';
    }
    return result;
}

} // namespace core::report
