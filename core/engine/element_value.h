// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/tensor.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace core {

/// Element `index` of values as kernels see them, at any address.
template <class Seen>
Seen loadSeen(const std::byte* values, std::int64_t index)
{
    Seen value;
    std::memcpy(&value, values + index * static_cast<std::int64_t>(sizeof value), sizeof value);
    return value;
}

/// Scalar of a seen value.
template <class Seen>
Scalar scalarOf(Seen value);

/// Scalar of a stored element; of a complex one the magnitude.
Scalar valueAt(DType dtype, const std::byte* element);
/// The same of the element at full indices. Throws Error when they lie outside the shape.
Scalar valueAt(const Tensor& tensor, std::span<const std::int64_t> indices);

} // namespace core
