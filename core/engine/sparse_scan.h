// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/engine/hot_test.h"
#include "core/engine/index_writer.h"
#include "core/engine/reductions.h"
#include "core/engine/sparse_entries.h"

namespace core {

/// A condition applied to the stored elements and to the implicit zeros of a sparse tensor. Costs what is stored, whatever the
/// number of planes, but for what lists them all.
class SparseMarks
{
public:
    /// Keeps references to the entries, `seen` (without a condition) and the test.
    SparseMarks(const SparseEntries& entries, const SeenEntries& seen, const HotTest& test, bool storedOnly, const Job& job);

    bool isHot(std::int64_t entry) const { return m_hot[static_cast<std::size_t>(entry)] != 0; }
    /// Whether an implicit zero of a channel is hot.
    bool isZeroHot(std::int64_t channel) const { return m_zeroHot[m_test.conditionOf(channel)]; }
    /// The first channel at or past `channel` whose implicit zeros are hot.
    std::optional<std::int64_t> nextZeroHot(std::int64_t channel) const;
    bool isAnyZeroHot() const;
    /// Implicit zeros are hot in some channels only.
    bool isMixed() const;
    /// Value of an entry as float64.
    double real(std::int64_t entry) const;
    Scalar scalar(std::int64_t entry) const;
    Scalar zero() const;
    const SparseEntries& entries() const { return m_entries; }

    /// Of all planes.
    std::int64_t count(const Job& job) const;
    /// Per plane, batch-major: as long as there are planes.
    std::vector<std::int64_t> counts(const Job& job) const;
    std::vector<Sum> hotSums(const Job& job) const;
    /// Map [N, H, W] or [N, D, H, W] of the hot elements (for all values, mark everything).
    Tensor heatMap(const HeatMapQuery& query, const Job& job) const;
    Tensor mask(PlaneIndex plane, const Job& job) const;

private:
    /// How many channels have hot implicit zeros.
    std::int64_t zeroHotChannels() const;
    void addBatch(std::int64_t batch, std::int64_t target, MapOutputs& out, const Job& job) const;

    const SparseEntries& m_entries;
    /// Complex values are seen through the condition.
    std::optional<SeenEntries> m_own;
    const SeenEntries& m_seen;
    const HotTest& m_test;
    std::vector<std::uint8_t> m_hot;
    /// Whether implicit zeros meet each condition of the test.
    std::vector<bool> m_zeroHot;
};

/// Lists hot elements in torch.nonzero's order over the selected part.
class SparseRows
{
public:
    SparseRows(const SparseMarks& marks, const Shape& shape, const Selection& selection);

    Coordinates window(const RowWindow& window, const Job& job) const;
    void stream(bool values, const std::function<bool(const RowBlock&)>& sink, const Job& job) const;

private:
    /// Where a listing stands: the next position in own order, and the next stored entry (counted in own order).
    struct Cursor
    {
        std::int64_t position = 0;
        std::int64_t entry = 0;
    };

    /// Moves on by up to `rows` hot elements; appends them to `out` unless it is null. Returns how many there were.
    std::int64_t advance(Cursor& cursor, std::int64_t rows, Coordinates* out, const Job& job) const;
    Cursor cursorAt(std::int64_t row, const Job& job) const;
    std::int64_t ownAt(std::int64_t i) const;
    /// The first position at or past one in a channel whose implicit zeros are hot; the end without one.
    std::int64_t nextZeroHot(std::int64_t position) const;
    void append(std::int64_t position, const Scalar& value, Coordinates& out) const;

    const SparseMarks& m_marks;
    IndexWriter m_indices;
    std::int64_t m_channelRun;
};

/// Throws Error when the planes are too many to be listed.
void checkPlanes(const Shape& shape, const Selection& selection, const Extents& extents);
/// Throws Error when a plane is too large for a picture (a side above 16,384).
void checkPictureSize(const Extents& extents);

} // namespace core
