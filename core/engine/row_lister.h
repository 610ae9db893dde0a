// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/engine.h"
#include "core/engine/hot_test.h"
#include "core/engine/index_writer.h"

namespace core {

/// A stretch of elements in the order of the tensor's own axes, and its rows once listed.
struct RowSegment
{
    std::int64_t first = 0;
    std::int64_t elements = 0;
    std::int64_t rows = 0;
    /// Its elements as kernels see them; null: not read.
    const std::byte* seen = nullptr;
    std::vector<std::int64_t> indices;
    std::vector<Scalar> values;
};

/// Elements of a segment where rows are listed.
inline constexpr std::int64_t segmentElements = 65536;
/// Segments for each thread that are listed before the sink gets them in order.
inline constexpr std::int64_t segmentsAhead = 8;

/// The next segments in [position, end), of `length` elements, at most `most`; their memory is used again.
void cutSegments(std::int64_t position, std::int64_t end, std::int64_t length, std::int64_t most,
                 std::vector<RowSegment>& segments);

/// Marks the hot elements of segments of a strided tensor and lists their rows.
class RowLister
{
public:
    RowLister(const PlaneGrid& grid, const HotTest& test, const Shape& shape, const Selection& selection);

    const PlaneGrid& grid() const { return m_grid; }
    const HotTest& test() const { return m_test; }
    const BlockReader& reader() const { return m_reader; }
    int rank() const { return m_indices.rank(); }

    /// Marks the hot elements among `n` values that begin at a place in own order; returns their number.
    std::int64_t mark(const std::byte* values, std::int64_t first, std::int64_t n, std::uint64_t* words) const;
    /// The same of a segment, whose elements are read.
    std::uint64_t* markSegment(RowSegment& segment, Scratch& scratch) const;
    /// maskWords(n) words of a thread's memory, those of markSegment.
    static std::uint64_t* words(std::int64_t n, Scratch& scratch);
    /// Lists rows [from, from + rows) of a marked segment.
    void list(RowSegment& segment, const std::uint64_t* words, std::int64_t from, std::int64_t rows, bool values,
              Scratch& scratch) const;

private:
    const PlaneGrid& m_grid;
    const HotTest& m_test;
    BlockReader m_reader;
    IndexWriter m_indices;
    /// Elements in own order from one channel index to the next.
    std::int64_t m_channelRun;
};

} // namespace core
