// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/input_images.h"

#include "core/cast.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace app {

namespace {

constexpr std::int64_t longestSide = 1 << 14;

/// The first tensor of a value, or null.
const core::Tensor* firstTensor(const ModelValue& value)
{
    if (const auto* list = std::get_if<ModelList>(&value.value))
        return list->items.empty() ? nullptr : firstTensor(list->items.front());
    return std::get_if<core::Tensor>(&value.value);
}

const core::Tensor* pictureOf(const PreparedArguments& arguments)
{
    if (arguments.picture)
        return &arguments.picture->given;
    for (const auto& [name, value] : arguments.values)
        if (const auto* tensor = firstTensor(value))
            return tensor;
    return nullptr;
}

std::vector<float> floatsOf(const core::Tensor& tensor)
{
    const auto source = core::cast(tensor, core::DType::f32).toContiguous();
    std::vector<float> values(static_cast<std::size_t>(source.elements()));
    if (!values.empty())
        std::memcpy(values.data(), source.data(), values.size() * sizeof(float));
    return values;
}

/// Value v becomes the level (v - low) * scale.
struct Levels
{
    float low = 0;
    float scale = 1;

    std::uint32_t operator()(float value) const
    {
        return std::isfinite(value)
                   ? static_cast<std::uint32_t>(std::clamp(std::lround((value - low) * scale), long{0}, long{255}))
                   : 0;
    }
};

Levels spread(const std::vector<float>& values)
{
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    for (const float value : values)
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    return {low, high > low ? 255 / (high - low) : 0};
}

std::shared_ptr<const core::Image> givenImage(const core::Tensor& tensor)
{
    if ((tensor.rank() != 3 && tensor.rank() != 4) || tensor.elements() == 0 || core::isComplex(tensor.dtype()))
        return nullptr;
    const auto picture = tensor.rank() == 4 ? tensor.select(0, 0) : tensor;
    const auto channels = picture.shape()[0];
    const auto height = picture.shape()[1];
    const auto width = picture.shape()[2];
    if ((channels != 1 && channels != 3) || width > longestSide || height > longestSide)
        return nullptr;
    const auto values = floatsOf(picture);
    const auto level = spread(values);
    auto image = std::make_shared<core::Image>(static_cast<int>(width), static_cast<int>(height));
    const auto plane = static_cast<std::size_t>(width * height);
    for (std::size_t at = 0; at < plane; ++at) {
        const auto of = [&](std::size_t channel) { return level(values[(channels == 1 ? 0 : channel) * plane + at]); };
        image->pixels[at] = of(0) | of(1) << 8 | of(2) << 16 | 0xff000000u;
    }
    return image;
}

/// The picture as the model is given it: alpha dropped, grey repeated.
std::shared_ptr<const core::Image> originalImage(const core::Tensor& picture)
{
    const auto& shape = picture.shape();
    if (shape.size() < 2 || picture.elements() == 0 || shape[0] > longestSide || shape[1] > longestSide)
        return nullptr;
    const auto values = floatsOf(picture);
    const auto channels = shape.size() == 2 ? std::size_t{1} : static_cast<std::size_t>(shape[2]);
    const Levels level{0, picture.dtype() == core::DType::u16 ? 255.0f / 65535 : 1.0f};
    auto image = std::make_shared<core::Image>(static_cast<int>(shape[1]), static_cast<int>(shape[0]));
    for (std::size_t at = 0; at < image->pixels.size(); ++at) {
        const auto of = [&](std::size_t channel) { return level(values[at * channels + (channels < 3 ? 0 : channel)]); };
        image->pixels[at] = of(0) | of(1) << 8 | of(2) << 16 | 0xff000000u;
    }
    return image;
}

} // namespace

InputImages inputImages(const PreparedArguments& arguments, bool withOriginal)
{
    InputImages images;
    if (const auto* picture = pictureOf(arguments))
        images.given = givenImage(*picture);
    if (withOriginal && arguments.picture && arguments.picture->original)
        images.original = originalImage(*arguments.picture->original);
    return images;
}

} // namespace app
