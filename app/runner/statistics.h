// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace at {
class Tensor;
}

namespace runner {

/// What a message tells of a tensor that is not handed over: dtype, shape, elements; min, max, mean, std (population) of the
/// finite values as float64; how many are NaN, infinite, zero. Of complex tensors only the counts. Needs a dense tensor;
/// works in pieces, so that no copy of the whole is made.
nlohmann::json statistics(const at::Tensor& tensor);

} // namespace runner
