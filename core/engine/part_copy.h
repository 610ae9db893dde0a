// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/buffer_pool.h"
#include "core/engine/plane_grid.h"

namespace core {

/// A new tensor of the selected part that is filled plane by plane: in the tensor's own axes, fixed ones with extent 1,
/// contiguous. Several threads may fill different elements.
class PartCopy
{
public:
    /// Memory from `pool` (may be null).
    PartCopy(const Tensor& tensor, const Selection& selection, const std::shared_ptr<BufferPool>& pool);

    /// Whether the elements of a plane lie one after the other.
    bool isDirect() const { return m_grid.plane.isContiguous(); }
    /// Its planes.
    const PlaneGrid& grid() const { return m_grid; }
    /// Where element `first` of a plane goes, and those after it when isDirect().
    std::byte* at(std::int64_t batch, std::int64_t channel, std::int64_t first) const;
    /// Fills a block: calls write(batch, channel, to) for each of its planes, counted within the block, to write place.elements
    /// elements from `to` on. They go to the tensor itself where isDirect(), else first to a slot of `scratch`.
    template <class Write>
    void fill(const BlockPlace& place, Scratch& scratch, std::size_t slot, Write write) const
    {
        const std::int64_t size = itemSize(m_shape.dtype());
        ValueBlock block = arrangePlanes(m_grid, place);
        std::byte* const staged = isDirect() ? nullptr : scratch.take<std::byte>(slot, arrangedElements(place, block) * size);
        block.values = staged;
        for (std::int64_t b = 0; b < place.batches; ++b)
            for (std::int64_t c = 0; c < place.channels; ++c)
                write(b, c, staged ? staged + block.at(b, c) * size : at(place.batch + b, place.channel + c, place.first));
        if (staged)
            put(place, block);
    }
    /// The tensor; nobody writes to it any more.
    Tensor take() &&;

private:
    /// Fills a block from values that are contiguous for each plane.
    void put(const BlockPlace& place, const ValueBlock& block) const;

    PooledStorage m_memory;
    /// Where elements lie, told by a tensor of this shape.
    Tensor m_shape;
    PlaneGrid m_grid;
};

/// The shape of the selected part in the tensor's own axes: fixed ones have extent 1.
Shape partShape(const Shape& shape, const Selection& selection);

} // namespace core
