// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/TensorBody.h>
#include <string>
#include <vector>

namespace runner {

/// A tensor as it can be handed over, and what was done to it.
struct DenseView
{
    at::Tensor tensor;
    std::vector<std::string> notes;
};

/// The tensor itself when its layout is strided or sparse and its dtype has a name in the protocol. Quantized ones are
/// dequantized, nested ones padded with zeros, MKL-DNN ones made dense, other dtypes widened.
DenseView denseView(const at::Tensor& tensor);

} // namespace runner
