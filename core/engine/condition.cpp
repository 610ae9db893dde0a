// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/condition.h"

#include "core/engine/decimal.h"
#include "core/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace core {
namespace {

constexpr std::string_view forms =
    "> T, >= T, < T, <= T, == T, != T, between A B, outside A B, abs > T, abs >= T, nan, inf, finite, percentile P, sigma K, "
    "max F, otsu";

[[noreturn]] void fail(std::string_view text, std::string_view reason)
{
    throw UsageError(fmt::format("condition \"{}\": {}; write one of: {}", text, reason, forms));
}

bool isSpace(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Trimmed, every run of spaces one space.
std::string squeeze(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (!isSpace(c))
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    if (out.ends_with(' '))
        out.pop_back();
    return out;
}

/// Words between spaces; an operator is a word of its own even without spaces around it.
std::vector<std::string_view> words(std::string_view text)
{
    const std::string_view operators = "<>=!";
    std::vector<std::string_view> out;
    std::size_t i = 0;
    while (i < text.size()) {
        const std::size_t begin = i;
        const bool isOperator = operators.find(text[i]) != std::string_view::npos;
        while (i < text.size() && text[i] != ' ' && (operators.find(text[i]) != std::string_view::npos) == isOperator)
            ++i;
        if (i > begin)
            out.push_back(text.substr(begin, i - begin));
        else
            ++i;
    }
    return out;
}

std::size_t skipDigits(std::string_view text, std::size_t i)
{
    while (i < text.size() && isDigit(text[i]))
        ++i;
    return i;
}

enum class NumberForm { none, integer, real };

/// [+-] digits [. digits] [e [+-] digits], with a digit before or after the point; or [+-] inf.
NumberForm formOf(std::string_view text)
{
    if (text.starts_with('-') || text.starts_with('+'))
        text.remove_prefix(1);
    if (text == "inf")
        return NumberForm::real;
    std::size_t i = skipDigits(text, 0);
    std::size_t digits = i;
    bool isReal = false;
    if (i < text.size() && text[i] == '.') {
        const std::size_t end = skipDigits(text, i + 1);
        digits += end - i - 1;
        i = end;
        isReal = true;
    }
    if (digits == 0)
        return NumberForm::none;
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        if (i < text.size() && (text[i] == '-' || text[i] == '+'))
            ++i;
        const std::size_t end = skipDigits(text, i);
        if (end == i)
            return NumberForm::none;
        i = end;
        isReal = true;
    }
    if (i != text.size())
        return NumberForm::none;
    return isReal ? NumberForm::real : NumberForm::integer;
}

/// As Python's float(): to nearest, infinity past the range, 0 below it. Independent of the locale.
double toDouble(std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc::result_out_of_range)
        return value;
    const Decimal decimal = Decimal::parse(text);
    const double magnitude = decimal.exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    return decimal.negative ? -magnitude : magnitude;
}

__int128 toInteger(std::string_view text)
{
    constexpr __int128 low = -(static_cast<__int128>(1) << 63);
    constexpr __int128 high = (static_cast<__int128>(1) << 64) - 1;
    const __int128 value = Decimal::parse(text).floor();
    if (value < low || value > high)
        throw UsageError(
            fmt::format("threshold {} is outside the integers that PyTorch takes, -2^63 to 2^64 - 1; write it with a "
                        "point to compare as a real number",
                        text));
    return value;
}

struct Operator
{
    std::string_view text;
    ConditionKind kind;
};
constexpr Operator comparisons[] = {{">", ConditionKind::gt},  {">=", ConditionKind::ge}, {"<", ConditionKind::lt},
                                    {"<=", ConditionKind::le}, {"==", ConditionKind::eq}, {"!=", ConditionKind::ne}};
constexpr Operator magnitudes[] = {{">", ConditionKind::absGt}, {">=", ConditionKind::absGe}};
constexpr Operator intervals[] = {{"between", ConditionKind::between}, {"outside", ConditionKind::outside}};
constexpr Operator classes[] = {{"nan", ConditionKind::nan}, {"inf", ConditionKind::inf}, {"finite", ConditionKind::finite}};

struct RuleName
{
    std::string_view text;
    RuleKind kind;
};
constexpr RuleName parameterRules[] = {
    {"percentile", RuleKind::percentile}, {"sigma", RuleKind::sigma}, {"max", RuleKind::max}};

template <class Table>
auto lookUp(const Table& table, std::string_view word) -> decltype(&table[0])
{
    for (const auto& row : table)
        if (row.text == word)
            return &row;
    return nullptr;
}

Number numberOf(std::string_view word, std::string_view text)
{
    if (formOf(word) == NumberForm::none)
        fail(text, fmt::format("\"{}\" is not a number like 0.8, .5, -1, 1e-3 or inf", word));
    return Number::parse(word);
}

Rule ruleOf(RuleKind kind, std::string_view word, std::string_view text)
{
    const double parameter = numberOf(word, text).real;
    if (!std::isfinite(parameter))
        fail(text, "a rule needs a finite number");
    if (kind == RuleKind::percentile && (parameter < 0 || parameter > 100))
        fail(text, "a percentile lies between 0 and 100");
    return {kind, parameter};
}

/// Fills rule or condition from the words; false when they have no known form.
bool parseWords(Where& where, const std::vector<std::string_view>& list)
{
    const std::size_t n = list.size();
    const std::string_view first = n > 0 ? list[0] : std::string_view();
    if (const auto* row = n == 2 ? lookUp(comparisons, first) : nullptr)
        where.condition = {row->kind, numberOf(list[1], where.text), {}};
    else if (const auto* magnitude = n == 3 && first == "abs" ? lookUp(magnitudes, list[1]) : nullptr)
        where.condition = {magnitude->kind, numberOf(list[2], where.text), {}};
    else if (const auto* interval = n == 3 ? lookUp(intervals, first) : nullptr)
        where.condition = {interval->kind, numberOf(list[1], where.text), numberOf(list[2], where.text)};
    else if (const auto* kind = n == 1 ? lookUp(classes, first) : nullptr)
        where.condition = {kind->kind, {}, {}};
    else if (const auto* rule = n == 2 ? lookUp(parameterRules, first) : nullptr)
        where.rule = ruleOf(rule->kind, list[1], where.text);
    else if (n == 1 && first == "otsu")
        where.rule = Rule{RuleKind::otsu, 0};
    else
        return false;
    return true;
}

} // namespace

std::string_view comparisonName(Comparison comparison)
{
    return comparison == Comparison::torch ? "torch" : "exact";
}

Number Number::fromInteger(std::int64_t value)
{
    Number number;
    number.isInteger = true;
    number.integer = value;
    number.real = static_cast<double>(value);
    return number;
}

Number Number::fromReal(double value)
{
    Number number;
    number.real = value;
    return number;
}

Number Number::parse(std::string_view text)
{
    const std::string word = squeeze(text);
    const NumberForm form = formOf(word);
    if (form == NumberForm::none)
        throw UsageError(fmt::format("\"{}\" is not a number like 0.8, .5, -1, 1e-3 or inf", word));
    Number number;
    number.isInteger = form == NumberForm::integer;
    if (number.isInteger)
        number.integer = toInteger(word);
    number.real = number.isInteger ? static_cast<double>(number.integer) : toDouble(word);
    number.text = word;
    return number;
}

Where Where::parse(std::string_view text)
{
    Where where;
    where.text = squeeze(text);
    if (!parseWords(where, words(where.text)))
        fail(where.text, "not a form that is known");
    return where;
}

} // namespace core
