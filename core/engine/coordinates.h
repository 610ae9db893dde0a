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

/// How planes come in the order of a tensor's own axes: batch items and channels before the pixels, and those after them.
class PlaneOrder
{
public:
    PlaneOrder(const PlaneGrid& grid, const Shape& shape, const Selection& selection);

    /// Whether pixels come in the order of a plane, so that a stretch of own order is one of pixels through all inner planes.
    bool hasPixelsInOrder() const { return m_hasPixelsInOrder; }
    std::int64_t outerPlanes() const { return m_outerPlanes; }
    std::int64_t innerPlanes() const { return m_innerPlanes; }
    /// Number (batch-major) of a plane by its place in own order.
    std::int64_t plane(std::int64_t outer, std::int64_t inner) const
    {
        return numberOf(m_outer, outer) + numberOf(m_inner, inner);
    }

private:
    struct Axis
    {
        std::int64_t extent;
        /// In numbers of planes.
        std::int64_t step;
    };
    static std::int64_t numberOf(const std::vector<Axis>& axes, std::int64_t place);

    std::vector<Axis> m_outer;
    std::vector<Axis> m_inner;
    std::int64_t m_outerPlanes = 1;
    std::int64_t m_innerPlanes = 1;
    bool m_hasPixelsInOrder = true;
};

/// Lists hot elements of a strided tensor in torch.nonzero's order over the selected part.
class RowScanner
{
public:
    RowScanner(const PlaneGrid& grid, const HotTest& test, const Shape& shape, const Selection& selection);

    /// All rows, in blocks; the sink returns false to stop early.
    void stream(bool values, const std::function<bool(const RowBlock&)>& sink, const Workers& workers, const Job& job) const;
    /// Rows [window.first, window.first + window.count). What `guide` knows tells where to look.
    Coordinates window(const RowWindow& window, const RowGuide& guide, const Workers& workers, const Job& job) const;

private:
    /// A stretch of elements in own order, and its rows once listed.
    struct Segment;

    /// The next segments in [position, end), at most `most`; their memory is used again. byPixels: each holds whole pixels of
    /// all inner planes of one outer place.
    void cut(std::int64_t position, std::int64_t end, std::int64_t most, bool byPixels, std::vector<Segment>& segments) const;
    /// Pixels of a segment so cut where rows are listed; longer ones are only counted.
    std::int64_t pixelsOfSegment() const;
    /// Rows of the segments in [position, end) that lie in the window are appended; `rowsBefore` counts on.
    void search(std::int64_t position, std::int64_t end, const RowWindow& window, const RowGuide& guide, const Workers& workers,
                const Job& job, std::int64_t& rowsBefore, Coordinates& out) const;
    /// Whether codes and zones help.
    bool isGuided(const RowGuide& guide) const;
    /// Whether zones allow no hot elements in a segment cut by pixels.
    bool isCold(const Segment& segment, const ZoneMap* zones) const;
    /// Hot elements of a segment cut by pixels.
    std::int64_t countGuided(Segment& segment, const RowGuide& guide, Scratch& scratch) const;
    /// The parts of some pixels of a plane in which zones allow hot elements: use(first, n), offsets within the plane.
    template <class Use>
    void forHotZones(std::int64_t plane, std::int64_t first, std::int64_t n, const ZoneMap* zones, Use use) const;
    /// Marks the hot elements among `n` values that begin at a place in own order; returns their number.
    std::int64_t mark(const std::byte* values, std::int64_t first, std::int64_t n, std::uint64_t* words) const;
    /// The same of a segment.
    std::uint64_t* markSegment(Segment& segment, Scratch& scratch) const;
    /// Lists rows [from, from + rows) of a marked segment.
    void list(Segment& segment, const std::uint64_t* words, std::int64_t from, std::int64_t rows, bool values,
              Scratch& scratch) const;
    /// Marks of a segment cut by pixels whose rows are known, from codes where they tell (null: not).
    const std::uint64_t* marks(Segment& segment, const CodePlan* plan, Scratch& scratch) const;
    /// All rows of some segments, in order; words(segment, scratch) marks one and counts its rows. False: the sink stopped.
    bool deliver(std::vector<Segment>& segments, bool values, const std::function<bool(const RowBlock&)>& sink,
                 const Workers& workers, const Job& job,
                 const std::function<const std::uint64_t*(Segment&, Scratch&)>& words) const;
    /// stream() where what is near in memory is far apart in own order: several stretches of own order are read together.
    void streamTogether(const PlaneGrid& stretches, bool values, const std::function<bool(const RowBlock&)>& sink,
                        const Workers& workers, const Job& job) const;

    const PlaneGrid& m_grid;
    const HotTest& m_test;
    BlockReader m_reader;
    IndexWriter m_indices;
    PlaneOrder m_planes;
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
