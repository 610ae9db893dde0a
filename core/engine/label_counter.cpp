// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/label_counter.h"

#include "core/engine/kernels_labels.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace core {
namespace {

/// Elements read at once: they stay in a core's cache while their range is found and they are counted.
constexpr std::int64_t pieceElements = 1 << 12;
/// Longest range of ids that is counted in a table.
constexpr std::uint64_t mostIds = std::uint64_t{1} << 22;

template <class Id>
Id idAt(const std::byte* values, std::int64_t index)
{
    Id id;
    std::memcpy(&id, values + index * static_cast<std::int64_t>(sizeof id), sizeof id);
    return id;
}

/// Counts of the ids of a range that grows as they come.
template <class Id>
class IdTable
{
public:
    /// Makes room for a range; false where that is too long for a table.
    bool cover(const IdRange<Id>& range)
    {
        if (!m_counts.empty() && m_range.min <= range.min && range.max <= m_range.max)
            return true;
        IdRange<Id> wanted =
            m_counts.empty() ? range : IdRange<Id>{std::min(m_range.min, range.min), std::max(m_range.max, range.max)};
        if (distance(wanted.max, wanted.min) >= mostIds)
            return false;
        if (const IdRange<Id> roomy = withRoom(wanted); distance(roomy.max, roomy.min) < mostIds)
            wanted = roomy;
        std::vector<std::uint32_t> counts(distance(wanted.max, wanted.min) + 1);
        std::copy(m_counts.begin(), m_counts.end(),
                  counts.begin() + static_cast<std::ptrdiff_t>(m_counts.empty() ? 0 : distance(m_range.min, wanted.min)));
        m_counts.swap(counts);
        m_range = wanted;
        return true;
    }

    /// Ids within the range covered.
    void add(const std::byte* values, std::int64_t n)
    {
        std::uint32_t* const counts = m_counts.data();
        const Id first = m_range.min;
        for (std::int64_t i = 0; i < n; ++i)
            ++counts[distance(idAt<Id>(values, i), first)];
    }

    IdCounts list() const
    {
        IdCounts out;
        for (std::size_t i = 0; i < m_counts.size(); ++i)
            if (m_counts[i] > 0)
                out.emplace_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(m_range.min) + i), m_counts[i]);
        return out;
    }

private:
    static std::uint64_t distance(Id id, Id first)
    {
        return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first);
    }

    /// As much again at the side that grows: ids that ascend do not have the table copied every time.
    IdRange<Id> withRoom(IdRange<Id> range) const
    {
        const auto step = static_cast<std::uint64_t>(m_counts.size());
        if (step > 0 && range.max > m_range.max)
            range.max = distance(std::numeric_limits<Id>::max(), range.max) > step
                            ? static_cast<Id>(range.max + static_cast<Id>(step))
                            : std::numeric_limits<Id>::max();
        if (step > 0 && range.min < m_range.min)
            range.min = distance(range.min, std::numeric_limits<Id>::min()) > step
                            ? static_cast<Id>(range.min - static_cast<Id>(step))
                            : std::numeric_limits<Id>::min();
        return range;
    }

    IdRange<Id> m_range{};
    std::vector<std::uint32_t> m_counts;
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

    void addAll(const IdCounts& counts)
    {
        for (const auto& [id, count] : counts)
            add(id, count);
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

/// Counts of the elements [first, end) in own order: in a table as long as their range is short.
template <class Id>
IdCounts countPart(const BlockReader& reader, std::int64_t first, std::int64_t end, Scratch& scratch, const Job& job)
{
    IdTable<Id> table;
    IdHash hash;
    bool isTable = true;
    for (std::int64_t pieces = 0; first < end; first += pieceElements, ++pieces) {
        if (pieces % 16 == 0)
            job.check();
        const std::int64_t n = std::min(pieceElements, end - first);
        const std::byte* const values = reader.readOwn(first, n, scratch);
        if (isTable && !table.cover(idRange<Id>(values, n))) {
            isTable = false;
            hash.addAll(table.list());
        }
        if (isTable)
            table.add(values, n);
        else
            addToHash<Id>(values, n, hash);
    }
    return isTable ? table.list() : hash.list();
}

/// The counts of all parts together.
IdCounts together(const std::vector<IdCounts>& parts)
{
    if (parts.size() == 1)
        return parts.front();
    IdHash all;
    for (const IdCounts& part : parts)
        all.addAll(part);
    return all.list();
}

template <class Id>
IdCounts count(const BlockReader& reader, const Workers& workers, const Job& job)
{
    const std::int64_t all = reader.grid().own.elements();
    if (reader.grid().extents.elements() == 0)
        return {};
    // Few and large: each part has a table of its own. Its counts are 32 bits wide.
    const std::int64_t share = all / (2 * workers.threads()) / pieceElements + 1;
    const std::int64_t elements = std::min(share, (std::int64_t{1} << 31) / pieceElements) * pieceElements;
    std::vector<IdCounts> parts(static_cast<std::size_t>((all + elements - 1) / elements));
    workers.forEach(static_cast<std::int64_t>(parts.size()), job, [&](std::int64_t item, Scratch& scratch) {
        parts[static_cast<std::size_t>(item)] =
            countPart<Id>(reader, item * elements, std::min(all, (item + 1) * elements), scratch, job);
    });
    return together(parts);
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

LabelCounts countIds(const PlaneGrid& grid, const Workers& workers, const Job& job)
{
    const DType dtype = grid.dtype;
    // In any order.
    PlaneGrid inMemory = grid;
    inMemory.own = grid.own.inMemoryOrder();
    const BlockReader reader(inMemory);
    IdCounts counts = withSeenType(dtype, [&](auto seen) -> IdCounts {
        if constexpr (std::is_integral_v<decltype(seen)>)
            return count<decltype(seen)>(reader, workers, job);
        else
            return {};
    });
    if (dtype == DType::boolean)
        counts = truthCounts(counts);
    return listIds(std::move(counts), dtype);
}

} // namespace core
