// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

namespace core {

/// The elements as another dtype, contiguous, as PyTorch's Tensor.to(dtype): floats to integers are cut towards zero (beyond
/// the range: its nearest end; NaN: 0, where PyTorch promises nothing), anything to bool is "not zero", to float16 and bfloat16
/// goes through float32. Shares the storage when the dtype is the same. Throws Error for complex tensors and for 8-bit floats
/// as the result.
Tensor cast(const Tensor& tensor, DType dtype);

} // namespace core
