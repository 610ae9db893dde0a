// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/block_reader.h"
#include "core/engine/dense_tensor.h"
#include "core/engine/kernels_columns.h"
#include "core/engine/kernels_norms.h"
#include "core/engine/kernels_select.h"
#include "core/engine/lane_sum.h"
#include "core/engine/operand.h"
#include "core/engine/part_passes.h"
#include "core/engine/part_walk.h"

#include <cstring>

namespace core {
namespace {

enum Slot : std::size_t { firstSlot, otherSlot, maskSlot };
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
        if (!fits || !m_reader.isDirect() || !m_otherReader.isDirect() || !m_copy.grid().plane.isContiguous())
            return chooseThenCopy(workers, job, result);
        result.norms.resize(static_cast<std::size_t>(extents.planes()));
        result.otherNorms.resize(result.norms.size());
        const std::int64_t bytes = extents.planeElements() * itemSize(m_grid.dtype);
        workers.forEach(extents.planes(), job, [&](std::int64_t plane, Scratch& scratch) {
            const std::int64_t batch = plane / extents.channels;
            const std::int64_t channel = plane % extents.channels;
            const std::byte* const first = m_grid.planeBase(batch, channel);
            const std::byte* const second = m_other.planeBase(batch, channel);
            std::byte* const to = m_copy.data() + (m_copy.grid().planeBase(batch, channel) - m_copy.data());
            const auto at = static_cast<std::size_t>(plane);
            result.norms[at] = m_norm.of(first, extents.planeElements(), scratch);
            result.otherNorms[at] = m_norm.of(second, extents.planeElements(), scratch);
            streamBytes(result.isFirst(at) ? first : second, bytes, to);
            endStreams();
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

namespace {

/// Copies the chosen planes, in the order of the new tensor's memory.
class ChosenPass
{
public:
    ChosenPass(const PlaneGrid& grid, const PlaneGrid& other, const Fused& chosen, const PartCopy& copy)
        : m_chosen(chosen), m_copy(copy), m_walk(copy), m_first(m_walk, grid), m_second(m_walk, other),
          m_size(itemSize(grid.dtype))
    {
    }

    void run(const Workers& workers, const Job& job)
    {
        m_walk.forEachPart(workers, job, [&](std::int64_t first, std::int64_t n, Scratch& scratch) {
            m_walk.forPieces(first, n, [&](const WalkPiece& piece) {
                if (piece.plane < 0)
                    return copyRows(piece, scratch);
                copyFrom(m_chosen.isFirst(static_cast<std::size_t>(piece.plane)) ? m_first : m_second, piece, scratch);
            });
            endStreams();
        });
    }

private:
    void copyFrom(const WalkReader& reader, const WalkPiece& piece, Scratch& scratch) const
    {
        std::byte* const to = m_copy.data() + piece.first * m_size;
        streamBytes(reader.read(piece.first, piece.elements, scratch, firstSlot), piece.elements * m_size, to);
    }

    void copyRows(const WalkPiece& piece, Scratch& scratch) const
    {
        const std::int64_t columns = piece.columns(m_size) * m_size;
        const std::int64_t row = piece.row * m_size;
        auto* const mask = scratch.take<std::uint8_t>(maskSlot, columns + columnRoom);
        std::int64_t seconds = 0;
        m_walk.forPlanes(piece.first, piece.row, [&](std::int64_t column, std::int64_t n, std::int64_t plane) {
            const bool isSecond = !m_chosen.isFirst(static_cast<std::size_t>(plane));
            seconds += isSecond ? n : 0;
            std::memset(mask + column * m_size, isSecond ? 0xff : 0, static_cast<std::size_t>(n * m_size));
        });
        if (seconds == 0 || seconds == piece.row)
            return copyFrom(seconds == 0 ? m_first : m_second, piece, scratch);
        for (std::int64_t i = row; i < columns; ++i)
            mask[i] = mask[i - row];
        streamChosen(m_first.read(piece.first, piece.elements, scratch, firstSlot),
                     m_second.read(piece.first, piece.elements, scratch, otherSlot), mask, columns, piece.elements * m_size,
                     m_copy.data() + piece.first * m_size);
    }

    const Fused& m_chosen;
    const PartCopy& m_copy;
    PartWalk m_walk;
    WalkReader m_first;
    WalkReader m_second;
    std::int64_t m_size;
};

} // namespace

void copyChosen(const PlaneGrid& grid, const PlaneGrid& other, const Fused& chosen, const PartCopy& copy,
                const Workers& workers, const Job& job)
{
    ChosenPass(grid, other, chosen, copy).run(workers, job);
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
