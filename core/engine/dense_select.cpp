// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/block_reader.h"
#include "core/engine/dense_tensor.h"
#include "core/engine/kernels_select.h"
#include "core/engine/operand.h"
#include "core/engine/part_passes.h"

#include <atomic>

namespace core {
namespace {

constexpr std::size_t otherSlot = 3;
constexpr std::size_t updatedSlot = 4;
/// Smaller parts are read again from the caches.
constexpr std::int64_t streamedBytes = 8 << 20;

/// One pass: block by block the planes are read as stored, updated, and put where they belong.
class SelectPass
{
public:
    SelectPass(const PlaneGrid& grid, const PlaneGrid* other, const PartCopy& copy)
        : m_grid(grid), m_reader(grid), m_copy(copy), m_streams(grid.extents.elements() * itemSize(grid.dtype) >= streamedBytes)
    {
        if (other)
            m_other.emplace(*other);
    }

    void run(const StoredUpdate& update, const Workers& workers, const Job& job, Selected& result)
    {
        const Extents& extents = m_grid.extents;
        result.before.resize(static_cast<std::size_t>(extents.planes()));
        result.after.resize(result.before.size());
        BlockNeeds needs;
        needs.add(m_copy.grid());
        if (m_other)
            needs.add(m_other->grid());
        forEachPlace(m_reader, m_reader.plan(needs), workers, job,
                     [&](const BlockPlace& place, Scratch& scratch) { updateBlock(update, place, scratch, result); });
    }

private:
    void updateBlock(const StoredUpdate& update, const BlockPlace& place, Scratch& scratch, Selected& result)
    {
        const int size = itemSize(m_grid.dtype);
        const ValueBlock values = m_reader.readStored(place, scratch);
        const ValueBlock other = m_other ? m_other->readStored(place, scratch, otherSlot) : ValueBlock{};
        m_copy.fill(place, scratch, updatedSlot, [&](std::int64_t b, std::int64_t c, std::byte* to) {
            const std::int64_t channel = place.channel + c;
            UpdateRun run;
            run.values = values.values + values.at(b, c) * size;
            run.other = other.values ? other.values + other.at(b, c) * size : nullptr;
            run.elements = place.elements;
            run.streams = m_streams && m_copy.isDirect();
            run.to = to;
            const HitCounts hits = update(run, channel);
            const auto plane = static_cast<std::size_t>((place.batch + b) * m_grid.extents.channels + channel);
            std::atomic_ref(result.before[plane]).fetch_add(hits.before, std::memory_order_relaxed);
            std::atomic_ref(result.after[plane]).fetch_add(hits.after, std::memory_order_relaxed);
        });
    }

    const PlaneGrid& m_grid;
    BlockReader m_reader;
    std::optional<BlockReader> m_other;
    const PartCopy& m_copy;
    bool m_streams;
};

} // namespace

void updatePart(const PlaneGrid& grid, const PlaneGrid* other, const StoredUpdate& update, const PartCopy& copy,
                const Workers& workers, const Job& job, Selected& result)
{
    SelectPass(grid, other, copy).run(update, workers, job, result);
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
    updatePart(m_grid, other ? &*other : nullptr, update, copy, *m_workers, job, result);
    m_tensor.storage().verify();
    if (other)
        query.other->dense()->storage().verify();
    result.values = std::move(copy).take();
    return result;
}

} // namespace core
