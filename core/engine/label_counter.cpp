// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/label_counter.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>

namespace core {
namespace {

/// Elements read at once.
constexpr std::int64_t pieceElements = 1 << 16;
/// Longest range of ids that is counted in a table.
constexpr std::uint64_t mostIds = std::uint64_t{1} << 22;

template <class Id>
Id idAt(const std::byte* values, std::int64_t index)
{
    Id id;
    std::memcpy(&id, values + index * static_cast<std::int64_t>(sizeof id), sizeof id);
    return id;
}

/// Calls count(values, n) for the elements [first, end) in pieces.
template <class Count>
void forPieces(const BlockReader& reader, std::int64_t first, std::int64_t end, const Job& job, Scratch& scratch, Count count)
{
    for (; first < end; first += pieceElements) {
        job.check();
        const std::int64_t n = std::min(pieceElements, end - first);
        count(reader.readOwn(first, n, scratch), n);
    }
}

/// Counts of the ids from `first` on. Short tables are kept four times: an id that follows itself does not wait for its count.
template <class Id>
class IdTable
{
public:
    IdTable(Id first, std::uint64_t ids, Scratch& scratch)
        : m_first(static_cast<std::uint64_t>(first)), m_step(ids <= shortTable ? static_cast<std::int64_t>(ids) : 0),
          m_ids(static_cast<std::int64_t>(ids)), m_size(m_step > 0 ? copies * m_step : m_ids),
          m_counts(scratch.take<std::uint32_t>(tableSlot, m_size))
    {
        std::fill_n(m_counts, m_size, 0);
    }

    void add(const std::byte* values, std::int64_t n)
    {
        std::uint32_t* const tables[copies] = {m_counts, m_counts + m_step, m_counts + 2 * m_step, m_counts + 3 * m_step};
        std::int64_t i = 0;
        for (; i + copies <= n; i += copies) {
#pragma GCC unroll 4
            for (int k = 0; k < copies; ++k)
                ++tables[k][place(idAt<Id>(values, i + k))];
        }
        for (; i < n; ++i)
            ++m_counts[place(idAt<Id>(values, i))];
    }

    /// Adds to the counts of all threads.
    void deliver(std::vector<std::int64_t>& counts) const
    {
        for (std::int64_t id = 0; id < m_ids; ++id) {
            std::int64_t count = 0;
            for (std::int64_t at = id; at < m_size; at += m_ids)
                count += m_counts[at];
            if (count > 0)
                std::atomic_ref(counts[static_cast<std::size_t>(id)]).fetch_add(count, std::memory_order_relaxed);
        }
    }

private:
    static constexpr int copies = 4;
    static constexpr std::uint64_t shortTable = 1 << 14;
    static constexpr std::size_t tableSlot = 2;

    std::uint64_t place(Id id) const
    {
        return static_cast<std::uint64_t>(id) - m_first;
    }

    std::uint64_t m_first;
    /// From one copy to the next; 0 for one copy.
    std::int64_t m_step;
    std::int64_t m_ids;
    std::int64_t m_size;
    std::uint32_t* m_counts;
};

/// Counts of ids that may lie anywhere, by their bits.
class IdHash
{
public:
    void add(std::int64_t id, std::int64_t count)
    {
        if (2 * (m_used + 1) > m_slots.size())
            grow();
        Slot& slot = find(id);
        m_used += slot.count == 0;
        slot.id = id;
        slot.count += count;
    }

    void addAll(const IdHash& other)
    {
        for (const Slot& slot : other.m_slots)
            if (slot.count > 0)
                add(slot.id, slot.count);
    }

    IdCounts list() const
    {
        IdCounts out;
        out.reserve(m_used);
        for (const Slot& slot : m_slots)
            if (slot.count > 0)
                out.emplace_back(slot.id, slot.count);
        return out;
    }

private:
    struct Slot
    {
        std::int64_t id = 0;
        /// 0: free.
        std::int64_t count = 0;
    };

    Slot& find(std::int64_t id)
    {
        // Knuth's multiplicative hash: the highest bits depend on all bits of the id.
        const std::size_t mask = m_slots.size() - 1;
        auto at = static_cast<std::size_t>(static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15u >> m_shift);
        while (m_slots[at].count > 0 && m_slots[at].id != id)
            at = (at + 1) & mask;
        return m_slots[at];
    }

    void grow()
    {
        std::vector<Slot> old(std::max<std::size_t>(2 * m_slots.size(), 1024));
        old.swap(m_slots);
        m_shift = 64 - std::countr_zero(m_slots.size());
        for (const Slot& slot : old)
            if (slot.count > 0)
                find(slot.id) = slot;
    }

    std::vector<Slot> m_slots;
    int m_shift = 0;
    std::size_t m_used = 0;
};

/// How the elements are shared out: few large items, since each ends with its counts being added to all.
struct Items
{
    std::int64_t count;
    std::int64_t elements;

    Items(std::int64_t all, std::int64_t least, const Workers& workers)
    {
        const std::int64_t share = all / (4 * workers.threads()) + 1;
        elements = (std::max(share, least) + pieceElements - 1) / pieceElements * pieceElements;
        // Counts of an item are 32 bits wide.
        elements = std::min(elements, std::int64_t{1} << 31);
        count = (all + elements - 1) / elements;
    }
};

template <class Id>
IdCounts countInTable(const BlockReader& reader, Id first, std::uint64_t ids, const Workers& workers, const Job& job)
{
    const std::int64_t all = reader.grid().own.elements();
    const Items items(all, 4 * static_cast<std::int64_t>(ids), workers);
    std::vector<std::int64_t> counts(ids);
    workers.forEach(items.count, job, [&](std::int64_t item, Scratch& scratch) {
        IdTable<Id> table(first, ids, scratch);
        forPieces(reader, item * items.elements, std::min(all, (item + 1) * items.elements), job, scratch,
                  [&](const std::byte* values, std::int64_t n) { table.add(values, n); });
        table.deliver(counts);
    });
    IdCounts out;
    for (std::size_t id = 0; id < ids; ++id)
        if (counts[id] > 0)
            out.emplace_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + id), counts[id]);
    return out;
}

template <class Id>
void addToHash(const std::byte* values, std::int64_t n, IdHash& hash)
{
    // Labels come in runs.
    for (std::int64_t i = 0; i < n;) {
        const Id id = idAt<Id>(values, i);
        std::int64_t run = 1;
        while (i + run < n && idAt<Id>(values, i + run) == id)
            ++run;
        hash.add(static_cast<std::int64_t>(id), run);
        i += run;
    }
}

template <class Id>
IdCounts countInHash(const BlockReader& reader, const Workers& workers, const Job& job)
{
    const std::int64_t all = reader.grid().own.elements();
    const Items items(all, pieceElements, workers);
    IdHash counts;
    std::mutex mutex;
    workers.forEach(items.count, job, [&](std::int64_t item, Scratch& scratch) {
        IdHash hash;
        forPieces(reader, item * items.elements, std::min(all, (item + 1) * items.elements), job, scratch,
                  [&](const std::byte* values, std::int64_t n) { addToHash<Id>(values, n, hash); });
        const std::lock_guard lock(mutex);
        counts.addAll(hash);
    });
    return counts.list();
}

template <class Id>
IdCounts count(const BlockReader& reader, const Statistics& all, const Workers& workers, const Job& job)
{
    if (!all.min)
        return {};
    const auto bits = [](const Scalar& value) {
        return std::visit([](auto v) { return static_cast<std::uint64_t>(v); }, value);
    };
    const std::uint64_t last = bits(*all.max) - bits(*all.min);
    if (last < mostIds)
        return countInTable<Id>(reader, static_cast<Id>(bits(*all.min)), last + 1, workers, job);
    return countInHash<Id>(reader, workers, job);
}

/// All that is not 0 is true.
IdCounts truthCounts(const IdCounts& counts)
{
    std::int64_t of[2] = {};
    for (const auto& [id, count] : counts)
        of[id != 0] += count;
    IdCounts out;
    for (const int id : {0, 1})
        if (of[id] > 0)
            out.emplace_back(id, of[id]);
    return out;
}

} // namespace

void checkIds(DType dtype)
{
    if (dtype != DType::boolean && !isInteger(dtype))
        throw Error(
            fmt::format("ids are whole numbers, and the tensor is {}: convert it to an integer dtype first", dtypeName(dtype)));
}

LabelCounts listIds(IdCounts counts, DType dtype)
{
    std::sort(counts.begin(), counts.end(), [&](const auto& a, const auto& b) {
        if (dtype == DType::u64)
            return static_cast<std::uint64_t>(a.first) < static_cast<std::uint64_t>(b.first);
        return a.first < b.first;
    });
    LabelCounts out;
    const auto size = static_cast<std::size_t>(itemSize(dtype));
    std::vector<std::byte> ids(counts.size() * size);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        // The low bytes of a little-endian number.
        std::memcpy(ids.data() + i * size, &counts[i].first, size);
        out.counts.push_back(counts[i].second);
    }
    out.ids = Tensor::contiguous(dtype, {static_cast<std::int64_t>(counts.size())}, Storage::fromVector(std::move(ids)));
    return out;
}

LabelCounts countIds(const BlockReader& reader, const Statistics& all, const Workers& workers, const Job& job)
{
    const DType dtype = reader.grid().dtype;
    auto counts = withSeenType(dtype, [&](auto seen) -> IdCounts {
        if constexpr (std::is_integral_v<decltype(seen)>)
            return count<decltype(seen)>(reader, all, workers, job);
        else
            return {};
    });
    if (dtype == DType::boolean)
        counts = truthCounts(counts);
    return listIds(std::move(counts), dtype);
}

} // namespace core
