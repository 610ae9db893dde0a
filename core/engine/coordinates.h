// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/code_scan.h"
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

/// What leads a search among rows; every part may be missing.
struct RowGuide
{
    /// Counts of the hot elements of equal pieces of every plane, planes batch-major.
    std::span<const std::int64_t> counts;
    /// Elements of a piece; the last one of a plane may be short.
    std::int64_t pieceElements = 0;
    const CodePlan* plan = nullptr;
    /// Ranges of blocks of planes.
    const ZoneMap* zones = nullptr;
};

/// Lists hot elements of a strided tensor in torch.nonzero's order over the selected part.
class RowScanner
{
public:
    RowScanner(const PlaneGrid& grid, const HotTest& test, const Shape& shape, const Selection& selection);

    /// All rows, in blocks; the sink returns false to stop early.
    void stream(bool values, const std::function<bool(const RowBlock&)>& sink, const Workers& workers, const Job& job) const;
    /// Rows [window.first, window.first + window.count). What `guide` knows tells where to look where planes lie one after the
    /// other.
    Coordinates window(const RowWindow& window, const RowGuide& guide, const Workers& workers, const Job& job) const;

private:
    /// A stretch of elements in own order, and its rows once listed.
    struct Segment;

    /// The next segments in [position, end), at most `most`; their memory is used again. byPlane: none holds elements of two
    /// planes.
    void cut(std::int64_t position, std::int64_t end, std::int64_t most, bool byPlane, std::vector<Segment>& segments) const;
    /// Rows of the segments in [position, end) that lie in the window are appended; `rowsBefore` counts on.
    void search(std::int64_t position, std::int64_t end, const RowWindow& window, const RowGuide& guide, const Workers& workers,
                const Job& job, std::int64_t& rowsBefore, Coordinates& out) const;
    /// Whether codes and zones help.
    bool isGuided(const RowGuide& guide) const;
    /// Hot elements of a segment of one plane.
    std::int64_t countGuided(const Segment& segment, const RowGuide& guide, Scratch& scratch) const;
    /// The parts of a segment (of one plane) in which zones allow hot elements: use(first, n), offsets within the plane.
    template <class Use>
    void forHotZones(std::int64_t plane, std::int64_t first, std::int64_t n, const ZoneMap* zones, Use use) const;
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
