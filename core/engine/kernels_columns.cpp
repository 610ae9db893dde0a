// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_columns.h"
#include "core/engine/plain_operations.h"
#include "core/engine/stored_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_columns.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/update_lanes-inl.h"

#include <hwy/cache_control.h>

#ifndef ACTISCOPE_KERNELS_COLUMNS_ONCE
#define ACTISCOPE_KERNELS_COLUMNS_ONCE
namespace core {
namespace {

template <class Stored>
struct ColumnsEntry
{
    bool (*update)(const ColumnRun&, const ColumnBounds<Stored>&, const ElementUpdate<CompareOf<Stored>>&);
};
using ColumnsTable = StoredTable<ColumnsEntry>;

/// Whether every row of a run begins at a multiple of 64 bytes.
bool isAligned(const std::byte* to, std::int64_t rowBytes, std::int64_t bytes)
{
    return reinterpret_cast<std::uintptr_t>(to) % 64 == 0 && (rowBytes % 64 == 0 || rowBytes >= bytes);
}

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

template <class Stored>
bool updateAny(const ColumnRun&, const ColumnBounds<Stored>&, const ElementUpdate<CompareOf<Stored>>&)
{
    return false;
}

void chooseBytes(const std::byte* first, const std::byte* second, const std::uint8_t* mask, std::int64_t columns,
                 std::int64_t bytes, std::byte* to)
{
    for (std::int64_t i = 0; i < bytes; ++i)
        to[i] = mask[i % columns] ? second[i] : first[i];
}

#else

/// Rows of a run.
template <class Stored, Update kind>
class Rows
{
    using D = LaneTag<Stored>;
    using Lane = hn::TFromD<D>;
    using V = hn::Vec<D>;
    using M = hn::Mask<D>;
    using DCount = hn::RebindToUnsigned<D>;
    using Count = hn::TFromD<DCount>;
    static constexpr auto size = static_cast<std::int64_t>(sizeof(Stored));
    static constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
    static constexpr std::int64_t mostRows = sizeof(Count) == 1 ? 255 : sizeof(Count) == 2 ? 65535 : 1 << 30;

public:
    Rows(const ColumnRun& run, const ColumnBounds<Stored>& bounds, const ElementUpdate<CompareOf<Stored>>& update)
        : m_run(run), m_bounds(bounds), m_update(update), m_notInvert(allLanes(D(), !bounds.invert)),
          m_nanHot(allLanes(D(), bounds.nanHot)), m_before(reinterpret_cast<Count*>(run.counters[0])),
          m_after(reinterpret_cast<Count*>(run.counters[1]))
    {
    }

    void copy()
    {
        const std::int64_t n = m_run.run.elements;
        const std::int64_t columns = m_run.columns;
        const bool streams = m_run.run.streams && isAligned(m_run.run.to, columns * size, n * size);
        clear();
        std::int64_t rows = 0;
        for (std::int64_t first = 0; first < n; first += columns) {
            if (streams)
                row<true>(first, std::min(columns, n - first));
            else
                row<false>(first, std::min(columns, n - first));
            if (++rows == mostRows) {
                flush();
                clear();
                rows = 0;
            }
        }
        flush();
    }

private:
    void clear()
    {
        const auto bytes = static_cast<std::size_t>(m_run.columns) * sizeof(Count);
        std::memset(m_before, 0, bytes);
        if (kind != Update::set)
            std::memset(m_after, 0, bytes);
    }

    void flush()
    {
        for (std::int64_t i = 0; i < m_run.columns; ++i)
            m_run.before[i] += static_cast<std::uint32_t>(m_before[i]);
        if (kind != Update::set)
            for (std::int64_t i = 0; i < m_run.columns; ++i)
                m_run.after[i] += static_cast<std::uint32_t>(m_after[i]);
    }

    HWY_INLINE M test(V v, V lo, V hi) const
    {
        if constexpr (std::is_floating_point_v<Stored>) {
            return hot(hn::And(hn::Ge(v, lo), hn::Le(v, hi)), hn::IsNaN(v));
        } else if constexpr (std::is_integral_v<Stored>) {
            return hn::Xor(hn::Or(hn::Lt(v, lo), hn::Lt(hi, v)), m_notInvert);
        } else {
            const V keys = keysOf(v);
            return hot(hn::Not(hn::Or(hn::Lt(keys, lo), hn::Lt(hi, keys))), isNanKey<Stored>(keys));
        }
    }

    HWY_INLINE M hot(M within, M nan) const
    {
        return hn::Or(hn::And(nan, m_nanHot), hn::AndNot(nan, hn::Not(hn::Xor(within, m_notInvert))));
    }

    HWY_INLINE void count(Count* at, M hot) const
    {
        const DCount d;
        const auto counts = hn::LoadU(d, at);
        const auto mask = hn::RebindMask(d, hot);
        if constexpr (sizeof(Count) >= 4)
            hn::StoreU(addOne(d, counts, mask), d, at);
        else
            hn::StoreU(hn::Sub(counts, hn::VecFromMask(d, mask)), d, at);
    }

    /// The updated values of one vector, counted where `seen`.
    HWY_INLINE V next(V v, const std::byte* other, std::int64_t column, M seen) const
    {
        const D d;
        const auto lo = hn::LoadU(d, m_bounds.lo + column);
        const auto hi = hn::LoadU(d, m_bounds.hi + column);
        const M changes = hn::And(test(v, lo, hi), seen);
        count(m_before + column, changes);
        const V changed = m_update(v, other);
        if constexpr (kind != Update::set)
            count(m_after + column, hn::And(changes, test(changed, lo, hi)));
        return hn::IfThenElse(changes, changed, v);
    }

    template <bool streams>
    HWY_INLINE void row(std::int64_t first, std::int64_t columns)
    {
        const D d;
        const UpdateRun& run = m_run.run;
        const std::int64_t skip = first * size;
        const M all = allLanes(d, true);
        std::int64_t i = 0;
        for (; i + lanes <= columns; i += lanes) {
            const std::int64_t at = skip + i * size;
            const V v = hn::LoadU(d, reinterpret_cast<const Lane*>(run.values + at));
            const V result = next(v, run.other ? run.other + at : nullptr, i, all);
            auto* const to = reinterpret_cast<Lane*>(run.to + at);
            if constexpr (streams)
                hn::Stream(result, d, to);
            else
                hn::StoreU(result, d, to);
        }
        if (i < columns)
            rest(first + i, i, columns - i);
    }

    /// Less than a vector, by way of memory that is a whole one.
    void rest(std::int64_t first, std::int64_t column, std::int64_t n)
    {
        const D d;
        const UpdateRun& run = m_run.run;
        const auto bytes = static_cast<std::size_t>(n * size);
        HWY_ALIGN Lane values[static_cast<std::size_t>(lanes)] = {};
        HWY_ALIGN Lane other[static_cast<std::size_t>(lanes)] = {};
        std::memcpy(values, run.values + first * size, bytes);
        if (run.other)
            std::memcpy(other, run.other + first * size, bytes);
        const V result = next(hn::Load(d, values), reinterpret_cast<const std::byte*>(other), column,
                              hn::FirstN(d, static_cast<std::size_t>(n)));
        hn::Store(result, d, values);
        std::memcpy(run.to + first * size, values, bytes);
    }

    const ColumnRun& m_run;
    const ColumnBounds<Stored> m_bounds;
    const UpdateLanes<Stored, kind> m_update;
    const M m_notInvert;
    const M m_nanHot;
    Count* const m_before;
    Count* const m_after;
};

template <class Stored, Update kind>
bool updateBy(const ColumnRun& run, const ColumnBounds<Stored>& bounds, const ElementUpdate<CompareOf<Stored>>& update)
{
    if constexpr (UpdateLanes<Stored, kind>::exists)
        Rows<Stored, kind>(run, bounds, update).copy();
    return UpdateLanes<Stored, kind>::exists;
}

template <class Stored>
bool updateAny(const ColumnRun& run, const ColumnBounds<Stored>& bounds, const ElementUpdate<CompareOf<Stored>>& update)
{
    return withUpdate(update.kind, [&](auto kind) { return updateBy<Stored, kind>(run, bounds, update); });
}

template <bool streams>
void chooseRow(const std::byte* first, const std::byte* second, const std::uint8_t* mask, std::int64_t bytes, std::byte* to)
{
    const hn::ScalableTag<std::uint8_t> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= bytes; i += lanes) {
        const auto a = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(first + i));
        const auto b = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(second + i));
        const auto m = hn::LoadU(d, mask + i);
        const auto chosen = hn::Or(hn::And(m, b), hn::AndNot(m, a));
        if constexpr (streams)
            hn::Stream(chosen, d, reinterpret_cast<std::uint8_t*>(to + i));
        else
            hn::StoreU(chosen, d, reinterpret_cast<std::uint8_t*>(to + i));
    }
    for (; i < bytes; ++i)
        to[i] = mask[i] ? second[i] : first[i];
}

void chooseBytes(const std::byte* first, const std::byte* second, const std::uint8_t* mask, std::int64_t columns,
                 std::int64_t bytes, std::byte* to)
{
    const bool streams = isAligned(to, columns, bytes);
    for (std::int64_t i = 0; i < bytes; i += columns) {
        const std::int64_t n = std::min(columns, bytes - i);
        if (streams)
            chooseRow<true>(first + i, second + i, mask, n, to + i);
        else
            chooseRow<false>(first + i, second + i, mask, n, to + i);
    }
}

#endif

template <class Stored>
constexpr ColumnsEntry<Stored> columnsEntry{&updateAny<Stored>};

#define ACTISCOPE_ENTRY(Stored) columnsEntry<Stored>,
constexpr ColumnsTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const ColumnsTable* columnsTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(columnsTable);
HWY_EXPORT(chooseBytes);

template <class Stored>
bool updateColumns(const ColumnRun& run, const ColumnBounds<Stored>& bounds, const ElementUpdate<CompareOf<Stored>>& update)
{
    return HWY_DYNAMIC_DISPATCH(columnsTable)()->of<Stored>().update(run, bounds, update);
}

void streamChosen(const std::byte* first, const std::byte* second, const std::uint8_t* mask, std::int64_t columns,
                  std::int64_t bytes, std::byte* to)
{
    HWY_DYNAMIC_DISPATCH(chooseBytes)(first, second, mask, columns, bytes, to);
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template bool updateColumns<Stored>(const ColumnRun&, const ColumnBounds<Stored>&, const ElementUpdate<CompareOf<Stored>>&);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif
