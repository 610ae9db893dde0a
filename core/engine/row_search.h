// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/code_scan.h"
#include "core/engine/plane_order.h"
#include "core/engine/row_lister.h"

namespace core {

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

/// Finds rows of hot elements anywhere in torch.nonzero's order. What the guide knows tells where to look.
class RowSearch
{
public:
    RowSearch(const RowLister& lister, const PlaneOrder& planes, const RowGuide& guide, const Workers& workers, const Job& job);

    /// Rows [window.first, window.first + window.count).
    Coordinates find(const RowWindow& window);

private:
    /// Whether codes or zones help.
    bool isGuided() const;
    /// Pixels of a guided segment where rows are listed; longer ones are only counted.
    std::int64_t pixelsOfSegment() const;
    /// The next segments in [position, end). Guided ones hold whole pixels of all inner planes of one outer place.
    void cut(std::int64_t position, std::int64_t end, std::int64_t most, std::vector<RowSegment>& segments) const;
    /// Rows of the segments in [position, end) that lie in the window are appended; m_rowsBefore counts on.
    void search(std::int64_t position, std::int64_t end, const RowWindow& window, Coordinates& out);
    /// Whether zones allow no hot elements in a guided segment.
    bool isCold(const RowSegment& segment) const;
    /// Hot elements of a guided segment.
    std::int64_t count(RowSegment& segment, Scratch& scratch) const;
    /// The parts of some pixels of a plane in which zones allow hot elements: use(first, n), offsets within the plane.
    template <class Use>
    void forHotZones(std::int64_t plane, std::int64_t first, std::int64_t n, Use use) const;
    /// Marks of a segment whose rows are known, from codes where they tell.
    const std::uint64_t* marks(RowSegment& segment, Scratch& scratch) const;
    PlaneIndex planeAt(std::int64_t number) const;

    const RowLister& m_lister;
    const PlaneOrder& m_planes;
    const RowGuide& m_guide;
    const Workers& m_workers;
    const Job& m_job;
    const Extents& m_extents;
    const bool m_isGuided;
    std::int64_t m_rowsBefore = 0;
};

} // namespace core
