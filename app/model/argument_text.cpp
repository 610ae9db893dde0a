// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/argument_text.h"

#include "core/cast.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace app {

namespace {

/// The parts of "Tensor, List[int]" between commas that stand in no bracket.
std::vector<std::string> split(std::string_view text)
{
    std::vector<std::string> parts;
    int depth = 0;
    std::size_t begin = 0;
    const auto add = [&](std::size_t end) {
        auto part = text.substr(begin, end - begin);
        while (part.starts_with(' '))
            part.remove_prefix(1);
        parts.emplace_back(part);
        begin = end + 1;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[')
            ++depth;
        else if (text[i] == ']')
            --depth;
        else if (text[i] == ',' && depth == 0)
            add(i);
    }
    add(text.size());
    return parts;
}

/// What stands in the brackets of "NAME[...]", or nothing.
std::optional<std::string_view> inBrackets(std::string_view text, std::string_view name)
{
    if (!text.starts_with(name) || text.size() < name.size() + 2 || text[name.size()] != '[' || !text.ends_with(']'))
        return std::nullopt;
    return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

template <class Number>
std::optional<Number> parseNumber(std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<bool> parseFlag(std::string_view text)
{
    if (text == "true" || text == "True" || text == "1")
        return true;
    if (text == "false" || text == "False" || text == "0")
        return false;
    return std::nullopt;
}

/// The value, or nothing where the text does not fit.
std::optional<ModelValue> scalar(ArgumentType::Kind kind, std::string_view text)
{
    using Kind = ArgumentType::Kind;
    const auto wrap = [](const auto& value) -> std::optional<ModelValue> {
        return value ? std::optional(ModelValue{*value}) : std::nullopt;
    };
    switch (kind) {
    case Kind::integer:
        return wrap(parseNumber<std::int64_t>(text));
    case Kind::real:
        return wrap(parseNumber<double>(text));
    case Kind::boolean:
        return wrap(parseFlag(text));
    case Kind::text:
        return ModelValue{std::string(text)};
    case Kind::number:
        if (const auto whole = parseNumber<std::int64_t>(text))
            return ModelValue{*whole};
        return wrap(parseNumber<double>(text));
    default:
        return std::nullopt;
    }
}

} // namespace

ArgumentType ArgumentType::parse(std::string_view text)
{
    constexpr std::pair<std::string_view, Kind> plain[] = {
        {"Tensor", Kind::tensor}, {"int", Kind::integer},   {"float", Kind::real},    {"bool", Kind::boolean},
        {"str", Kind::text},      {"number", Kind::number}, {"Scalar", Kind::number}, {"Any", Kind::tensor},
    };
    if (const auto inside = inBrackets(text, "Optional")) {
        auto type = parse(*inside);
        type.isOptional = true;
        type.text = text;
        return type;
    }
    ArgumentType type;
    type.text = text;
    for (const auto& [name, kind] : plain)
        if (text == name)
            type.kind = kind;
    if (const auto inside = inBrackets(text, "List")) {
        type.kind = Kind::list;
        type.inner = {std::string(*inside)};
    } else if (const auto parts = inBrackets(text, "Tuple")) {
        type.kind = Kind::tuple;
        type.inner = split(*parts);
    } else if (const auto pair = inBrackets(text, "Dict")) {
        type.kind = Kind::dict;
        type.inner = {split(*pair).back()};
    }
    return type;
}

bool ArgumentType::holdsTensors() const
{
    return kind == Kind::tensor ||
           (!inner.empty() && std::ranges::all_of(inner, [](const auto& type) { return parse(type).holdsTensors(); }));
}

std::size_t ArgumentType::members(std::size_t left) const
{
    return kind == Kind::list ? left : kind == Kind::tuple ? inner.size() : 1;
}

ModelValue parseArgument(const ArgumentType& type, std::string_view text, std::string_view name)
{
    if (type.isOptional && (text == "none" || text == "None"))
        return {};
    if (type.kind == ArgumentType::Kind::list || type.kind == ArgumentType::Kind::tuple) {
        ModelList list{{}, type.kind == ArgumentType::Kind::tuple};
        const auto parts = text.empty() ? std::vector<std::string>{} : split(text);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto& inner = type.inner[std::min(i, type.inner.size() - 1)];
            list.items.push_back(parseArgument(ArgumentType::parse(inner), parts[i], name));
        }
        return {std::move(list)};
    }
    if (auto value = scalar(type.kind, text))
        return std::move(*value);
    throw core::UsageError(fmt::format("--arg {}={}: the argument is {}{}", name, text, type.text,
                                       type.holdsTensors() ? ": give a file with --input or a shape with --random" : ""));
}

ModelValue numberOf(const ArgumentType& type, const ModelValue& tensor, std::string_view name)
{
    using Kind = ArgumentType::Kind;
    const auto* array = std::get_if<core::Tensor>(&tensor.value);
    const bool isNumber =
        type.kind == Kind::integer || type.kind == Kind::real || type.kind == Kind::boolean || type.kind == Kind::number;
    if (!array || !isNumber || array->elements() != 1)
        throw core::UsageError(
            fmt::format("{} is {}: an array of one number or --arg {}=VALUE can be given for it", name, type.text, name));
    const bool whole = type.kind == Kind::integer || (type.kind == Kind::number && !core::isFloating(array->dtype()));
    const auto number = core::cast(*array, whole ? core::DType::i64 : core::DType::f64);
    if (whole) {
        std::int64_t value = 0;
        std::memcpy(&value, number.data(), sizeof(value));
        return {value};
    }
    double value = 0;
    std::memcpy(&value, number.data(), sizeof(value));
    if (type.kind == Kind::boolean)
        return {value != 0};
    return {value};
}

} // namespace app
