// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/tensor.h"

#include <string>

namespace core::io {

/// Checks that the parts of a sparse tensor fit each other and that every index lies inside the shape (PyTorch's invariants,
/// torch/sparse: compressed pointers begin with 0, never fall, end with the number stored). Reads all indices. Throws Error
/// that begins with `subject`; Cancelled.
void checkSparse(const SparseTensor& tensor, const std::string& subject, const Job& job);

} // namespace core::io
