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

/// Room for a block that is put where `block` says, in elements.
std::int64_t arrangedElements(const BlockPlace& place, const ValueBlock& block)
{
    return std::max(place.batches * block.batchStride, place.channels * block.channelStride);
}

} // namespace

void BlockNeeds::add(const PlaneGrid& grid)
{
    std::vector<GridAxis> axes = {{{grid.extents.batches, grid.batchStride}, &batches},
                                  {{grid.extents.channels, grid.channelStride}, &channels}};
    std::int64_t unit = 1;
    for (std::size_t i = grid.plane.axes().size(); i-- > 0; unit *= grid.plane.axes()[i].extent)
        axes.push_back({grid.plane.axes()[i], &elements, unit});
    std::erase_if(axes, [](const GridAxis& a) { return a.axis.extent == 1 || a.axis.stride == 0; });
    std::stable_sort(axes.begin(), axes.end(),
                     [](const GridAxis& a, const GridAxis& b) { return std::abs(a.axis.stride) < std::abs(b.axis.stride); });
    const std::int64_t size = itemSize(grid.dtype);
    for (const GridAxis& a : axes) {
        const std::int64_t step = std::abs(a.axis.stride) * size;
        if (step >= runBytes)
            break;
        std::int64_t take = std::min(a.axis.extent, (runBytes + step - 1) / step);
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
    if (std::abs(grid.batchStride) < std::abs(grid.channelStride))
        return {nullptr, step * place.batches, step};
    return {nullptr, step, step * place.channels};
}

BlockReader::BlockReader(const PlaneGrid& grid, const ComplexView& view)
    : m_grid(grid), m_view(view), m_isConverted(isFloat8(grid.dtype) || isComplex(grid.dtype)),
      m_isContiguous(grid.plane.isContiguous())
{
}

BlockPlan BlockReader::plan(bool wholeTiles) const
{
    BlockNeeds needs;
    const std::int64_t elements = std::max(m_grid.extents.planeElements(), std::int64_t{1});
    const std::int64_t channels = m_grid.extents.channels;
    if (!m_isContiguous)
        needs.add(m_grid);
    const std::int64_t target =
        isDirect() ? blockElements : std::clamp(blockBytes / itemSize(m_grid.dtype), blockElements, 4 * blockElements);
    BlockPlan plan{needs.channels, 0, needs.batches};
    const std::int64_t planes = plan.channels * plan.batches;
    const std::int64_t most = std::max(mostBytes / itemSize(m_grid.dtype) / planes, tileElements);
    const std::int64_t goal = wholeTiles ? target : blockBytes / 2 / itemSize(m_grid.dtype);
    const std::int64_t wanted = std::clamp(goal / planes, std::min(needs.elements, most), most);
    plan.elements = std::min(planes == 1 && needs.elements <= target ? target : roundUp(wanted, wholeTiles ? tileElements : 64),
                             roundUp(elements, tileElements));
    if (elements < target / 2 && plan.elements >= elements)
        plan.channels = std::clamp(target / plan.batches / elements, needs.channels, std::max(channels, needs.channels));
    return plan;
}

ValueBlock BlockReader::read(const BlockPlace& place, Scratch& scratch) const
{
    ValueBlock block = readStored(place, scratch);
    if (!m_isConverted)
        return block;
    const std::int64_t planes = place.batches * place.channels;
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
                m_grid.channelStride, m_grid.batchStride};
    ValueBlock block = arrangePlanes(m_grid, place, m_isConverted);
    std::byte* const to = scratch.take<std::byte>(storedSlot, arrangedElements(place, block) * itemSize(m_grid.dtype));
    copyStored(place, to, block);
    block.values = to;
    return block;
}

void BlockReader::copyStored(const BlockPlace& place, std::byte* to, const ValueBlock& block) const
{
    const int size = itemSize(m_grid.dtype);
    const std::byte* const base = m_grid.planeBase(place.batch, place.channel);
    m_grid.plane.forBoxes(place.first, place.elements, [&](std::int64_t offset, std::span<const StridedAxis> box) {
        std::vector<CopyAxis> axes = packedAxes(box);
        axes.push_back({place.batches, m_grid.batchStride, block.batchStride});
        axes.push_back({place.channels, m_grid.channelStride, block.channelStride});
        copyBox(base + offset * size, to, axes, size);
        to += elementsOf(box) * size;
    });
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
    const std::int64_t pieces = (extents.planeElements() + plan.elements - 1) / plan.elements;
    const std::int64_t groups = (extents.channels + plan.channels - 1) / plan.channels;
    const std::int64_t items = (extents.batches + plan.batches - 1) / plan.batches;
    workers.forEach(items * groups * pieces, job, [&](std::int64_t item, Scratch& scratch) {
        BlockPlace place;
        place.batch = item / (groups * pieces) * plan.batches;
        place.batches = std::min(plan.batches, extents.batches - place.batch);
        place.channel = item / pieces % groups * plan.channels;
        place.channels = std::min(plan.channels, extents.channels - place.channel);
        place.first = item % pieces * plan.elements;
        place.elements = std::min(plan.elements, extents.planeElements() - place.first);
        work(place, scratch);
    });
}

void forEachBlock(const BlockReader& reader, const Workers& workers, const Job& job,
                  const std::function<void(const BlockPlace&, const ValueBlock&)>& work)
{
    forEachBlock(reader, reader.plan(), workers, job, work);
}

void forEachBlock(const BlockReader& reader, const BlockPlan& plan, const Workers& workers, const Job& job,
                  const std::function<void(const BlockPlace&, const ValueBlock&)>& work)
{
    const std::int64_t size = seenSize(reader.grid().dtype);
    forEachPlace(reader, plan, workers, job, [&](const BlockPlace& place, Scratch& scratch) {
        const ValueBlock block = reader.read(place, scratch);
        for (std::int64_t b = 0; b < place.batches; ++b) {
            BlockPlace one = place;
            one.batch += b;
            one.batches = 1;
            work(one, {block.values + b * block.batchStride * size, block.channelStride, block.batchStride});
        }
    });
}

} // namespace core
