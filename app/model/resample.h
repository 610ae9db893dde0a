// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace app {

/// Planes of float values, one after the other, row-major.
struct Planes
{
    std::int64_t count = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::vector<float> values;

    float* row(std::int64_t plane, std::int64_t y) { return values.data() + (plane * height + y) * width; }
    const float* row(std::int64_t plane, std::int64_t y) const { return values.data() + (plane * height + y) * width; }
};

/// Bilinear with antialiasing: a triangle as wide as the reduction, as PyTorch's interpolate(mode="bilinear", antialias=True,
/// align_corners=False) (ATen/native/cpu/UpSampleKernel.cpp). `whole` rounds to whole levels after each direction, as it does
/// for 8-bit tensors.
Planes resample(const Planes& planes, std::int64_t width, std::int64_t height, bool whole);

/// The middle `width` x `height`, as torchvision's center_crop: zeros around it where the planes are smaller. `left` and `top`
/// get the place of the result's first pixel, negative where zeros were added.
Planes cropCenter(const Planes& planes, std::int64_t width, std::int64_t height, std::int64_t& left, std::int64_t& top);

} // namespace app
