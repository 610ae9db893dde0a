// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/part_copy.h"

#include "core/engine/strided_copy.h"

#include <cstring>

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

template <int size>
void scatter(const std::byte* from, std::int64_t n, std::byte* to, std::int64_t stride)
{
    for (std::int64_t i = 0; i < n; ++i)
        std::memcpy(to + i * stride * size, from + i * size, size);
}

void scatterElements(const std::byte* from, std::int64_t n, std::byte* to, std::int64_t stride, int size)
{
    switch (size) {
    case 1:
        return scatter<1>(from, n, to, stride);
    case 2:
        return scatter<2>(from, n, to, stride);
    case 4:
        return scatter<4>(from, n, to, stride);
    case 8:
        return scatter<8>(from, n, to, stride);
    default:
        return scatter<16>(from, n, to, stride);
    }
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
    if (m_grid.channelStride == 1 && m_grid.plane.isOneRun()) {
        // Channels last: pixels become rows.
        const StridedPiece piece{block.values, place.elements, 1, place.channels, block.channelStride};
        copyPiece(piece, size, at(place.batch, place.channel, place.first), m_grid.plane.innerStride());
        return;
    }
    for (std::int64_t c = 0; c < place.channels; ++c)
        putRun(place, place.channel + c, block.values + c * block.channelStride * size);
}

void PartCopy::putRun(const BlockPlace& place, std::int64_t channel, const std::byte* values) const
{
    const int size = itemSize(m_grid.dtype);
    std::byte* const plane = m_memory.data() + (m_grid.planeBase(place.batch, channel) - m_memory.data());
    m_grid.plane.forRuns(place.first, place.elements, [&](std::int64_t offset, std::int64_t length, std::int64_t stride) {
        if (stride == 1)
            std::memcpy(plane + offset * size, values, static_cast<std::size_t>(length * size));
        else
            scatterElements(values, length, plane + offset * size, stride, size);
        values += length * size;
    });
}

Tensor PartCopy::take() &&
{
    return Tensor::contiguous(m_grid.dtype, m_shape.shape(), std::move(m_memory).take());
}

} // namespace core
