// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/block_reader.h"
#include "core/engine/dense_tensor.h"
#include "core/engine/kernels_norms.h"
#include "core/engine/kernels_select.h"
#include "core/engine/lane_sum.h"
#include "core/engine/operand.h"
#include "core/engine/part_passes.h"

#include <cstring>

namespace core {
namespace {

constexpr std::size_t otherSlot = 3;
constexpr std::size_t chosenSlot = 4;
/// Both planes of a pair, and room to spare, in a core's own cache: the chosen one is then read only once from memory.
constexpr std::int64_t pairBytes = 512 << 10;

/// Chooses and copies planes.
class FusePass
{
public:
    FusePass(const PlaneGrid& grid, const PlaneGrid& other, const NormTiles& norm, const PartCopy& copy)
        : m_grid(grid), m_other(other), m_reader(grid), m_otherReader(other), m_norm(norm), m_copy(copy)
    {
    }

    void run(const Workers& workers, const Job& job, Fused& result)
    {
        const Extents& extents = m_grid.extents;
        if (extents.planeElements() == 0) {
            result.norms.resize(static_cast<std::size_t>(extents.planes()));
            result.otherNorms = result.norms;
            return;
        }
        const bool fits = extents.planeElements() * itemSize(m_grid.dtype) * 2 <= pairBytes;
        if (!fits || !m_reader.isDirect() || !m_otherReader.isDirect() || !m_copy.isDirect())
            return chooseThenCopy(workers, job, result);
        result.norms.resize(static_cast<std::size_t>(extents.planes()));
        result.otherNorms.resize(result.norms.size());
        const std::int64_t bytes = extents.planeElements() * itemSize(m_grid.dtype);
        workers.forEach(extents.planes(), job, [&](std::int64_t plane, Scratch& scratch) {
            const std::int64_t batch = plane / extents.channels;
            const std::int64_t channel = plane % extents.channels;
            const std::byte* const first = m_grid.planeBase(batch, channel);
            const std::byte* const second = m_other.planeBase(batch, channel);
            const auto at = static_cast<std::size_t>(plane);
            result.norms[at] = m_norm.of(first, extents.planeElements(), scratch);
            result.otherNorms[at] = m_norm.of(second, extents.planeElements(), scratch);
            streamBytes(result.isFirst(at) ? first : second, bytes, m_copy.at(batch, channel, 0));
        });
    }

private:
    void chooseThenCopy(const Workers& workers, const Job& job, Fused& result)
    {
        result.norms = planeNorms(m_grid, m_norm, workers, job);
        result.otherNorms = planeNorms(m_other, m_norm, workers, job);
        copyChosen(m_grid, m_other, result, m_copy, workers, job);
    }

    const PlaneGrid& m_grid;
    const PlaneGrid& m_other;
    BlockReader m_reader;
    BlockReader m_otherReader;
    const NormTiles& m_norm;
    const PartCopy& m_copy;
};

} // namespace

std::vector<double> planeNorms(const PlaneGrid& grid, const NormTiles& norm, const Workers& workers, const Job& job)
{
    const BlockReader reader(grid);
    const std::int64_t tiles = tileCount(grid.extents.planeElements());
    std::vector<double> parts(static_cast<std::size_t>(grid.extents.planes() * tiles));
    forEachBlock(reader, workers, job, [&](const BlockPlace& place, const ValueBlock& block) {
        for (std::int64_t c = 0; c < place.channels; ++c) {
            const std::int64_t plane = place.batch * grid.extents.channels + place.channel + c;
            norm.fill(block.values + c * block.channelStride * seenSize(grid.dtype), place.elements,
                      parts.data() + plane * tiles + place.first / tileElements);
        }
    });
    std::vector<double> norms;
    for (std::int64_t plane = 0; plane < grid.extents.planes(); ++plane)
        norms.push_back(norm.total({parts.data() + plane * tiles, static_cast<std::size_t>(tiles)}));
    return norms;
}

void copyChosen(const PlaneGrid& grid, const PlaneGrid& other, const Fused& chosen, const PartCopy& copy,
                const Workers& workers, const Job& job)
{
    const BlockReader reader(grid);
    const BlockReader otherReader(other);
    BlockNeeds needs;
    needs.add(copy.grid());
    needs.add(other);
    forEachPlace(reader, reader.plan(needs), workers, job, [&](const BlockPlace& place, Scratch& scratch) {
        const std::int64_t size = itemSize(grid.dtype);
        const std::int64_t bytes = place.elements * size;
        const auto isFirst = [&](std::int64_t b, std::int64_t c) {
            return chosen.isFirst(static_cast<std::size_t>((place.batch + b) * grid.extents.channels + place.channel + c));
        };
        // Of one plane only the chosen tensor is read.
        const bool isOne = place.batches * place.channels == 1;
        const ValueBlock first = isOne && !isFirst(0, 0) ? ValueBlock{} : reader.readStored(place, scratch);
        const ValueBlock second = isOne && isFirst(0, 0) ? ValueBlock{} : otherReader.readStored(place, scratch, otherSlot);
        copy.fill(place, scratch, chosenSlot, [&](std::int64_t b, std::int64_t c, std::byte* to) {
            const ValueBlock& chosenBlock = isFirst(b, c) ? first : second;
            const std::byte* const values = chosenBlock.values + chosenBlock.at(b, c) * size;
            if (copy.isDirect())
                streamBytes(values, bytes, to);
            else
                std::memcpy(to, values, static_cast<std::size_t>(bytes));
        });
    });
}

std::vector<double> DenseTensor::norms(const Norm& norm, const Job& job) const
{
    const NormTiles tiles(norm, dtype());
    m_tensor.storage().verify();
    std::vector<double> norms = planeNorms(m_grid, tiles, *m_workers, job);
    m_tensor.storage().verify();
    return norms;
}

Fused DenseTensor::fuse(const LoadedTensor& other, const Norm& norm, const Job& job) const
{
    const PlaneGrid otherGrid = operandGrid(*this, &other);
    const NormTiles tiles(norm, dtype());
    m_tensor.storage().verify();
    PartCopy copy(m_tensor, m_selection, m_copies);
    Fused result;
    FusePass(m_grid, otherGrid, tiles, copy).run(*m_workers, job, result);
    m_tensor.storage().verify();
    other.dense()->storage().verify();
    result.values = std::move(copy).take();
    return result;
}

} // namespace core
