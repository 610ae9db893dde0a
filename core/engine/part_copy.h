// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/plane_grid.h"

namespace core {

/// A new tensor of the selected part that is about to be filled: in the tensor's own axes, fixed ones with extent 1. Its
/// elements fill its memory, the axes in the order of the tensor's (see packedStrides). Several threads may fill different
/// elements.
class PartCopy
{
public:
    /// Memory from `pool` (may be null).
    PartCopy(const Tensor& tensor, const Selection& selection, const std::shared_ptr<BufferPool>& pool);

    /// Its planes.
    const PlaneGrid& grid() const { return m_grid; }
    /// Its first element; the others follow in the order of memory.
    std::byte* data() const { return m_memory.data(); }
    /// The tensor; nobody writes to it any more.
    Tensor take() &&;

private:
    PooledStorage m_memory;
    /// Where elements lie, told by a tensor of this shape.
    Tensor m_shape;
    PlaneGrid m_grid;
};

/// The shape of the selected part in the tensor's own axes: fixed ones have extent 1.
Shape partShape(const Shape& shape, const Selection& selection);

/// Strides > 0 without gaps of a tensor of a shape whose axes come in memory as those of `strides` do: what PyTorch's
/// elementwise operations give a new tensor (TensorIteratorBase::reorder_dimensions). Axes repeated, or of one index, stay
/// where the shape has them.
Strides packedStrides(const Shape& shape, const Strides& strides);

} // namespace core
