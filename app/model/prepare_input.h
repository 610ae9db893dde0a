// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/input_geometry.h"
#include "core/tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// How values are scaled on their way in. `none`: as they are; zeroOne: / 255; minusOneOne: / 127.5 - 1; imagenet: / 255, then
/// torchvision's mean and standard deviation. 16-bit pictures have 65535 in place of 255.
enum class InputPreset { none, zeroOne, minusOneOne, imagenet };

/// Target size of a resize: width x height, or the shorter side (the other follows, as torchvision's Resize(int)).
struct ResizeTarget
{
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t shortSide = 0;
};

struct CropSize
{
    std::int64_t width = 0;
    std::int64_t height = 0;
};

/// What is done to a picture or tensor before it enters the model, in this order.
struct InputPreparation
{
    /// The axes of a tensor as it is: "HWC", "CHW", "NCHW"; empty: as it is (pictures are HWC).
    std::string layoutIn;
    std::optional<ResizeTarget> resize;
    std::optional<CropSize> crop;
    /// Nothing given: zeroOne for pictures, none for tensors.
    std::optional<InputPreset> preset;
    std::vector<float> mean;
    std::vector<float> std;
    std::optional<core::DType> dtype;

    /// Whether a tensor goes in untouched.
    bool isEmpty() const;
};

struct PreparedInput
{
    core::Tensor tensor;
    /// For inputs that have rows and columns.
    std::optional<core::InputGeometry> geometry;
};

/// A decoded picture ([H, W] or [H, W, channels], integers) as float32 [1, 3, H, W]: alpha dropped, grey repeated, resized
/// (bilinear with antialiasing and whole levels, as torchvision resizes 8-bit tensors), cropped around the centre (black where
/// the crop is larger), scaled. Throws core::Error.
PreparedInput preparePicture(const core::Tensor& picture, const InputPreparation& how);
/// A tensor: untouched when `how` is empty; else as float32 [N, C, H, W] through the same steps. Throws core::Error when its
/// axes do not fit.
PreparedInput prepareTensor(const core::Tensor& tensor, const InputPreparation& how);

/// "WxH" or "short=S". Throws core::UsageError.
ResizeTarget parseResize(std::string_view text);
/// "WxH". Throws core::UsageError.
CropSize parseCrop(std::string_view text);
/// "imagenet", "zero-one", "minus-one-one", "none". Throws core::UsageError.
InputPreset parsePreset(std::string_view text);

} // namespace app
