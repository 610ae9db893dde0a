// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/part_copy.h"

#include "core/engine/strided_copy.h"

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

Tensor overMemory(const PooledStorage& memory, DType dtype, Shape shape)
{
    const std::int64_t bytes = elementCount(shape) * itemSize(dtype);
    const std::span<const std::byte> all(memory.data(), static_cast<std::size_t>(bytes));
    return Tensor::contiguous(dtype, std::move(shape), Storage{all, nullptr, nullptr});
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

PartCopy::PartCopy(const Tensor& tensor, const Selection& selection, const std::shared_ptr<BufferPool>& pool)
    : m_memory(pool, static_cast<std::size_t>(
                         checkedProduct(elementCount(partShape(tensor.shape(), selection)), itemSize(tensor.dtype())))),
      m_shape(overMemory(m_memory, tensor.dtype(), partShape(tensor.shape(), selection))),
      m_grid(m_shape, withinPart(selection))
{
}

std::byte* PartCopy::at(std::int64_t batch, std::int64_t channel, std::int64_t first) const
{
    const std::byte* base = m_grid.planeBase(batch, channel);
    return m_memory.data() + (base - m_memory.data()) + m_grid.plane.offsetOf(first) * itemSize(m_grid.dtype);
}

void PartCopy::put(const BlockPlace& place, const ValueBlock& block) const
{
    const int size = itemSize(m_grid.dtype);
    std::byte* const base = at(place.batch, place.channel, 0);
    const std::byte* values = block.values;
    m_grid.plane.forBoxes(place.first, place.elements, [&](std::int64_t offset, std::span<const StridedAxis> box) {
        std::vector<CopyAxis> axes = packedAxes(box);
        for (CopyAxis& axis : axes)
            std::swap(axis.fromStride, axis.toStride);
        axes.push_back({place.batches, block.batchStride, m_grid.batchStride});
        axes.push_back({place.channels, block.channelStride, m_grid.channelStride});
        copyBox(values, base + offset * size, axes, size);
        values += elementsOf(box) * size;
    });
}

Tensor PartCopy::take() &&
{
    return Tensor::contiguous(m_grid.dtype, m_shape.shape(), std::move(m_memory).take());
}

} // namespace core
