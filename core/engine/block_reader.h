// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/hot_test.h"
#include "core/engine/parallel.h"
#include "core/engine/plane_grid.h"

namespace core {

/// Some elements of some neighbouring channels of one batch item, or of several: elements [first, first + elements) of each
/// plane, and the same of the next slices of a volume.
struct BlockPlace
{
    std::int64_t batch = 0;
    std::int64_t channel = 0;
    std::int64_t channels = 1;
    std::int64_t first = 0;
    std::int64_t elements = 0;
    std::int64_t batches = 1;
    std::int64_t slices = 1;
};

/// Values of a block in the seen type (see SeenType): contiguous for each plane, and slice.
struct ValueBlock
{
    const std::byte* values = nullptr;
    /// Elements from one channel to the next.
    std::int64_t channelStride = 0;
    /// Elements from one batch item to the next.
    std::int64_t batchStride = 0;
    /// Elements from one slice to the next.
    std::int64_t sliceStride = 0;

    /// Elements from the first plane's to those of another one.
    std::int64_t at(std::int64_t batch, std::int64_t channel) const { return batch * batchStride + channel * channelStride; }
};

/// Where the planes of a block are put in memory of its own: one after the other, those that are nearer in the grid within, so
/// that they are copied as one. Steps between them that meet in the cache are passed over unless it shall be dense.
ValueBlock arrangePlanes(const PlaneGrid& grid, const BlockPlace& place, bool isDense = false);

/// How a pass over all planes is cut into blocks.
struct BlockPlan
{
    std::int64_t channels = 1;
    /// A multiple of tileElements, or of 64.
    std::int64_t elements = 0;
    std::int64_t batches = 1;
    std::int64_t slices = 1;
};

/// What a block must hold so that whole lines of the cache are read, or written.
struct BlockNeeds
{
    std::int64_t batches = 1;
    std::int64_t channels = 1;
    std::int64_t elements = 1;
    std::int64_t slices = 1;

    /// Makes it enough for one more grid, whose slices are taken apart or with the elements.
    void add(const PlaneGrid& grid, bool isSliced = false);
};

/// Hands kernels contiguous values, whatever the strides and the dtype: in place where the tensor has them so, else copied to
/// scratch memory; 8-bit floats widened to float32; complex values as their magnitudes (see HotTest::complexView). So there is
/// one set of per-element code for all tensors.
class BlockReader
{
public:
    /// Keeps references to both.
    BlockReader(const PlaneGrid& grid, const ComplexView& view = {});

    const PlaneGrid& grid() const { return m_grid; }
    /// Whether read() returns the tensor's own memory.
    bool isDirect() const { return m_isContiguous && !m_isConverted; }
    /// A good cut for passes that take planes one by one: blocks of about 64 Ki elements, more where the elements that lie next
    /// to each other in memory are far apart in planes; several channels, and batch items, together where they lie closer to
    /// each other than the elements of a plane (channels-last) or are small.
    /// Without whole tiles a block of several planes leaves room for others in a core's own cache.
    BlockPlan plan(bool wholeTiles = true) const;
    /// The same for passes that may take the slices of a volume apart: those that lie closer to each other than their elements,
    /// and are whole tiles, together.
    BlockPlan slicedPlan() const;

    /// The block lives in slots 0 and 1 of `scratch` until the next call.
    ValueBlock read(const BlockPlace& place, Scratch& scratch) const;
    /// The same as stored, put at `to` as `block` says.
    void copyStored(const BlockPlace& place, std::byte* to, const ValueBlock& block) const;
    /// Elements [first, first + n) of the selected part in the tensor's own order.
    const std::byte* readOwn(std::int64_t first, std::int64_t n, Scratch& scratch) const;

private:
    BlockPlan cut(const BlockNeeds& needs, bool wholeTiles) const;
    ValueBlock readStored(const BlockPlace& place, Scratch& scratch) const;
    const std::byte* convert(const std::byte* stored, std::int64_t n, Scratch& scratch) const;

    const PlaneGrid& m_grid;
    ComplexView m_view;
    bool m_isConverted;
    bool m_isContiguous;
    /// Elements of a slice.
    StridedOrder m_slice;
};

/// Calls work(place, scratch) for all blocks of a plan, on several threads, in no order.
void forEachPlace(const BlockReader& reader, const BlockPlan& plan, const Workers& workers, const Job& job,
                  const std::function<void(const BlockPlace&, Scratch&)>& work);
/// Calls work(place, block) for all blocks of reader.slicedPlan(), those of one batch item and slice at a time, on several
/// threads, in no order.
void forEachBlock(const BlockReader& reader, const Workers& workers, const Job& job,
                  const std::function<void(const BlockPlace&, const ValueBlock&)>& work);
/// The same for the blocks of a plan.
void forEachBlock(const BlockReader& reader, const BlockPlan& plan, const Workers& workers, const Job& job,
                  const std::function<void(const BlockPlace&, const ValueBlock&)>& work);

} // namespace core
