// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/buffer_pool.h"
#include "core/engine/engine.h"
#include "core/engine/value_codes.h"

#include <memory>

namespace core {

/// Keys (see value_keys.h) between which values lie, both included.
struct KeyRange
{
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// What makes a dragged threshold live: for every plane, how many of its values lie at or above each of many edges. An edge is
/// known exactly as a value of the dtype, so counts at edges are exact. Large planes are counted in chunks, so that a row of
/// the coordinate list is found quickly. Immutable once built.
class TensorIndex
{
public:
    virtual ~TensorIndex() = default;

    /// Most and fewest elements of the chunks of large planes.
    static constexpr std::int64_t mostChunkElements = std::int64_t{1} << 20;
    static constexpr std::int64_t fewestChunkElements = std::int64_t{1} << 17;
    /// Elements of a chunk; the last one of a plane may have fewer.
    std::int64_t chunkElements() const { return m_chunkElements; }
    std::int64_t chunksOfPlane() const { return m_chunks; }

    /// Counts of a condition per chunk, planes batch-major, when every bound of it is an edge or lies where no plane has
    /// values; nothing when it has to be counted.
    virtual std::optional<std::vector<std::int64_t>> chunkCounts(const HotTest& test) const = 0;
    /// The same per plane, at no more cost for larger planes.
    virtual std::optional<std::vector<std::int64_t>> counts(const HotTest& test) const = 0;
    /// Counts per plane from counts per chunk.
    std::vector<std::int64_t> planesOf(std::vector<std::int64_t> chunks) const;
    /// Elements of a chunk (by its number among all chunks) that CodeAnswer::hotBins and nanHot name.
    virtual std::int64_t elementsIn(std::int64_t chunk, const CodeAnswer& answer) const = 0;
    /// Of every bin that can hold finite values, ascending, where these lie.
    virtual std::vector<KeyRange> keyRanges() const = 0;
    /// Elements per bin of the whole tensor, and of one plane (added to `counts`, one for each of keyRanges()); -inf lies in
    /// bin 0.
    virtual std::span<const std::int64_t> totals() const = 0;
    virtual void addCounts(std::int64_t plane, std::span<std::int64_t> counts) const = 0;
    /// The code that elements of a bin have.
    virtual std::uint8_t codeOf(int bin) const = 0;
    /// Thresholds T, ascending, at which counts of `> T` come by look-up.
    virtual std::span<const double> stops() const = 0;
    /// Memory of the counts.
    virtual std::int64_t bytes() const = 0;
    /// Null where it has none.
    const ValueCodes* codes() const { return m_codes; }

protected:
    /// Chunks per plane.
    std::int64_t m_chunks = 1;
    std::int64_t m_chunkElements = mostChunkElements;
    const ValueCodes* m_codes = nullptr;
};

/// What an index may take.
struct IndexBudget
{
    std::int64_t histogramBytes = 0;
    /// Codes, a byte per element, for dtypes of 2 bytes and more.
    bool codes = false;
    /// Lends their memory.
    std::shared_ptr<BufferPool> pool;
};

/// Memory of histograms of at most `mostBins` bins; held to a value that no budget reaches.
std::int64_t histogramBytes(const Extents& extents, int mostBins);

/// Scans the tensor once, in parallel. `all`: its statistics. Bins per chunk: min(4096, elements / 4) rounded down to a power
/// of two, none below 16; fewer where the budget would be passed. Codes are made of bins, so that every code edge is an edge.
/// Null where an index does not help: complex dtypes, no finite value, planes too many for the budget. Throws Cancelled. The
/// index keeps no reference to the reader.
std::shared_ptr<const TensorIndex> buildTensorIndex(const BlockReader& reader, const Statistics& all, const IndexBudget& budget,
                                                    const Workers& workers, const Job& job);

/// The stops that buildTensorIndex would give, from a sample of the values: for who counts without look-up.
std::vector<double> indexStops(const BlockReader& reader, const Statistics& all, const IndexBudget& budget);

/// The stop nearest to `value`; `value` itself without stops.
double nearestStop(std::span<const double> stops, double value);
/// The stop `steps` further up or down from the one nearest to `value`, held to the first and the last.
double stepStop(std::span<const double> stops, double value, std::int64_t steps);

} // namespace core
