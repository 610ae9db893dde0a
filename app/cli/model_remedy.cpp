// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace app::cli {

namespace {

/// A tensor that the model got.
struct Given
{
    std::string argument;
    core::DType dtype = core::DType::f32;
    core::Shape shape;
};

std::vector<Given> tensorsOf(const PreparedArguments& arguments)
{
    std::vector<Given> tensors;
    for (const auto& [name, value] : arguments.values)
        if (const auto* tensor = std::get_if<core::Tensor>(&value.value))
            tensors.push_back({name, tensor->dtype(), tensor->shape()});
        else if (const auto* made = std::get_if<GeneratedTensor>(&value.value))
            tensors.push_back({name, made->dtype, made->shape});
    return tensors;
}

/// LibTorch's words for dtypes, and C++'s, in PyTorch's.
std::string dtypeOf(const std::string& word)
{
    constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"Half", "float16"}, {"BFloat16", "bfloat16"}, {"Float", "float32"},       {"Double", "float64"},
        {"Long", "int64"},   {"Int", "int32"},         {"Byte", "uint8"},          {"Char", "int8"},
        {"Short", "int16"},  {"Bool", "bool"},         {"float", "float32"},       {"double", "float64"},
        {"long", "int64"},   {"int", "int32"},         {"unsigned char", "uint8"}, {"signed char", "int8"},
        {"short", "int16"}};
    const auto found = std::ranges::find(names, word, [](const auto& name) { return name.first; });
    return found == std::end(names) ? word : std::string(found->second);
}

/// The dtype that the input should have: of two that do not go together, the one that it has not.
std::string wantedDtype(const std::string& failure, core::DType has)
{
    static const std::regex indices("scalar types: Long, Int; but got");
    if (std::regex_search(failure, indices))
        return "int64";
    static const std::regex pairs[] = {
        std::regex("Input type \\((?:CPU|CUDA)?([A-Za-z0-9]+)Type\\) and weight type \\((?:CPU|CUDA)?([A-Za-z0-9]+)Type\\)"),
        std::regex("Input type \\((?:c10::)?([A-Za-z0-9 ]+)\\) and (?:bias|weight) type \\((?:c10::)?([A-Za-z0-9 ]+)\\)"),
        std::regex("expected scalar type ([A-Za-z0-9]+) but found ([A-Za-z0-9]+)"),
        std::regex("same dtype, but got:? ([A-Za-z0-9]+) (?:and|!=) ([A-Za-z0-9]+)")};
    for (const auto& pair : pairs) {
        std::smatch found;
        if (!std::regex_search(failure, found, pair))
            continue;
        const auto first = dtypeOf(found[1]);
        const auto second = dtypeOf(found[2]);
        const auto name = core::dtypeName(has);
        return name == first ? second : name == second ? first : std::string();
    }
    return {};
}

/// The layout that would bring a picture's axes to what the model's first convolution takes.
std::string wantedLayout(const ModelInfo& model, const core::Shape& shape)
{
    if (model.axes != 2 || !model.channels || shape.size() != 3)
        return {};
    return shape[0] == *model.channels ? "CHW" : shape[2] == *model.channels ? "HWC" : "";
}

bool isAboutInput(const std::string& failure)
{
    constexpr std::string_view words[] = {"shape",    "size",    "scalar type", "Input type",  "dtype",
                                          "channels", "D input", "dimension",   "out of range"};
    return std::ranges::any_of(words, [&](std::string_view word) { return failure.find(word) != failure.npos; });
}

} // namespace

std::string remedyFor(const std::string& failure, const ModelInfo& model, const ModelInput& input,
                      const PreparedArguments& given)
{
    if (failure.find("the time limit of") != failure.npos)
        return ": give more with --time-limit, or a smaller input";
    const auto tensors = tensorsOf(given);
    if (tensors.empty() || !isAboutInput(failure))
        return {};
    std::string text = "; the model got ";
    for (const auto& tensor : tensors)
        text += fmt::format("{}{} as {} {}", &tensor == tensors.data() ? "" : ", ", tensor.argument,
                            core::dtypeName(tensor.dtype), core::shapeText(tensor.shape));
    std::string files;
    for (const auto& source : input.sources)
        if (const auto* file = std::get_if<std::filesystem::path>(&source.source))
            files += (files.empty() ? "" : ", ") + file->string();
    if (!files.empty())
        text += " from " + files;
    if (const auto dtype = wantedDtype(failure, tensors.front().dtype); !dtype.empty())
        return text + ": give it with --dtype " + dtype;
    if (const auto layout = wantedLayout(model, tensors.front().shape); !layout.empty())
        return text + ": give it with --layout-in " + layout;
    return text;
}

} // namespace app::cli
