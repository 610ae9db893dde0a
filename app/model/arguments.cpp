// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/arguments.h"

#include "app/model/argument_text.h"
#include "app/model/input_file.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace app {

namespace {

/// "x: Tensor, mask: Optional[Tensor] = None".
std::string signature(const ModelInfo& model)
{
    std::string text;
    for (const auto& argument : model.arguments)
        text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", argument.name, argument.type,
                            argument.defaultText ? " = " + *argument.defaultText : "");
    return text.empty() ? "nothing" : text;
}

/// Hands sources out to arguments.
class Assignment
{
public:
    Assignment(const ModelInfo& model, const ModelInput& input, const PictureDecoder& decode, const core::Job& job)
        : m_model(model), m_input(input), m_files(input.preparation, decode, job, model.vocabulary.value_or(0))
    {
        for (const auto& source : input.sources)
            if (source.argument.empty())
                m_unnamed.push_back(&source);
    }

    PreparedArguments make()
    {
        checkNames();
        for (const auto& argument : m_model.arguments)
            if (auto value = valueOf(argument))
                m_prepared.values.emplace_back(argument.name, std::move(*value));
            else if (argument.required)
                failMissing(argument);
        if (m_next < m_unnamed.size())
            throw core::UsageError(
                fmt::format("{} inputs are more than the model takes: {}", m_input.sources.size(), signature(m_model)));
        m_prepared.picture = m_files.picture();
        return std::move(m_prepared);
    }

private:
    [[noreturn]] void failMissing(const ModelArgument& argument) const
    {
        if (ArgumentType::parse(argument.type).kind == ArgumentType::Kind::other)
            throw core::Error(
                fmt::format("the model takes {}: {} is an object, which neither a file nor a text can give, so the "
                            "model cannot be run",
                            signature(m_model), argument.name));
        throw core::UsageError(fmt::format("the model takes {}: nothing is given for {}{}", signature(m_model), argument.name,
                                           m_input.howToGive.empty() ? "" : " (" + m_input.howToGive + ")"));
    }

    void checkNames() const
    {
        const auto check = [&](const std::string& name) {
            if (!name.empty() && std::ranges::find(m_model.arguments, name, &ModelArgument::name) == m_model.arguments.end())
                throw core::UsageError(fmt::format("the model has no argument {}: it takes {}", name, signature(m_model)));
        };
        for (const auto& source : m_input.sources)
            check(source.argument);
        for (auto text = m_input.texts.begin(); text != m_input.texts.end(); ++text) {
            check(text->name);
            if (std::find_if(m_input.texts.begin(), text, [&](const auto& other) { return other.name == text->name; }) != text)
                throw core::UsageError(fmt::format("two values are given for {}: give one of them", text->name));
        }
    }

    std::optional<ModelValue> valueOf(const ModelArgument& argument)
    {
        const auto text = std::ranges::find(m_input.texts, argument.name, &ArgumentText::name);
        const auto type = ArgumentType::parse(argument.type);
        std::vector<const InputSource*> named;
        for (const auto& source : m_input.sources)
            if (source.argument == argument.name)
                named.push_back(&source);
        if (text != m_input.texts.end()) {
            if (!named.empty())
                throw core::UsageError(fmt::format("{} is given twice, as a value and as an input", argument.name));
            return parseArgument(type, text->text, argument.name);
        }
        if (!named.empty())
            return valueFrom(type, named, argument.name);
        if (!type.holdsTensors() || m_next == m_unnamed.size())
            return std::nullopt;
        // An argument that may be left out takes what is there, but none of what a later one must have.
        if (!argument.required && m_unnamed.size() - m_next <= requiredAfter(argument))
            return std::nullopt;
        std::vector<const InputSource*> taken;
        const auto wanted = type.members(m_unnamed.size() - m_next);
        while (taken.size() < wanted && m_next < m_unnamed.size())
            taken.push_back(m_unnamed[m_next++]);
        return valueFrom(type, taken, argument.name);
    }

    /// How many arguments behind this one must have a tensor.
    std::size_t requiredAfter(const ModelArgument& argument) const
    {
        const auto place = &argument - m_model.arguments.data() + 1;
        return static_cast<std::size_t>(
            std::count_if(m_model.arguments.begin() + place, m_model.arguments.end(),
                          [](const auto& other) { return other.required && ArgumentType::parse(other.type).holdsTensors(); }));
    }

    ModelValue valueFrom(const ArgumentType& type, const std::vector<const InputSource*>& sources, const std::string& name)
    {
        if (type.kind == ArgumentType::Kind::list || type.kind == ArgumentType::Kind::tuple) {
            ModelList list{{}, type.kind == ArgumentType::Kind::tuple};
            for (const auto* source : sources)
                list.items.push_back(m_files.tensorOf(*source, !list.isTuple));
            return {std::move(list)};
        }
        if (sources.size() > 1)
            throw core::UsageError(
                fmt::format("{} is one {}, and {} inputs are given for it: give one of them", name, type.text, sources.size()));
        if (type.kind == ArgumentType::Kind::dict)
            return {m_files.dictOf(*sources.front())};
        auto value = m_files.tensorOf(*sources.front(), false);
        return type.holdsTensors() ? std::move(value) : numberOf(type, value, name);
    }

    const ModelInfo& m_model;
    const ModelInput& m_input;
    InputFiles m_files;
    std::vector<const InputSource*> m_unnamed;
    std::size_t m_next = 0;
    PreparedArguments m_prepared;
};

} // namespace

PreparedArguments makeArguments(const ModelInfo& model, const ModelInput& input, const PictureDecoder& decode,
                                const core::Job& job)
{
    return Assignment(model, input, decode, job).make();
}

core::Shape parseShape(std::string_view text, std::string_view option)
{
    core::Shape shape;
    std::string_view rest = text;
    for (;;) {
        std::int64_t extent = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
        if (error != std::errc{} || extent < 0 || shape.size() == core::maxRank)
            throw core::UsageError(fmt::format("{} {}: write a shape as 1x3x224x224 or 1,3,224,224", option, text));
        shape.push_back(extent);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (rest.empty())
            break;
        if (rest.front() != 'x' && rest.front() != ',')
            throw core::UsageError(fmt::format("{} {}: write a shape as 1x3x224x224 or 1,3,224,224", option, text));
        rest.remove_prefix(1);
    }
    core::elementCount(shape);
    return shape;
}

} // namespace app
