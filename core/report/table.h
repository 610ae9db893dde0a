// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace core::report {

/// One value of a table: nothing (null), an integer, a float64, text, or a list of numbers (a shape, two bounds).
using Cell = std::variant<std::monostate, std::int64_t, std::uint64_t, __int128, double, std::string, std::vector<Scalar>>;

Cell cell(const Scalar& value);
Cell cell(const Sum& sum);
Cell cell(std::span<const std::int64_t> list);
/// Null where there is nothing.
template <class T>
Cell cell(const std::optional<T>& value)
{
    return value ? cell(*value) : Cell{};
}
inline Cell cell(double value)
{
    return value;
}

/// Named columns and rows of as many cells.
struct Table
{
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> rows;
};

/// Comma-separated values (RFC 4180, lines end with "\n"): a header row, numbers in full, NaN as `NaN`, null as nothing; a list
/// as `[A,B]` in quotes.
std::string csvText(const Table& table);
/// For people: aligned columns (numbers to the right, at most six digits of a float), `-` for null.
std::string plainText(const Table& table);

} // namespace core::report
