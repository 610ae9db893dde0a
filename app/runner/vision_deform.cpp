// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/vision_kernels.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <array>
#include <c10/util/TypeCast.h>
#include <cmath>
#include <limits>

namespace runner {

namespace {

using Pair = std::array<std::int64_t, 2>;

/// Sizes of a deformable convolution; pairs are down, across.
struct Convolution
{
    Pair size, kernel, stride, pad, dilation, out;
    std::int64_t channels, offsetGroups;
};

/// The plane's value between pixels; outside it is zero.
template <typename T>
T valueAt(const T* plane, const Pair& size, T y, T x)
{
    // NaN is outside too.
    if (!(y > -1 && y < c10::convert<T>(size[0]) && x > -1 && x < c10::convert<T>(size[1])))
        return T(0);
    const auto row = static_cast<std::int64_t>(std::floor(static_cast<double>(y)));
    const auto column = static_cast<std::int64_t>(std::floor(static_cast<double>(x)));
    const T below = y - c10::convert<T>(row), right = x - c10::convert<T>(column);
    const T above = T(1) - below, before = T(1) - right;
    const auto pixel = [&](std::int64_t r, std::int64_t c) {
        return r >= 0 && r < size[0] && c >= 0 && c < size[1] ? plane[r * size[1] + c] : T(0);
    };
    return above * before * pixel(row, column) + above * right * pixel(row, column + 1) +
           below * before * pixel(row + 1, column) + below * right * pixel(row + 1, column + 1);
}

/// Writes the moved samples of one picture: a row for each channel and kernel place, a column for each output pixel. `mask` may
/// be null.
template <typename T>
void sample(const Convolution& conv, const T* picture, const T* offset, const T* mask, T* columns)
{
    const std::int64_t places = conv.kernel[0] * conv.kernel[1], pixels = conv.out[0] * conv.out[1];
    const std::int64_t perGroup = conv.channels / conv.offsetGroups;
    for (std::int64_t c = 0; c < conv.channels; ++c) {
        const T* plane = picture + c * conv.size[0] * conv.size[1];
        const std::int64_t group = c / perGroup;
        for (std::int64_t k = 0; k < places; ++k) {
            const T* down = offset + (group * places + k) * 2 * pixels;
            const std::int64_t moveDown = k / conv.kernel[1] * conv.dilation[0] - conv.pad[0];
            const std::int64_t moveAcross = k % conv.kernel[1] * conv.dilation[1] - conv.pad[1];
            for (std::int64_t p = 0; p < pixels; ++p) {
                const T y = c10::convert<T>(p / conv.out[1] * conv.stride[0] + moveDown) + down[p];
                const T x = c10::convert<T>(p % conv.out[1] * conv.stride[1] + moveAcross) + down[pixels + p];
                const T value = valueAt(plane, conv.size, y, x);
                *columns++ = mask ? mask[(group * places + k) * pixels + p] * value : value;
            }
        }
    }
}

Convolution sizesOf(const at::Tensor& input, const at::Tensor& weight, const Pair& stride, const Pair& pad,
                    const Pair& dilation, std::int64_t offsetGroups)
{
    TORCH_CHECK(input.dim() == 4 && weight.dim() == 4, "deform_conv2d: input and weight must have 4 axes, not ", input.dim(),
                " and ", weight.dim());
    Convolution conv{{input.size(2), input.size(3)},
                     {weight.size(2), weight.size(3)},
                     stride,
                     pad,
                     dilation,
                     {},
                     input.size(1),
                     offsetGroups};
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; i < 2; ++i) {
        TORCH_CHECK(conv.kernel[i] > 0 && conv.kernel[i] <= most && stride[i] > 0 && stride[i] <= most && pad[i] >= 0 &&
                        pad[i] <= most && dilation[i] > 0 && dilation[i] <= most && conv.size[i] <= most,
                    "deform_conv2d: kernel ", conv.kernel[i], ", stride ", stride[i], ", padding ", pad[i], ", dilation ",
                    dilation[i], " are out of range");
        const std::int64_t room = conv.size[i] + 2 * pad[i] - (dilation[i] * (conv.kernel[i] - 1) + 1);
        TORCH_CHECK(room >= 0, "deform_conv2d: the kernel is larger than the padded input");
        conv.out[i] = room / stride[i] + 1;
    }
    return conv;
}

void checkShape(const char* what, const at::Tensor& tensor, at::IntArrayRef shape, const at::Tensor& input)
{
    TORCH_CHECK(tensor.sizes() == shape, "deform_conv2d: ", what, " must be ", shape, ", not ", tensor.sizes());
    TORCH_CHECK(tensor.scalar_type() == input.scalar_type(), "deform_conv2d: ", what, " is ", tensor.scalar_type(), ", input ",
                input.scalar_type());
}

} // namespace

at::Tensor deformConv2d(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset, const at::Tensor& mask,
                        const at::Tensor& bias, std::int64_t strideDown, std::int64_t strideAcross, std::int64_t padDown,
                        std::int64_t padAcross, std::int64_t dilationDown, std::int64_t dilationAcross, std::int64_t groups,
                        std::int64_t offsetGroups, bool useMask)
{
    const Convolution conv =
        sizesOf(input, weight, {strideDown, strideAcross}, {padDown, padAcross}, {dilationDown, dilationAcross}, offsetGroups);
    const std::int64_t batch = input.size(0), outChannels = weight.size(0), places = conv.kernel[0] * conv.kernel[1];
    TORCH_CHECK(groups > 0 && outChannels % groups == 0 && conv.channels % groups == 0 &&
                    weight.size(1) == conv.channels / groups,
                "deform_conv2d: weight ", weight.sizes(), " does not fit ", conv.channels, " channels in ", groups, " groups");
    TORCH_CHECK(offsetGroups > 0 && conv.channels > 0 && conv.channels % offsetGroups == 0, "deform_conv2d: ", conv.channels,
                " channels do not part into ", offsetGroups, " offset groups");
    checkShape("weight", weight, weight.sizes(), input);
    checkShape("offset", offset, {batch, 2 * offsetGroups * places, conv.out[0], conv.out[1]}, input);
    if (useMask)
        checkShape("mask", mask, {batch, offsetGroups * places, conv.out[0], conv.out[1]}, input);
    checkShape("bias", bias, {outChannels}, input);

    at::Tensor output = at::empty({batch, groups, outChannels / groups, conv.out[0] * conv.out[1]}, input.options());
    const at::Tensor columns = at::empty({groups, conv.channels / groups * places, conv.out[0] * conv.out[1]}, input.options());
    const at::Tensor kernels = weight.contiguous().view({groups, outChannels / groups, -1});
    const at::Tensor source = input.contiguous(), moves = offset.contiguous(), weights = mask.contiguous();
    for (std::int64_t n = 0; n < batch; ++n) {
        AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "deform_conv2d", [&] {
            const auto item = [n](const at::Tensor& t) { return t.const_data_ptr<scalar_t>() + n * t.stride(0); };
            sample<scalar_t>(conv, item(source), item(moves), useMask ? item(weights) : nullptr,
                             columns.mutable_data_ptr<scalar_t>());
        });
        for (std::int64_t g = 0; g < groups; ++g)
            output[n][g].copy_(at::mm(kernels[g], columns[g]));
    }
    return output.view({batch, outChannels, conv.out[0], conv.out[1]}) + bias.view({1, outChannels, 1, 1});
}

} // namespace runner
