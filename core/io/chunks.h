// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <functional>

namespace core::io {

/// The dtype in which .npy files keep a tensor: its own, float32 for bfloat16 and 8-bit floats.
DType npyDType(DType dtype);
/// Hands over a tensor's elements in row-major order and npyDType, some MiB at a time, so that a large strided tensor
/// is never copied whole.
void forEachChunk(const Tensor& tensor, const std::function<void(std::span<const std::byte>)>& sink);
/// The same in the tensor's own dtype.
void forEachStoredChunk(const Tensor& tensor, const std::function<void(std::span<const std::byte>)>& sink);

} // namespace core::io
