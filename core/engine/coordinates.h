// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/engine.h"
#include "core/engine/hot_test.h"

namespace core {

/// Turns positions in the selected part, in the order of the tensor's own axes, into full indices.
class IndexWriter
{
public:
    IndexWriter(const Shape& shape, const Selection& selection);

    int rank() const { return static_cast<int>(m_axes.size()); }
    /// Appends a row of indices for each position `base + offset`, offsets ascending.
    void write(std::int64_t base, std::span<const std::uint32_t> offsets, std::int64_t* rows) const;
    /// Indices of one position.
    void write(std::int64_t position, std::int64_t* row) const;
    /// Position of full indices that lie in the selected part.
    std::int64_t position(std::span<const std::int64_t> indices) const;

private:
    struct Axis
    {
        std::int64_t extent;
        std::int64_t first;
    };
    std::vector<Axis> m_axes;
};

/// Lists hot elements of a strided tensor in torch.nonzero's order over the selected part.
class RowScanner
{
public:
    RowScanner(const PlaneGrid& grid, const HotTest& test, const Shape& shape, const Selection& selection);

    /// All rows, in blocks; the sink returns false to stop early.
    void stream(bool values, const std::function<bool(const RowBlock&)>& sink, const Workers& workers, const Job& job) const;
    /// Rows [window.first, window.first + window.count). `planeCounts` (batch-major, may be empty) tells where to begin where
    /// planes lie one after the other.
    Coordinates window(const RowWindow& window, std::span<const std::int64_t> planeCounts, const Workers& workers,
                       const Job& job) const;

private:
    /// A stretch of elements in own order, and its rows once listed.
    struct Segment;

    /// The next segments from a position on; their memory is used again.
    void cut(std::int64_t position, const Workers& workers, std::vector<Segment>& segments) const;
    /// Marks the hot elements of a segment and counts them.
    void mark(Segment& segment, Scratch& scratch, const std::byte*& values, std::uint64_t*& words) const;
    void list(Segment& segment, bool values, Scratch& scratch) const;

    const PlaneGrid& m_grid;
    const HotTest& m_test;
    BlockReader m_reader;
    IndexWriter m_indices;
    /// Elements in own order from one channel index to the next.
    std::int64_t m_channelRun;
};

/// Scalar of a seen value.
template <class Seen>
Scalar scalarOf(Seen value);

/// Elements in own order from one channel index to the next.
std::int64_t channelRun(const Shape& shape, const Selection& selection);

/// Scalar of a stored element; of a complex one the magnitude.
Scalar valueAt(DType dtype, const std::byte* element);
/// The same of the element at full indices. Throws Error when they lie outside the shape.
Scalar valueAt(const Tensor& tensor, std::span<const std::int64_t> indices);

} // namespace core
