// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/condition.h"
#include "core/tensor.h"

#include <optional>
#include <string>
#include <vector>

/// LibTorch's answers. The only test source that includes LibTorch is torch_reference.cpp.
namespace torch_reference {

/// Makes LibTorch work on one thread. Returns "2.11.0 (AVX2)" and the like.
std::string prepare();

/// Whether at::gt and its kin exist for the dtype.
bool hasOrder(core::DType dtype);

/// Rows of at::nonzero of the test, row-major [rows, rank]. `condition` is one of >, >=, <, <=, ==, != or abs > / abs >= with a
/// number; nan, inf, finite.
std::vector<std::int64_t> nonzero(const core::Tensor& tensor, const core::Condition& condition);

/// What x.double() says of the finite values; nothing where there are none.
struct Numbers
{
    double sum = 0;
    double absoluteSum = 0;
    double min = 0;
    double max = 0;
    double mean = 0;
    double std = 0;
    double quantile = 0;
};
std::optional<Numbers> numbers(const core::Tensor& tensor, double fraction);

/// at::sum of an integer tensor in int64.
std::int64_t integerSum(const core::Tensor& tensor);

/// at::sum(dim 1) of x.double() where the condition holds, of a rank 4 tensor.
std::vector<double> channelSums(const core::Tensor& tensor, const core::Condition& condition);

} // namespace torch_reference
