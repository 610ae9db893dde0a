// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/dense_tensor.h"
#include "core/engine/kernels_select.h"
#include "core/engine/operand.h"
#include "core/engine/part_passes.h"
#include "core/engine/part_walk.h"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace core {
namespace {

/// Smaller parts are read again from the caches.
constexpr std::int64_t streamedBytes = 8 << 20;

enum Slot : std::size_t { valuesSlot, otherSlot, conditionsSlot, countsSlot, updateSlot };

/// One pass over the new tensor's memory, and over that of the others as their axes come there.
class SelectPass
{
public:
    SelectPass(const PlaneGrid& grid, const PlaneGrid* other, const HotTest& test, const StoredUpdate& update,
               const PartCopy& copy)
        : m_grid(grid), m_test(test), m_update(update), m_copy(copy), m_walk(copy), m_reader(m_walk, grid),
          m_streams(grid.extents.elements() * itemSize(grid.dtype) >= streamedBytes)
    {
        if (other)
            m_other.emplace(m_walk, *other);
    }

    void run(const Workers& workers, const Job& job, Selected& result)
    {
        result.before.resize(static_cast<std::size_t>(m_grid.extents.planes()));
        result.after.resize(result.before.size());
        m_walk.forEachPart(workers, job, [&](std::int64_t first, std::int64_t n, Scratch& scratch) {
            const std::byte* const values = m_reader.read(first, n, scratch, valuesSlot);
            const std::byte* const other = m_other ? m_other->read(first, n, scratch, otherSlot) : nullptr;
            const int size = itemSize(m_grid.dtype);
            m_walk.forPieces(first, n, [&](const WalkPiece& piece) {
                const std::int64_t skip = (piece.first - first) * size;
                const UpdateRun run{values + skip, other ? other + skip : nullptr, piece.elements,
                                    m_copy.data() + piece.first * size, m_streams};
                if (piece.plane < 0)
                    return updateRows(run, piece, scratch, result);
                add(result, piece.plane, m_update(run, piece.plane % m_grid.extents.channels));
            });
            endStreams();
        });
    }

private:
    static void add(Selected& result, std::int64_t plane, const HitCounts& hits)
    {
        const auto at = static_cast<std::size_t>(plane);
        if (hits.before)
            std::atomic_ref(result.before[at]).fetch_add(hits.before, std::memory_order_relaxed);
        if (hits.after)
            std::atomic_ref(result.after[at]).fetch_add(hits.after, std::memory_order_relaxed);
    }

    void updateRows(const UpdateRun& run, const WalkPiece& piece, Scratch& scratch, Selected& result) const
    {
        const std::int64_t columns = piece.columns(itemSize(m_grid.dtype));
        auto* const conditions = scratch.take<std::uint32_t>(conditionsSlot, columns);
        std::fill_n(conditions, columns, 0u);
        if (m_test.isPerChannel()) {
            m_walk.forPlanes(piece.first, piece.row, [&](std::int64_t column, std::int64_t n, std::int64_t plane) {
                const std::size_t condition = m_test.conditionOf(plane % m_grid.extents.channels);
                std::fill_n(conditions + column, n, static_cast<std::uint32_t>(condition));
            });
            for (std::int64_t i = piece.row; i < columns; ++i)
                conditions[i] = conditions[i - piece.row];
        }
        auto* const before = scratch.take<std::uint32_t>(countsSlot, 2 * columns);
        std::uint32_t* const after = before + columns;
        std::fill_n(before, 2 * columns, 0u);
        m_update({run, {conditions, static_cast<std::size_t>(columns)}, before, after}, scratch, updateSlot);
        for (std::int64_t i = piece.row; i < columns; ++i) {
            before[i % piece.row] += before[i];
            after[i % piece.row] += after[i];
        }
        m_walk.forPlanes(piece.first, piece.row, [&](std::int64_t column, std::int64_t n, std::int64_t plane) {
            add(result, plane,
                {std::accumulate(before + column, before + column + n, std::int64_t{0}),
                 std::accumulate(after + column, after + column + n, std::int64_t{0})});
        });
    }

    const PlaneGrid& m_grid;
    const HotTest& m_test;
    const StoredUpdate& m_update;
    const PartCopy& m_copy;
    PartWalk m_walk;
    WalkReader m_reader;
    std::optional<WalkReader> m_other;
    bool m_streams;
};

} // namespace

void updatePart(const PlaneGrid& grid, const PlaneGrid* other, const HotTest& test, const StoredUpdate& update,
                const PartCopy& copy, const Workers& workers, const Job& job, Selected& result)
{
    SelectPass(grid, other, test, update, copy).run(workers, job, result);
}

Selected DenseTensor::select(const SelectQuery& query, const Job& job) const
{
    std::optional<PlaneGrid> other;
    if (query.update == Update::replace)
        other.emplace(operandGrid(*this, query.other));
    m_tensor.storage().verify();
    const HotTest test = makeTest(query.where, job);
    const StoredUpdate update(query, test, dtype());
    PartCopy copy(m_tensor, m_selection, m_copies);
    Selected result;
    updatePart(m_grid, other ? &*other : nullptr, test, update, copy, *m_workers, job, result);
    m_tensor.storage().verify();
    if (other)
        query.other->dense()->storage().verify();
    result.values = std::move(copy).take();
    return result;
}

} // namespace core
