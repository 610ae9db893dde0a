// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/block_reader.h"

#include "core/engine/lane_sum.h"
#include "core/engine/strided_copy.h"

#include <algorithm>
#include <cstdlib>

namespace core {
namespace {

constexpr std::int64_t blockElements = 65536;
/// Of narrow types more elements are taken.
constexpr std::int64_t blockBytes = 256 << 10;
/// Most that a block takes so that lines are read whole.
constexpr std::int64_t mostBytes = 4 << 20;
/// What lies together is read together: some lines of the cache in a row, which memory hands out faster than as many apart.
constexpr std::int64_t runBytes = 256;
/// Channels that a pass over a channels-last tensor takes together.
constexpr std::int64_t neighbours = 64;
constexpr std::size_t storedSlot = 0;
constexpr std::size_t seenSlot = 1;

std::int64_t roundUp(std::int64_t value, std::int64_t step)
{
    return (value + step - 1) / step * step;
}

/// One axis of a grid: what a step along it is for a block.
struct GridAxis
{
    StridedAxis axis;
    std::int64_t* need;
    /// Elements of a plane per step; 1 for batch items and channels.
    std::int64_t unit = 1;
};

StridedOrder sliceOrder(const PlaneGrid& grid)
{
    return StridedOrder({grid.planeAxes[1], grid.planeAxes[2]});
}

/// Whether slices lie closer to each other than their elements, and hold whole tiles.
bool hasNearSlices(const PlaneGrid& grid)
{
    const auto [depth, height, width] = grid.planeAxes;
    const auto isNearer = [&](const StridedAxis& axis) {
        return axis.extent == 1 || std::abs(depth.stride) < std::abs(axis.stride);
    };
    return depth.extent > 1 && depth.stride != 0 && isNearer(height) && isNearer(width) &&
           height.extent * width.extent % tileElements == 0 && grid.extents.elements() > 0;
}

/// Room for a block that is put where `block` says, in elements.
std::int64_t arrangedElements(const BlockPlace& place, const ValueBlock& block)
{
    return std::max(
        {place.batches * block.batchStride, place.channels * block.channelStride, place.slices * block.sliceStride});
}

} // namespace

void BlockNeeds::add(const PlaneGrid& grid, bool isSliced)
{
    std::vector<GridAxis> axes = {{{grid.extents.batches, grid.batchStride}, &batches},
                                  {{grid.extents.channels, grid.channelStride}, &channels}};
    if (isSliced)
        axes.push_back({grid.planeAxes[0], &slices});
    const StridedOrder order = isSliced ? sliceOrder(grid) : grid.plane;
    std::int64_t unit = 1;
    for (std::size_t i = order.axes().size(); i-- > 0; unit *= order.axes()[i].extent)
        axes.push_back({order.axes()[i], &elements, unit});
    std::erase_if(axes, [](const GridAxis& a) { return a.axis.extent == 1 || a.axis.stride == 0; });
    std::stable_sort(axes.begin(), axes.end(),
                     [](const GridAxis& a, const GridAxis& b) { return std::abs(a.axis.stride) < std::abs(b.axis.stride); });
    const std::int64_t size = itemSize(grid.dtype);
    // As much again for every element that is left out between two, if these are few.
    const std::int64_t run = axes.empty() ? runBytes : runBytes * std::min(std::abs(axes.front().axis.stride), std::int64_t{3});
    for (const GridAxis& a : axes) {
        const std::int64_t step = std::abs(a.axis.stride) * size;
        if (step >= run)
            break;
        std::int64_t take = std::min(a.axis.extent, (run + step - 1) / step);
        if (a.need == &channels && batches == 1)
            take = std::min(a.axis.extent, std::max(take, neighbours));
        *a.need = std::max(*a.need, take * a.unit);
    }
}

ValueBlock arrangePlanes(const PlaneGrid& grid, const BlockPlace& place, bool isDense)
{
    const std::int64_t size = itemSize(grid.dtype);
    std::int64_t step = place.elements;
    // Steps of whole pages, or of large parts of one, meet in few sets of the cache.
    if (!isDense && place.elements * size % 1024 == 0)
        step += 64 / size;
    const std::int64_t planeStep = step * place.slices;
    if (std::abs(grid.batchStride) < std::abs(grid.channelStride))
        return {nullptr, planeStep * place.batches, planeStep, step};
    return {nullptr, planeStep, planeStep * place.channels, step};
}

BlockReader::BlockReader(const PlaneGrid& grid, const ComplexView& view)
    : m_grid(grid), m_view(view), m_isConverted(isFloat8(grid.dtype) || isComplex(grid.dtype)),
      m_isContiguous(grid.plane.isContiguous()), m_slice(sliceOrder(grid))
{
}

BlockPlan BlockReader::plan(bool wholeTiles) const
{
    BlockNeeds needs;
    if (!m_isContiguous)
        needs.add(m_grid);
    return cut(needs, wholeTiles);
}

BlockPlan BlockReader::slicedPlan() const
{
    if (m_isContiguous || !hasNearSlices(m_grid))
        return plan();
    BlockNeeds needs;
    needs.add(m_grid, true);
    return cut(needs, true);
}

BlockPlan BlockReader::cut(const BlockNeeds& needs, bool wholeTiles) const
{
    const std::int64_t elements =
        std::max(needs.slices > 1 ? m_slice.elements() : m_grid.extents.planeElements(), std::int64_t{1});
    const std::int64_t channels = m_grid.extents.channels;
    const std::int64_t target =
        isDirect() ? blockElements : std::clamp(blockBytes / itemSize(m_grid.dtype), blockElements, 4 * blockElements);
    BlockPlan plan{needs.channels, 0, needs.batches, needs.slices};
    const std::int64_t planes = plan.channels * plan.batches * plan.slices;
    const std::int64_t most = std::max(mostBytes / itemSize(m_grid.dtype) / planes, tileElements);
    const std::int64_t goal = wholeTiles ? target : blockBytes / 2 / itemSize(m_grid.dtype);
    const std::int64_t wanted = std::clamp(goal / planes, std::min(needs.elements, most), most);
    plan.elements = std::min(planes == 1 && needs.elements <= target ? target : roundUp(wanted, wholeTiles ? tileElements : 64),
                             roundUp(elements, tileElements));
    if (elements < target / 2 && plan.elements >= elements)
        plan.channels =
            std::clamp(target / plan.batches / plan.slices / elements, needs.channels, std::max(channels, needs.channels));
    return plan;
}

ValueBlock BlockReader::read(const BlockPlace& place, Scratch& scratch) const
{
    ValueBlock block = readStored(place, scratch);
    if (!m_isConverted)
        return block;
    const std::int64_t planes = place.batches * place.channels * place.slices;
    if (m_isContiguous && planes > 1 && (place.batches > 1 || block.channelStride != place.elements)) {
        // The planes lie apart: brought together, so that they are converted as one.
        std::byte* together = scratch.take<std::byte>(storedSlot, planes * place.elements * itemSize(m_grid.dtype));
        block = arrangePlanes(m_grid, place, true);
        copyStored(place, together, block);
        block.values = together;
    }
    block.values = convert(block.values, planes * place.elements, scratch);
    return block;
}

ValueBlock BlockReader::readStored(const BlockPlace& place, Scratch& scratch) const
{
    if (m_isContiguous)
        return {m_grid.planeBase(place.batch, place.channel) + m_grid.plane.offsetOf(place.first) * itemSize(m_grid.dtype),
                m_grid.channelStride, m_grid.batchStride, 0};
    ValueBlock block = arrangePlanes(m_grid, place, m_isConverted);
    std::byte* const to = scratch.take<std::byte>(storedSlot, arrangedElements(place, block) * itemSize(m_grid.dtype));
    copyStored(place, to, block);
    block.values = to;
    return block;
}

void BlockReader::copyStored(const BlockPlace& place, std::byte* to, const ValueBlock& block) const
{
    const int size = itemSize(m_grid.dtype);
    const StridedAxis& depth = m_grid.planeAxes[0];
    const std::byte* base = m_grid.planeBase(place.batch, place.channel);
    const auto copy = [&](std::int64_t offset, std::span<const StridedAxis> box) {
        std::vector<CopyAxis> axes = packedAxes(box);
        axes.push_back({place.batches, m_grid.batchStride, block.batchStride});
        axes.push_back({place.channels, m_grid.channelStride, block.channelStride});
        axes.push_back({place.slices, depth.stride, block.sliceStride});
        copyBox(base + offset * size, to, axes, size);
        to += elementsOf(box) * size;
    };
    if (place.slices == 1)
        return m_grid.plane.forBoxes(place.first, place.elements, copy);
    base += place.first / m_slice.elements() * depth.stride * size;
    m_slice.forBoxes(place.first % m_slice.elements(), place.elements, copy);
}

const std::byte* BlockReader::readOwn(std::int64_t first, std::int64_t n, Scratch& scratch) const
{
    const int size = itemSize(m_grid.dtype);
    if (!m_isConverted && (n == 1 || m_grid.own.isContiguous()))
        return m_grid.base + m_grid.own.offsetOf(first) * size;
    std::byte* stored = scratch.take<std::byte>(storedSlot, n * size);
    packElements(m_grid.base, m_grid.own, first, n, size, stored);
    return convert(stored, n, scratch);
}

const std::byte* BlockReader::convert(const std::byte* stored, std::int64_t n, Scratch& scratch) const
{
    if (!m_isConverted)
        return stored;
    if (isFloat8(m_grid.dtype)) {
        float* seen = scratch.take<float>(seenSlot, n);
        widenFloat8(m_grid.dtype, stored, n, seen);
        return reinterpret_cast<const std::byte*>(seen);
    }
    double* seen = scratch.take<double>(seenSlot, n);
    for (std::int64_t i = 0; i < n; ++i)
        seen[i] = m_view.see(m_grid.dtype, stored + i * itemSize(m_grid.dtype));
    return reinterpret_cast<const std::byte*>(seen);
}

void forEachPlace(const BlockReader& reader, const BlockPlan& plan, const Workers& workers, const Job& job,
                  const std::function<void(const BlockPlace&, Scratch&)>& work)
{
    const Extents& extents = reader.grid().extents;
    if (extents.elements() == 0)
        return;
    const std::int64_t slices = plan.slices > 1 ? extents.depth : 1;
    const std::int64_t elements = extents.planeElements() / slices;
    const std::int64_t pieces = (elements + plan.elements - 1) / plan.elements;
    const std::int64_t sliceGroups = (slices + plan.slices - 1) / plan.slices;
    const std::int64_t parts = sliceGroups * pieces;
    const std::int64_t groups = (extents.channels + plan.channels - 1) / plan.channels;
    const std::int64_t items = (extents.batches + plan.batches - 1) / plan.batches;
    workers.forEach(items * groups * parts, job, [&](std::int64_t item, Scratch& scratch) {
        BlockPlace place;
        place.batch = item / (groups * parts) * plan.batches;
        place.batches = std::min(plan.batches, extents.batches - place.batch);
        place.channel = item / parts % groups * plan.channels;
        place.channels = std::min(plan.channels, extents.channels - place.channel);
        const std::int64_t slice = item / pieces % sliceGroups * plan.slices;
        place.slices = std::min(plan.slices, slices - slice);
        place.first = item % pieces * plan.elements;
        place.elements = std::min(plan.elements, elements - place.first);
        place.first += slice * elements;
        work(place, scratch);
    });
}

void forEachBlock(const BlockReader& reader, const Workers& workers, const Job& job,
                  const std::function<void(const BlockPlace&, const ValueBlock&)>& work)
{
    forEachBlock(reader, reader.slicedPlan(), workers, job, work);
}

void forEachBlock(const BlockReader& reader, const BlockPlan& plan, const Workers& workers, const Job& job,
                  const std::function<void(const BlockPlace&, const ValueBlock&)>& work)
{
    const std::int64_t size = seenSize(reader.grid().dtype);
    forEachPlace(reader, plan, workers, job, [&](const BlockPlace& place, Scratch& scratch) {
        const ValueBlock block = reader.read(place, scratch);
        const std::int64_t slice = reader.grid().extents.planeElements() / reader.grid().extents.depth;
        for (std::int64_t b = 0; b < place.batches; ++b)
            for (std::int64_t s = 0; s < place.slices; ++s) {
                BlockPlace one = place;
                one.batch += b;
                one.batches = 1;
                one.first += s * slice;
                one.slices = 1;
                work(one, {block.values + (b * block.batchStride + s * block.sliceStride) * size, block.channelStride,
                           block.batchStride, block.sliceStride});
            }
    });
}

} // namespace core
