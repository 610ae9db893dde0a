// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_repr.h"

#include "core/io/names.h"
#include "core/io/torch_names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace core::io {

namespace {

constexpr int deepestKey = 4;
constexpr std::size_t mostKeyItems = 8;

/// An argument of a call as text; None where there are fewer.
std::string argumentText(const PickleValue& call, std::size_t index)
{
    const auto arguments = call.arguments();
    if (index >= arguments.size())
        return "None";
    // Calls inside calls are not followed: a hostile file could nest them without end.
    if (arguments[index].is(PickleKind::call))
        return "...";
    return plainText(arguments[index]).value_or("...");
}

std::string complexText(const PickleValue& call)
{
    const auto arguments = call.arguments();
    if (arguments.size() != 2 || !arguments[0].number() || !arguments[1].number())
        return "(...)";
    const double imaginary = *arguments[1].number();
    return fmt::format("({}{}{}j)", pythonFloat(*arguments[0].number()), std::signbit(imaginary) ? "" : "+",
                       pythonFloat(imaginary));
}

std::string deviceText(const PickleValue& call)
{
    const auto arguments = call.arguments();
    auto text = argumentText(call, 0);
    if (arguments.size() > 1)
        text += ":" + argumentText(call, 1);
    return text;
}

std::optional<std::string> callText(const PickleValue& call)
{
    auto name = call.callable();
    if (name == "torch.device")
        return deviceText(call);
    if (name == "torch.serialization._get_layout")
        return argumentText(call, 0);
    for (const std::string_view prefix : {"builtins.", "__builtin__."})
        if (name.starts_with(prefix))
            name.remove_prefix(prefix.size());
    if (name == "complex")
        return complexText(call);
    if (name == "slice")
        return fmt::format("slice({}, {}, {})", argumentText(call, 0), argumentText(call, 1), argumentText(call, 2));
    if (name == "bytes" || name == "bytearray" || name == "_codecs.encode")
        return fmt::format("{} bytes", call.arguments().empty() ? 0 : call.arguments()[0].text().size());
    return std::nullopt;
}

std::string keyTextAt(const PickleValue& value, int depth)
{
    if (value.isText())
        return "'" + repairUtf8(value.text()) + "'";
    if (const auto plain = plainText(value))
        return *plain;
    if (!value.is(PickleKind::tuple) || depth == deepestKey)
        return "...";
    std::string text = "(";
    const auto items = value.items();
    for (std::size_t i = 0; i < std::min(items.size(), mostKeyItems); ++i)
        text += (i > 0 ? ", " : "") + keyTextAt(items[i], depth + 1);
    return text + (items.size() > mostKeyItems ? ", ...)" : items.size() == 1 ? ",)" : ")");
}

} // namespace

std::string pythonFloat(double value)
{
    auto text = fmt::format("{}", value);
    if (text.find_first_not_of("-0123456789") == std::string::npos)
        text += ".0";
    // Python writes no sign before nan.
    return std::isnan(value) ? "nan" : text;
}

std::optional<std::string> plainText(const PickleValue& value)
{
    switch (value.kind()) {
    case PickleKind::none:
        return "None";
    case PickleKind::boolean:
        return value.isTrue() ? "True" : "False";
    case PickleKind::integer:
        return std::to_string(*value.integer());
    case PickleKind::bigInteger:
        return std::string(value.text());
    case PickleKind::real:
        return pythonFloat(*value.number());
    case PickleKind::text:
    case PickleKind::oldText:
        return repairUtf8(value.text());
    case PickleKind::bytes:
        return fmt::format("{} bytes", value.text().size());
    case PickleKind::global:
        if (const auto type = dtypeGlobal(value.text()); type && (type->dtype || type->quantized))
            return std::string(value.text());
        return std::nullopt;
    case PickleKind::call:
        return callText(value);
    default:
        return std::nullopt;
    }
}

std::string keyText(const PickleValue& value)
{
    return keyTextAt(value, 0);
}

} // namespace core::io
