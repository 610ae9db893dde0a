// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_input.h"

#include "app/model/argument_text.h"
#include "app/translate.h"
#include "core/cast.h"
#include "core/error.h"

#include <QCoreApplication>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace app {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ModelInput", text);
}

/// A shape that the first layer takes: pictures, signals, volumes, token ids, features; empty when the weights tell none.
QString usualShape(const ModelInfo& info, bool single)
{
    const auto batch = single ? QString() : QStringLiteral("1x");
    if (info.channels) {
        const auto axes = info.axes.value_or(2);
        const auto sides = axes == 1   ? QStringLiteral("256")
                           : axes == 3 ? QStringLiteral("16x64x64")
                                       : QStringLiteral("224x224");
        return batch + QStringLiteral("%1x").arg(*info.channels) + sides;
    }
    if (info.vocabulary)
        return batch + QStringLiteral("16");
    return info.features ? batch + QString::number(*info.features) : QString();
}

/// A random input of the shape that the weights tell, for a model with one tensor to give.
ui::InputChoice suggestion(const std::vector<ui::InputArgument>& arguments, const ModelInfo& info)
{
    ui::InputChoice choice;
    for (const auto& argument : arguments)
        choice.arguments.push_back({argument.name, ui::ArgumentChoice::Kind::nothing, {}});
    const auto needed = std::count_if(arguments.begin(), arguments.end(), [](const auto& one) { return one.required; });
    const auto first =
        std::find_if(arguments.begin(), arguments.end(), [](const auto& one) { return one.required && one.takesTensors; });
    if (needed != 1 || first == arguments.end())
        return choice;
    const auto shape = usualShape(info, first->takesMany);
    if (shape.isEmpty())
        return choice;
    if (!info.channels && info.vocabulary)
        choice.dtype = QStringLiteral("int64");
    choice.arguments[static_cast<std::size_t>(first - arguments.begin())] = {first->name, ui::ArgumentChoice::Kind::random,
                                                                             shape};
    return choice;
}

QString hintOf(const ModelInfo& info)
{
    if (info.channels)
        return tr("The first convolution takes %1 channels").arg(*info.channels);
    if (info.vocabulary)
        return tr("The first embedding takes whole numbers below %1").arg(*info.vocabulary);
    if (info.features)
        return tr("The first linear layer takes %1 features").arg(*info.features);
    return {};
}

std::vector<float> numbersOf(const QString& text)
{
    std::vector<float> numbers;
    for (const auto& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool isNumber = false;
        numbers.push_back(part.trimmed().toFloat(&isNumber));
        if (!isNumber)
            throw core::UsageError(fmt::format("\"{}\" is not a number: write one number for each channel, like 0.5,0.5,0.5",
                                               part.trimmed().toStdString()));
    }
    return numbers;
}

InputPreparation preparationOf(const ui::InputChoice& choice)
{
    InputPreparation how;
    how.layoutIn = choice.layoutIn.toStdString();
    if (!choice.resize.isEmpty())
        how.resize = parseResize(choice.resize.toStdString());
    if (!choice.crop.isEmpty())
        how.crop = parseCrop(choice.crop.toStdString());
    if (!choice.preset.isEmpty())
        how.preset = parsePreset(choice.preset.toStdString());
    how.mean = numbersOf(choice.mean);
    how.std = numbersOf(choice.std);
    if (!choice.dtype.isEmpty())
        how.dtype = core::dtypeFromName(choice.dtype.toStdString());
    return how;
}

void addSources(const ui::ArgumentChoice& argument, ModelInput& input)
{
    using Kind = ui::ArgumentChoice::Kind;
    const auto name = argument.name.toStdString();
    if (argument.kind == Kind::file)
        for (const auto& file : argument.text.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
            input.sources.push_back({name, toPath(file)});
    if ((argument.kind == Kind::random || argument.kind == Kind::ones) && !argument.text.isEmpty())
        input.sources.push_back({name, GeneratedTensor{argument.kind == Kind::random, core::DType::f32,
                                                       parseShape(argument.text.toStdString(), argument.name.toStdString())}});
    if (argument.kind == Kind::text && !argument.text.isEmpty())
        input.texts.push_back({name, argument.text.toStdString()});
}

std::string describe(const ModelValue& value)
{
    if (const auto* tensor = std::get_if<core::Tensor>(&value.value))
        return fmt::format("{} {}", core::dtypeName(tensor->dtype()), core::shapeText(tensor->shape()));
    if (const auto* made = std::get_if<GeneratedTensor>(&value.value))
        return fmt::format("{} {} {}", made->random ? "random" : "ones", core::dtypeName(made->dtype),
                           core::shapeText(made->shape));
    if (const auto* list = std::get_if<ModelList>(&value.value))
        return fmt::format("{} of {}{}", list->isTuple ? "tuple" : "list", list->items.size(),
                           list->items.empty() ? "" : ": " + describe(list->items.front()));
    if (const auto* dict = std::get_if<ModelDict>(&value.value))
        return fmt::format("dict of {}", dict->items.size());
    if (const auto* text = std::get_if<std::string>(&value.value))
        return *text;
    if (const auto* number = std::get_if<std::int64_t>(&value.value))
        return std::to_string(*number);
    if (const auto* real = std::get_if<double>(&value.value))
        return fmt::format("{}", *real);
    if (const auto* flag = std::get_if<bool>(&value.value))
        return *flag ? "true" : "false";
    return "None";
}

/// Whether all values are whole, from 0 to 255, and some are above 1: levels of a picture.
bool holdsLevels(const core::Tensor& tensor)
{
    if (core::isComplex(tensor.dtype()) || tensor.dtype() == core::DType::boolean)
        return false;
    const auto source = core::cast(tensor, core::DType::f32).toContiguous();
    std::vector<float> all(static_cast<std::size_t>(source.elements()));
    if (!all.empty())
        std::memcpy(all.data(), source.data(), all.size() * sizeof(float));
    const auto isLevel = [](float value) { return value >= 0 && value <= 255 && value == std::trunc(value); };
    return std::ranges::all_of(all, isLevel) && std::ranges::any_of(all, [](float value) { return value > 1; });
}

/// A tensor file with a picture's levels goes in as it is unless someone says otherwise.
void suggestScale(const PreparedArguments& arguments, const core::Tensor& tensor, const ui::InputChoice& choice,
                  const ModelInfo& info, ui::InputPreview& preview)
{
    const bool isScaled = !choice.preset.isEmpty() || !choice.mean.isEmpty() || !choice.std.isEmpty();
    const bool isPicture = arguments.picture && arguments.picture->original;
    if (!preview.problem.isEmpty() || isScaled || isPicture || !info.channels || tensor.rank() != 4 || !holdsLevels(tensor))
        return;
    preview.problem = tr("The values, 0 to 255, go in as they are");
    auto changed = choice;
    changed.preset = QStringLiteral("zero-one");
    preview.fixes.push_back({tr("Scale to 0 \u2026 1"), changed});
}

/// Fixes for a tensor of three axes where a batch of pictures belongs.
void suggestFixes(const core::Tensor& tensor, const ui::InputChoice& choice, const ModelInfo& info, ui::InputPreview& preview)
{
    if (!info.channels || !choice.layoutIn.isEmpty())
        return;
    const auto& shape = tensor.shape();
    const auto add = [&](const QString& text, const char* layout) {
        auto changed = choice;
        changed.layoutIn = QLatin1String(layout);
        preview.fixes.push_back({text, changed});
    };
    if (shape.size() == 4 && shape[1] != *info.channels)
        preview.problem = tr("The first convolution takes %1 channels, the input has %2").arg(*info.channels).arg(shape[1]);
    if (shape.size() != 3)
        return;
    preview.problem = tr("The input has no batch axis");
    if (shape[0] == *info.channels)
        add(tr("Add batch axis"), "CHW");
    if (shape[2] == *info.channels)
        add(tr("Rows, columns, channels: turn to channels first"), "HWC");
}

} // namespace

ui::InputModel inputModel(int document, const QString& name, const ModelInfo& info)
{
    ui::InputModel model;
    model.document = document;
    model.name = name;
    for (const auto& argument : info.arguments) {
        const auto type = ArgumentType::parse(argument.type);
        model.arguments.push_back({QString::fromStdString(argument.name), QString::fromStdString(argument.type),
                                   QString::fromStdString(argument.defaultText.value_or("")), argument.required,
                                   type.holdsTensors(),
                                   type.kind == ArgumentType::Kind::list || type.kind == ArgumentType::Kind::tuple});
    }
    model.hint = hintOf(info);
    // An embedding before any convolution: whole numbers go in.
    model.takesPictures = info.channels || !info.vocabulary;
    model.choice = suggestion(model.arguments, info);
    return model;
}

ModelInput modelInput(const ui::InputChoice& choice)
{
    ModelInput input;
    input.preparation = preparationOf(choice);
    input.howToGive = "choose a file or random values for it in Input, then Run (F9)";
    for (const auto& argument : choice.arguments)
        addSources(argument, input);
    return input;
}

QString windowWords(QString message)
{
    const std::pair<QLatin1String, QString> words[] = {
        {QLatin1String("--resize"), tr("Resize")}, {QLatin1String("--crop"), tr("Crop")},
        {QLatin1String("--mean"), tr("Mean")},     {QLatin1String("--std"), tr("Std")},
        {QLatin1String("--preset"), tr("Scale")},  {QLatin1String("--layout-in"), tr("Axes")},
        {QLatin1String("--dtype"), tr("Dtype")},
    };
    for (const auto& [option, word] : words)
        message.replace(option, word);
    return message;
}

ui::InputPreview inputPreview(const PreparedArguments& arguments, const ui::InputChoice& choice, const ModelInfo& info)
{
    ui::InputPreview preview;
    for (const auto& [name, value] : arguments.values)
        preview.given += QStringLiteral("%1%2: %3")
                             .arg(preview.given.isEmpty() ? QString() : QStringLiteral("\n"), QString::fromStdString(name),
                                  QString::fromStdString(describe(value)));
    if (arguments.values.empty())
        return preview;
    preview.automaticScale =
        arguments.picture && arguments.picture->original ? QStringLiteral("zero-one") : QStringLiteral("none");
    if (const auto* tensor = std::get_if<core::Tensor>(&arguments.values.front().second.value)) {
        suggestFixes(*tensor, choice, info, preview);
        suggestScale(arguments, *tensor, choice, info, preview);
    }
    return preview;
}

} // namespace app
