// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/part_copy.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace core {
namespace {

/// The same selection of a part: its fixed axes have one index left.
Selection withinPart(Selection selection)
{
    for (auto& index : selection.fixed)
        if (index)
            index = 0;
    return selection;
}

Tensor overMemory(const PooledStorage& memory, const Tensor& tensor, Shape shape)
{
    const std::int64_t bytes = elementCount(shape) * itemSize(tensor.dtype());
    const std::span<const std::byte> all(memory.data(), static_cast<std::size_t>(bytes));
    Strides strides = packedStrides(shape, tensor.strides());
    return Tensor(tensor.dtype(), std::move(shape), std::move(strides), Storage{all, nullptr, nullptr});
}

} // namespace

Shape partShape(const Shape& shape, const Selection& selection)
{
    Shape out = shape;
    for (std::size_t axis = 0; axis < out.size(); ++axis)
        if (selection.fixed[axis])
            out[axis] = 1;
    return out;
}

Strides packedStrides(const Shape& shape, const Strides& strides)
{
    const std::size_t rank = shape.size();
    // Outermost first.
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto isFree = [&](std::size_t axis) { return shape[axis] == 1 || strides[axis] == 0; };
    // By insertion, from the inside: between two axes that tell their order may lie some that do not.
    for (std::size_t i = rank; i-- > 0;) {
        std::size_t moved = i;
        for (std::size_t k = i + 1; k < rank && !isFree(order[moved]); ++k) {
            if (isFree(order[k]))
                continue;
            if (std::abs(strides[order[moved]]) >= std::abs(strides[order[k]]))
                break;
            std::swap(order[moved], order[k]);
            moved = k;
        }
    }
    Strides packed(rank, 1);
    std::int64_t step = 1;
    for (std::size_t i = rank; i-- > 0; step *= std::max<std::int64_t>(shape[order[i]], 1))
        packed[order[i]] = step;
    return packed;
}

PartCopy::PartCopy(const Tensor& tensor, const Selection& selection, const std::shared_ptr<BufferPool>& pool)
    : m_memory(pool, static_cast<std::size_t>(
                         checkedProduct(elementCount(partShape(tensor.shape(), selection)), itemSize(tensor.dtype())))),
      m_shape(overMemory(m_memory, tensor, partShape(tensor.shape(), selection))), m_grid(m_shape, withinPart(selection))
{
}

Tensor PartCopy::take() &&
{
    return Tensor(m_shape.dtype(), m_shape.shape(), m_shape.strides(), std::move(m_memory).take());
}

} // namespace core
