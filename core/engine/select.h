// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/condition.h"
#include "core/tensor.h"

#include <optional>

namespace core {

class LoadedTensor;

/// What becomes of a hot element. All keep the dtype, as PyTorch's in-place operations on it do:
/// - set: `value` takes its place, as masked_fill_ (integers drop the fraction of a real);
/// - absolute, negate: as abs_ and neg_ (integers wrap);
/// - clamp: at least `lower`, then at most `upper`, as clamp_ (one may be absent; NaN stays NaN; one of two bounds NaN: all
///   become NaN; NaN alone bounds nothing);
/// - scale: times `value`, as mul_ (integers wrap; float16 and bfloat16 are multiplied in float32 and rounded once);
/// - replace: by the element of `other` at the same place, as torch.where.
enum class Update { set, absolute, negate, clamp, scale, replace };

/// Asks for a copy of the selected part in which the hot elements are updated.
///
/// Numbers mean what a Python number means to PyTorch 2.11, and what PyTorch refuses throws Error: a number outside the dtype's
/// range (a negative integer wraps for unsigned dtypes), a real factor or bound for integers, bool but for set and replace, the
/// absolute value and bounds of complex values. Where PyTorch has no kernel for a dtype, unsigned integers go as uint8 does,
/// and 8-bit floats as float32 that is rounded afterwards.
struct SelectQuery
{
    Where where;
    Update update = Update::set;
    /// For set and scale.
    std::optional<Number> value;
    /// For clamp.
    std::optional<Number> lower;
    std::optional<Number> upper;
    /// For replace: of the same dtype, its selected part of the same extents, dense.
    const LoadedTensor* other = nullptr;
};

/// The answer to a SelectQuery.
struct Selected
{
    /// The selected part in the tensor's own axes, fixed ones with extent 1: a Tensor without gaps, whose axes may come in
    /// memory as the tensor's do (as PyTorch's elementwise operations keep them); of a sparse tensor a coalesced COO one that
    /// stores what the selected part did. Elements that are not hot, and NaN that is scaled or clamped, keep their bits (but
    /// under two bounds of which one is NaN); NaN that arises is the quiet NaN without sign.
    Content values;
    /// Hot elements per plane, batch-major, before; and under the same thresholds after.
    std::vector<std::int64_t> before;
    std::vector<std::int64_t> after;
};

} // namespace core
