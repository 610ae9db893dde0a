// SPDX-License-Identifier: GPL-3.0-or-later
// A library of operators as PyTorch's tutorials build one; it gives the operator that tests/data/hostile/unknown_operator.pt
// needs.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor magic(const at::Tensor& values)
{
    return values.flip(-1) * 2.5 + 1;
}

} // namespace

TORCH_LIBRARY(mylib, library)
{
    library.def("magic(Tensor values) -> Tensor", &magic);
}
