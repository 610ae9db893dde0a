// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/TensorBody.h>
#include <tuple>

namespace runner {

// torchvision's operators, as torchvision 0.26 computes them on the CPU: the same sums in the same order. Boxes are rows x1,
// y1, x2, y2; regions the same with a batch index before it. All throw c10::Error when arguments do not fit together.

/// Indices (int64) of the boxes [N,4] kept by non-maximum suppression, highest score first; equal scores keep their order. A
/// box goes when its intersection over union with a kept one is above the threshold. float32, float64.
at::Tensor nms(const at::Tensor& boxes, const at::Tensor& scores, double threshold);

/// Mean of bilinear samples in each bin of each region [K,5] of [N,C,H,W] -> [K,C,binsDown,binsAcross]. `sampling` samples per
/// bin and axis, or where it is not positive as many as a bin has pixels. `aligned`: pixels lie at half coordinates. float16,
/// float32, float64.
at::Tensor roiAlign(const at::Tensor& input, const at::Tensor& regions, double scale, std::int64_t binsDown,
                    std::int64_t binsAcross, std::int64_t sampling, bool aligned);

/// The same, always aligned, where each bin has channels of its own: C = out x binsDown x binsAcross. Also gives the channel
/// (int32) that each output came from.
std::tuple<at::Tensor, at::Tensor> psRoiAlign(const at::Tensor& input, const at::Tensor& regions, double scale,
                                              std::int64_t binsDown, std::int64_t binsAcross, std::int64_t sampling);

/// Largest value in each bin of each region, whose corners are rounded to pixels; and its place in the plane (int32, -1: none).
std::tuple<at::Tensor, at::Tensor> roiPool(const at::Tensor& input, const at::Tensor& regions, double scale,
                                           std::int64_t binsDown, std::int64_t binsAcross);

/// Convolution whose samples are moved by `offset` [N, 2 x groups x kh x kw, H, W] and, with `useMask`, weighted by `mask`
/// (Deformable ConvNets v2, arXiv 1811.11168). float16, float32, float64.
at::Tensor deformConv2d(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset, const at::Tensor& mask,
                        const at::Tensor& bias, std::int64_t strideDown, std::int64_t strideAcross, std::int64_t padDown,
                        std::int64_t padAcross, std::int64_t dilationDown, std::int64_t dilationAcross, std::int64_t groups,
                        std::int64_t offsetGroups, bool useMask);

} // namespace runner
