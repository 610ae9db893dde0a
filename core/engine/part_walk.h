// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/part_copy.h"

#include <algorithm>
#include <array>
#include <functional>

namespace core {

/// Some elements of a PartCopy that follow each other in its memory: one part of one plane, or rows of many planes in turn.
struct WalkPiece
{
    /// The first one, counted in memory.
    std::int64_t first = 0;
    std::int64_t elements = 0;
    /// Elements after which the same planes come again in the same order; `elements` when that is not within the piece.
    std::int64_t row = 0;
    /// The plane of the first one, batch-major, when all are of one plane; else -1.
    std::int64_t plane = -1;

    /// Of several planes: the row as often as makes whole lines of the cache, where that is not too many elements.
    std::int64_t columns(std::int64_t itemSize) const;
};

/// The elements of a part as they come in the memory of its new copy, for passes that take elements in any order: a source
/// whose axes come in the same order is then read from end to end.
class PartWalk
{
public:
    /// Keeps a reference.
    explicit PartWalk(const PartCopy& copy);

    std::int64_t elements() const { return m_elements; }
    /// Elements of the copy with its planes, or of another tensor of these extents, in the copy's order.
    StridedOrder orderOf(const PlaneGrid& grid) const;
    /// Calls work(first, n, scratch) for parts that make up all elements, on several threads, in no order.
    void forEachPart(const Workers& workers, const Job& job,
                     const std::function<void(std::int64_t, std::int64_t, Scratch&)>& work) const;
    /// Calls use(piece) for the pieces that elements [first, first + n) make up, in order.
    template <class Use>
    void forPieces(std::int64_t first, std::int64_t n, Use use) const
    {
        // Which matters where pieces are runs.
        RunCursor run(*this, first);
        for (const std::int64_t end = first + n; first < end; run.next()) {
            WalkPiece piece;
            piece.first = first;
            piece.elements = std::min(end - first, m_segment - first % m_segment);
            piece.row = std::min(m_row, piece.elements);
            piece.plane = m_isInterleaved ? -1 : run.plane();
            use(piece);
            first += piece.elements;
        }
    }
    /// Calls use(column, n, plane) for the runs of one plane each that the first `columns` elements of a piece make up.
    template <class Use>
    void forPlanes(std::int64_t first, std::int64_t columns, Use use) const
    {
        RunCursor run(*this, first);
        for (std::int64_t i = 0; i < columns; run.next()) {
            const std::int64_t n = std::min(columns - i, m_run - (first + i) % m_run);
            use(i, n, run.plane());
            i += n;
        }
    }

private:
    struct Axis
    {
        /// Batch, channel, depth, height, width.
        std::size_t role;
        std::int64_t extent;
        /// Planes from one index to the next; 0 within a plane.
        std::int64_t planes;
    };

    /// Goes from run to run of one plane each.
    class RunCursor
    {
    public:
        RunCursor(const PartWalk& walk, std::int64_t element);

        std::int64_t plane() const { return m_plane; }
        void next()
        {
            for (std::size_t i = 0; i < m_count; ++i) {
                Place& place = m_places[i];
                m_plane += place.planes;
                if (++place.index < place.extent)
                    return;
                m_plane -= place.extent * place.planes;
                place.index = 0;
            }
        }

    private:
        struct Place
        {
            std::int64_t extent;
            std::int64_t planes;
            std::int64_t index;
        };
        /// Of the axes outside a run, innermost first.
        std::array<Place, 5> m_places;
        std::size_t m_count = 0;
        std::int64_t m_plane = 0;
    };

    /// Outermost first; those of more than one index.
    std::vector<Axis> m_axes;
    std::int64_t m_elements;
    /// Elements of a part.
    std::int64_t m_part;
    /// Elements of one plane that follow each other.
    std::int64_t m_run = 1;
    std::int64_t m_row = 1;
    /// Elements that one piece may hold: rows that repeat, or those of one run.
    std::int64_t m_segment = 1;
    bool m_isInterleaved = false;
};

/// Reads the elements of a grid in the order of a walk, as stored.
class WalkReader
{
public:
    /// Keeps a reference to the grid.
    WalkReader(const PartWalk& walk, const PlaneGrid& grid) : m_grid(grid), m_order(walk.orderOf(grid)) {}

    /// Whether read() returns the tensor's own memory.
    bool isDirect() const { return m_order.isContiguous(); }
    /// Elements [first, first + n): in place, else in a slot of `scratch`.
    const std::byte* read(std::int64_t first, std::int64_t n, Scratch& scratch, std::size_t slot) const;

private:
    const PlaneGrid& m_grid;
    StridedOrder m_order;
};

} // namespace core
