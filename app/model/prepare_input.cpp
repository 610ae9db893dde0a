// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/prepare_input.h"

#include "app/model/resample.h"
#include "core/cast.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace app {

namespace {

/// Batch items, channels and planes of an input on its way.
struct Input
{
    std::int64_t items = 1;
    std::int64_t channels = 0;
    Planes planes;
    /// 255 or 65535 for pictures.
    float white = 255;
    bool isInteger = false;
};

/// Planes of a tensor whose axes (as positions in its shape) are given; -1 for one that it lacks.
Input inputOf(const core::Tensor& tensor, std::array<int, 4> axes)
{
    const auto source = core::cast(tensor, core::DType::f32);
    const auto strides = source.strides();
    const auto extent = [&](int axis) { return axis < 0 ? 1 : source.shape()[static_cast<std::size_t>(axis)]; };
    const auto step = [&](int axis) { return axis < 0 ? 0 : strides[static_cast<std::size_t>(axis)]; };
    const auto [n, c, h, w] = axes;
    Input input{extent(n), extent(c), {extent(n) * extent(c), extent(h), extent(w), {}}, 255, false};
    input.isInteger = core::isInteger(tensor.dtype());
    input.white = tensor.dtype() == core::DType::u16 ? 65535 : 255;
    input.planes.values.reserve(static_cast<std::size_t>(source.elements()));
    const auto* values = source.data();
    for (std::int64_t i = 0; i < input.items; ++i)
        for (std::int64_t j = 0; j < input.channels; ++j)
            for (std::int64_t y = 0; y < input.planes.height; ++y)
                for (std::int64_t x = 0; x < input.planes.width; ++x) {
                    float value = 0;
                    const auto at = i * step(n) + j * step(c) + y * step(h) + x * step(w);
                    std::memcpy(&value, values + at * static_cast<std::int64_t>(sizeof(float)), sizeof(float));
                    input.planes.values.push_back(value);
                }
    return input;
}

/// Exactly three channels: grey repeated, alpha dropped.
void makeColor(Input& input)
{
    const auto plane = static_cast<std::ptrdiff_t>(input.planes.height * input.planes.width);
    auto& values = input.planes.values;
    if (input.channels <= 2) {
        values.resize(static_cast<std::size_t>(plane));
        const std::vector<float> grey = values;
        values.insert(values.end(), grey.begin(), grey.end());
        values.insert(values.end(), grey.begin(), grey.end());
    } else {
        values.resize(static_cast<std::size_t>(3 * plane));
    }
    input.channels = input.planes.count = 3;
}

CropSize sizeAfter(const ResizeTarget& target, const Planes& planes)
{
    if (target.shortSide == 0)
        return {target.width, target.height};
    // torchvision's _compute_resized_output_size: the longer side is cut to a whole number.
    const auto side = target.shortSide;
    if (planes.width <= planes.height)
        return {side, side * planes.height / planes.width};
    return {side * planes.width / planes.height, side};
}

core::InputGeometry reshape(Input& input, const InputPreparation& how)
{
    auto& planes = input.planes;
    core::InputGeometry geometry{planes.width, planes.height, planes.width, planes.height, 0, 0, 1, 1};
    if (how.resize) {
        const auto size = sizeAfter(*how.resize, planes);
        if (planes.width == 0 || planes.height == 0 || size.width < 1 || size.height < 1)
            throw core::Error("an input without pixels cannot be resized");
        geometry.stepX = static_cast<double>(planes.width) / static_cast<double>(size.width);
        geometry.stepY = static_cast<double>(planes.height) / static_cast<double>(size.height);
        planes = resample(planes, size.width, size.height, input.isInteger);
    }
    if (how.crop) {
        std::int64_t left = 0;
        std::int64_t top = 0;
        planes = cropCenter(planes, how.crop->width, how.crop->height, left, top);
        geometry.left = static_cast<double>(left) * geometry.stepX;
        geometry.top = static_cast<double>(top) * geometry.stepY;
    }
    geometry.width = planes.width;
    geometry.height = planes.height;
    return geometry;
}

/// (value - mean) / std for each channel, in float32 as torchvision's Normalize.
void normalize(Input& input, const std::vector<float>& mean, const std::vector<float>& deviation)
{
    const auto fits = [&](const std::vector<float>& values) {
        return values.empty() || values.size() == 1 || static_cast<std::int64_t>(values.size()) == input.channels;
    };
    if (!fits(mean) || !fits(deviation))
        throw core::Error(
            fmt::format("the input has {} channels: give one mean and one std, or one for each channel", input.channels));
    const auto of = [](const std::vector<float>& values, std::size_t channel, float standard) {
        return values.empty() ? standard : values[values.size() == 1 ? 0 : channel];
    };
    const auto plane = static_cast<std::size_t>(input.planes.height * input.planes.width);
    for (std::size_t i = 0; i < input.planes.values.size(); ++i) {
        const auto channel = i / plane % static_cast<std::size_t>(input.channels);
        auto& value = input.planes.values[i];
        if (!mean.empty())
            value -= of(mean, channel, 0);
        if (!deviation.empty())
            value /= of(deviation, channel, 1);
    }
}

void scale(Input& input, const InputPreparation& how, InputPreset preset)
{
    auto& values = input.planes.values;
    if (preset == InputPreset::zeroOne || preset == InputPreset::imagenet)
        for (auto& value : values)
            value /= input.white;
    if (preset == InputPreset::minusOneOne)
        for (auto& value : values)
            value = value / (input.white / 2) - 1;
    if (preset == InputPreset::imagenet)
        normalize(input, {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f});
    normalize(input, how.mean, how.std);
}

PreparedInput finish(Input& input, const InputPreparation& how, InputPreset preset)
{
    PreparedInput prepared;
    prepared.geometry = reshape(input, how);
    scale(input, how, preset);
    prepared.tensor = core::Tensor::fromValues(
        core::DType::f32, {input.items, input.channels, input.planes.height, input.planes.width}, input.planes.values);
    if (how.dtype)
        prepared.tensor = core::cast(prepared.tensor, *how.dtype);
    return prepared;
}

/// Positions of N, C, H, W in a tensor.
std::array<int, 4> axesOf(const core::Tensor& tensor, const std::string& layout)
{
    const auto fail = [&](std::string_view why) {
        throw core::Error(fmt::format("a tensor of shape {} {}", core::shapeText(tensor.shape()), why));
    };
    if (!layout.empty() && static_cast<std::size_t>(tensor.rank()) != layout.size())
        fail(fmt::format("does not have the axes {} of --layout-in", layout));
    if (layout == "HWC")
        return {-1, 2, 0, 1};
    if (layout == "NCHW" || (layout.empty() && tensor.rank() == 4))
        return {0, 1, 2, 3};
    if (layout == "CHW" || (layout.empty() && tensor.rank() == 3))
        return {-1, 0, 1, 2};
    if (layout.empty() && tensor.rank() == 2)
        return {-1, -1, 0, 1};
    fail("is no picture: it cannot be resized, cropped or scaled");
    return {};
}

std::int64_t parseSide(std::string_view text, std::string_view whole, std::string_view option)
{
    constexpr std::int64_t longest = 1 << 16;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > longest)
        throw core::UsageError(fmt::format("{} {}: write it as WIDTHxHEIGHT{}, sides from 1 to {}", option, whole,
                                           option == "--resize" ? " or short=SIDE" : "", longest));
    return value;
}

CropSize parseSize(std::string_view text, std::string_view option)
{
    const auto cross = text.find('x');
    if (cross == std::string_view::npos)
        parseSide("", text, option);
    return {parseSide(text.substr(0, cross), text, option), parseSide(text.substr(cross + 1), text, option)};
}

} // namespace

bool InputPreparation::isEmpty() const
{
    return layoutIn.empty() && !resize && !crop && !preset && mean.empty() && std.empty();
}

PreparedInput preparePicture(const core::Tensor& picture, const InputPreparation& how)
{
    auto input = inputOf(picture, picture.rank() == 2 ? std::array{-1, -1, 0, 1} : std::array{-1, 2, 0, 1});
    makeColor(input);
    return finish(input, how, how.preset.value_or(InputPreset::zeroOne));
}

PreparedInput prepareTensor(const core::Tensor& tensor, const InputPreparation& how)
{
    if (how.isEmpty())
        return {how.dtype ? core::cast(tensor, *how.dtype) : tensor, std::nullopt};
    auto input = inputOf(tensor, axesOf(tensor, how.layoutIn));
    return finish(input, how, how.preset.value_or(InputPreset::none));
}

ResizeTarget parseResize(std::string_view text)
{
    constexpr std::string_view word = "short=";
    if (text.starts_with(word))
        return {0, 0, parseSide(text.substr(word.size()), text, "--resize")};
    const auto size = parseSize(text, "--resize");
    return {size.width, size.height, 0};
}

CropSize parseCrop(std::string_view text)
{
    return parseSize(text, "--crop");
}

InputPreset parsePreset(std::string_view text)
{
    constexpr std::pair<std::string_view, InputPreset> presets[] = {
        {"imagenet", InputPreset::imagenet},
        {"zero-one", InputPreset::zeroOne},
        {"minus-one-one", InputPreset::minusOneOne},
        {"none", InputPreset::none},
    };
    for (const auto& [name, preset] : presets)
        if (name == text)
            return preset;
    throw core::UsageError(fmt::format("--preset is imagenet, zero-one, minus-one-one or none, not \"{}\"", text));
}

} // namespace app
