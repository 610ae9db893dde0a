// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/arguments.h"

#include "app/runner/values.h"
#include "core/error.h"

#include <ATen/ATen.h>
#include <ATen/core/function_schema.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace runner {
namespace {

using nlohmann::json;

void refuseUnknown(const json& given, const c10::FunctionSchema& schema)
{
    std::set<std::string> names;
    for (const json& argument : given) {
        const std::string name = argument.at("name").get<std::string>();
        if (!schema.argumentIndexWithName(name) || name == "self")
            throw core::Error("the model has no argument named " + name + ": choose one of those that it lists");
        if (!names.insert(name).second)
            throw core::Error("the argument " + name + " is given twice: give it once");
    }
}

const json* find(const json& given, const std::string& name)
{
    for (const json& argument : given) {
        if (argument.at("name") == name)
            return &argument.at("value");
    }
    return nullptr;
}

} // namespace

std::vector<c10::IValue> readArguments(const json& given, const c10::FunctionSchema& schema, const Arena& arena,
                                       std::uint64_t seed)
{
    refuseUnknown(given, schema);
    at::manual_seed(seed);
    std::vector<c10::IValue> values;
    for (std::size_t i = 1; i < schema.arguments().size(); ++i) {
        const c10::Argument& argument = schema.arguments()[i];
        if (const json* value = find(given, argument.name())) {
            try {
                values.push_back(readValue(*value, argument.type(), arena));
            } catch (const core::Error& error) {
                throw core::Error("argument " + argument.name() + ": " + error.what());
            } catch (const json::exception&) {
                throw core::Error("argument " + argument.name() + ": its value is malformed: send it as the protocol says");
            }
        } else if (argument.default_value()) {
            values.push_back(*argument.default_value());
        } else {
            throw core::Error("the argument " + argument.name() + " (" + argument.type()->annotation_str() +
                              ") has no default: give it a value");
        }
    }
    return values;
}

json describeArguments(const c10::FunctionSchema& schema)
{
    json out = json::array();
    for (std::size_t i = 1; i < schema.arguments().size(); ++i) {
        const c10::Argument& argument = schema.arguments()[i];
        json text;
        if (argument.default_value()) {
            std::ostringstream stream;
            stream << *argument.default_value();
            text = stream.str();
        }
        out.push_back({{"name", argument.name()},
                       {"type", argument.type()->annotation_str()},
                       {"default", text},
                       {"required", !argument.default_value()}});
    }
    return out;
}

} // namespace runner
