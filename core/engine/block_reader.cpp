// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/block_reader.h"

#include "core/engine/lane_sum.h"
#include "core/engine/strided_copy.h"

#include <algorithm>
#include <cstdlib>

namespace core {
namespace {

constexpr std::int64_t blockElements = 65536;
/// Channels that a pass over a channels-last tensor takes together: some cache lines in a row, which memory hands out faster
/// than as many lines apart.
constexpr std::int64_t neighbours = 64;
constexpr std::size_t storedSlot = 0;
constexpr std::size_t seenSlot = 1;

bool isContiguous(const StridedOrder& order)
{
    return order.isOneRun() && order.innerStride() == 1;
}

} // namespace

BlockReader::BlockReader(const PlaneGrid& grid, const ComplexView& view)
    : m_grid(grid), m_view(view), m_isConverted(isFloat8(grid.dtype) || isComplex(grid.dtype)),
      m_isContiguous(isContiguous(grid.plane))
{
}

BlockPlan BlockReader::plan() const
{
    const std::int64_t elements = m_grid.extents.planeElements();
    const std::int64_t channels = m_grid.extents.channels;
    const bool channelsLast =
        !isContiguous(m_grid.plane) && std::abs(m_grid.channelStride) < std::abs(m_grid.plane.innerStride());
    if (channelsLast && elements > 1) {
        const std::int64_t together = std::min(channels, neighbours);
        return {together, std::max(blockElements / together / tileElements, std::int64_t{1}) * tileElements};
    }
    if (elements >= blockElements / 2)
        return {1, blockElements};
    return {std::clamp(blockElements / std::max(elements, std::int64_t{1}), std::int64_t{1}, channels),
            std::max(tileCount(elements), std::int64_t{1}) * tileElements};
}

ValueBlock BlockReader::read(const BlockPlace& place, Scratch& scratch) const
{
    const ValueBlock stored = readStored(place, scratch, storedSlot);
    if (!m_isConverted)
        return stored;
    if (stored.channelStride == place.elements || place.channels == 1)
        return {convert(stored.values, place.channels * place.elements, scratch), place.elements};
    // The planes lie apart: brought together, so that they are converted as one.
    const int size = itemSize(m_grid.dtype);
    std::byte* together = scratch.take<std::byte>(storedSlot, place.channels * place.elements * size);
    copyPiece({stored.values, place.channels, stored.channelStride, place.elements, 1}, size, together, place.elements);
    return {convert(together, place.channels * place.elements, scratch), place.elements};
}

ValueBlock BlockReader::readStored(const BlockPlace& place, Scratch& scratch, std::size_t slot) const
{
    const int size = itemSize(m_grid.dtype);
    const std::byte* base = m_grid.planeBase(place.batch, place.channel);
    if (m_isContiguous)
        return {base + place.first * size, m_grid.channelStride};
    std::byte* stored = scratch.take<std::byte>(slot, place.channels * place.elements * size);
    std::byte* to = stored;
    m_grid.plane.forRuns(place.first, place.elements, [&](std::int64_t offset, std::int64_t length, std::int64_t stride) {
        copyPiece({base + offset * size, place.channels, m_grid.channelStride, length, stride}, size, to, place.elements);
        to += length * size;
    });
    return {stored, place.elements};
}

const std::byte* BlockReader::readOwn(std::int64_t first, std::int64_t n, Scratch& scratch) const
{
    const int size = itemSize(m_grid.dtype);
    if (!m_isConverted && isContiguous(m_grid.own))
        return m_grid.base + first * size;
    std::byte* stored = scratch.take<std::byte>(storedSlot, n * size);
    std::byte* to = stored;
    m_grid.own.forRuns(first, n, [&](std::int64_t offset, std::int64_t length, std::int64_t stride) {
        copyPiece({m_grid.base + offset * size, 1, 0, length, stride}, size, to, length);
        to += length * size;
    });
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

void forEachPlace(const BlockReader& reader, const Workers& workers, const Job& job,
                  const std::function<void(const BlockPlace&, Scratch&)>& work)
{
    const Extents& extents = reader.grid().extents;
    if (extents.elements() == 0)
        return;
    const BlockPlan plan = reader.plan();
    const std::int64_t pieces = (extents.planeElements() + plan.elements - 1) / plan.elements;
    const std::int64_t groups = (extents.channels + plan.channels - 1) / plan.channels;
    workers.forEach(extents.batches * groups * pieces, job, [&](std::int64_t item, Scratch& scratch) {
        BlockPlace place;
        place.batch = item / (groups * pieces);
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
    forEachPlace(reader, workers, job,
                 [&](const BlockPlace& place, Scratch& scratch) { work(place, reader.read(place, scratch)); });
}

} // namespace core
