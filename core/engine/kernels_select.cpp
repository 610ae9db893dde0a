// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_select.h"
#include "core/engine/plain_operations.h"
#include "core/engine/stored_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_select.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/update_lanes-inl.h"

#include <hwy/cache_control.h>

#ifndef ACTISCOPE_KERNELS_SELECT_ONCE
#define ACTISCOPE_KERNELS_SELECT_ONCE
namespace core {
namespace {

template <class Stored>
struct SelectEntry
{
    HitCounts (*update)(const UpdateRun&, const Predicate<CompareOf<Stored>>&, const ElementUpdate<CompareOf<Stored>>&);
};
using SelectTable = StoredTable<SelectEntry>;

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

template <class Stored>
constexpr SelectEntry<Stored> selectEntry{&plain::updateHot<Stored>};

void copyPast(const std::byte* from, std::int64_t bytes, std::byte* to)
{
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

#else

/// Bytes from an address to the next whole vector.
template <class D>
std::int64_t bytesToWhole(D d, const std::byte* at)
{
    const auto vector = static_cast<std::uintptr_t>(hn::Lanes(d) * sizeof(hn::TFromD<D>));
    return static_cast<std::int64_t>((vector - reinterpret_cast<std::uintptr_t>(at) % vector) % vector);
}

/// The elements [first, end) of a run, by way of memory that is a whole vector.
template <class Stored, Update kind, bool simple>
HWY_NOINLINE void updateRest(const UpdateRun& run, std::int64_t first, std::int64_t end, const HotLanes<Stored, simple>& test,
                             const UpdateLanes<Stored, kind>& update, HitCounts& hits)
{
    using Lane = hn::TFromD<LaneTag<Stored>>;
    const LaneTag<Stored> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    constexpr auto size = static_cast<std::int64_t>(sizeof(Stored));
    HWY_ALIGN Lane values[static_cast<std::size_t>(lanes)] = {};
    HWY_ALIGN Lane other[static_cast<std::size_t>(lanes)] = {};
    for (std::int64_t i = first; i < end; i += lanes) {
        const std::int64_t n = std::min(lanes, end - i);
        const auto bytes = static_cast<std::size_t>(n * size);
        std::memcpy(values, run.values + i * size, bytes);
        if (run.other)
            std::memcpy(other, run.other + i * size, bytes);
        const auto value = hn::Load(d, values);
        const auto hot = hn::And(test(value), hn::FirstN(d, static_cast<std::size_t>(n)));
        const auto next = update(value, reinterpret_cast<const std::byte*>(other));
        hits.before += static_cast<std::int64_t>(hn::CountTrue(d, hot));
        if constexpr (kind != Update::set)
            hits.after += static_cast<std::int64_t>(hn::CountTrue(d, hn::And(hot, test(next))));
        hn::Store(hn::IfThenElse(hot, next, value), d, values);
        std::memcpy(run.to + i * size, values, bytes);
    }
}

/// Shorter runs leave plainly: lines that two of them share would go to memory in parts.
constexpr std::int64_t shortBytes = 4096;

/// How results leave: in place only where something changes; past the caches; or plainly.
enum class Leave { inPlace, streaming, storing };

/// The whole cache lines of a run from element `first` on; returns the element behind them.
template <class Stored, Update kind, bool simple, Leave leave>
HWY_NOINLINE std::int64_t updateLines(const UpdateRun& run, std::int64_t first, const HotLanes<Stored, simple>& test,
                                      const UpdateLanes<Stored, kind>& update, HitCounts& hits)
{
    using Lane = hn::TFromD<LaneTag<Stored>>;
    const LaneTag<Stored> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    constexpr auto size = static_cast<std::int64_t>(sizeof(Stored));
    constexpr std::int64_t line = std::max(lanes, 64 / size);
    constexpr int vectors = line / lanes;
    std::int64_t i = first;
    for (; i + line <= run.elements; i += line) {
        const auto* const from = reinterpret_cast<const Lane*>(run.values + i * size);
        auto* const to = reinterpret_cast<Lane*>(run.to + i * size);
        std::uint64_t bits[vectors];
        std::uint64_t any = 0;
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            bits[v] = bitsOf(d, test(hn::LoadU(d, from + v * lanes)));
            any |= bits[v];
            hits.before += __builtin_popcountll(bits[v]);
        }
        if (leave == Leave::inPlace && any == 0)
            continue;
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            const auto value = hn::LoadU(d, from + v * lanes);
            const auto next = update(value, run.other ? run.other + (i + v * lanes) * size : nullptr);
            // What is set is hot everywhere or nowhere.
            if constexpr (kind != Update::set)
                hits.after += __builtin_popcountll(bits[v] & bitsOf(d, test(next)));
            const auto result = hn::IfThenElse(test(value), next, value);
            if constexpr (leave == Leave::streaming)
                hn::Stream(result, d, to + v * lanes);
            else
                hn::StoreU(result, d, to + v * lanes);
        }
    }
    return i;
}

template <class Stored, Update kind, bool simple>
HitCounts updateLanes(const UpdateRun& run, const Predicate<CompareOf<Stored>>& predicate,
                      const ElementUpdate<CompareOf<Stored>>& update)
{
    constexpr auto size = static_cast<std::int64_t>(sizeof(Stored));
    const HotLanes<Stored, simple> test(predicate);
    const UpdateLanes<Stored, kind> lanesUpdate(update);
    const std::int64_t lead = bytesToWhole(LaneTag<Stored>(), run.to);
    const bool inPlace = run.to == run.values;
    const bool streams = run.streams && lead % size == 0 && !inPlace && run.elements * size >= shortBytes;
    HitCounts hits;
    std::int64_t i = streams ? std::min(lead / size, run.elements) : 0;
    updateRest<Stored, kind, simple>(run, 0, i, test, lanesUpdate, hits);
    if (inPlace) {
        i = updateLines<Stored, kind, simple, Leave::inPlace>(run, i, test, lanesUpdate, hits);
    } else if (streams) {
        i = updateLines<Stored, kind, simple, Leave::streaming>(run, i, test, lanesUpdate, hits);
    } else {
        i = updateLines<Stored, kind, simple, Leave::storing>(run, i, test, lanesUpdate, hits);
    }
    updateRest<Stored, kind, simple>(run, i, run.elements, test, lanesUpdate, hits);
    if (kind == Update::set)
        hits.after = predicate(update.value) ? hits.before : 0;
    return hits;
}

template <class Stored, Update kind>
HitCounts updateBy(const UpdateRun& run, const Predicate<CompareOf<Stored>>& predicate,
                   const ElementUpdate<CompareOf<Stored>>& update)
{
    if constexpr (!UpdateLanes<Stored, kind>::exists)
        return plain::updateHot<Stored>(run, predicate, update);
    // The usual test of the usual types is worth code of its own.
    if constexpr (std::is_floating_point_v<Stored>)
        if (isSimple<Stored>(predicate))
            return updateLanes<Stored, kind, true>(run, predicate, update);
    if constexpr (UpdateLanes<Stored, kind>::exists)
        return updateLanes<Stored, kind, false>(run, predicate, update);
}

template <class Stored>
HitCounts updateAny(const UpdateRun& run, const Predicate<CompareOf<Stored>>& predicate,
                    const ElementUpdate<CompareOf<Stored>>& update)
{
    return withUpdate(update.kind, [&](auto kind) { return updateBy<Stored, kind>(run, predicate, update); });
}

template <class Stored>
constexpr SelectEntry<Stored> selectEntry{&updateAny<Stored>};

void copyPast(const std::byte* from, std::int64_t bytes, std::byte* to)
{
    const hn::ScalableTag<std::uint8_t> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    std::int64_t i = std::min(bytesToWhole(d, to), bytes);
    std::memcpy(to, from, static_cast<std::size_t>(i));
    for (; i + lanes <= bytes; i += lanes)
        hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from + i)), d, reinterpret_cast<std::uint8_t*>(to + i));
    std::memcpy(to + i, from + i, static_cast<std::size_t>(bytes - i));
}

#endif

#define ACTISCOPE_ENTRY(Stored) selectEntry<Stored>,
constexpr SelectTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const SelectTable* selectTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(selectTable);
HWY_EXPORT(copyPast);

template <class Stored>
HitCounts updateHot(const UpdateRun& run, const Predicate<CompareOf<Stored>>& predicate,
                    const ElementUpdate<CompareOf<Stored>>& update)
{
    return HWY_DYNAMIC_DISPATCH(selectTable)()->of<Stored>().update(run, predicate, update);
}

void streamBytes(const std::byte* from, std::int64_t bytes, std::byte* to)
{
    HWY_DYNAMIC_DISPATCH(copyPast)(from, bytes, to);
}

void endStreams()
{
    hwy::FlushStream();
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template HitCounts updateHot<Stored>(const UpdateRun&, const Predicate<CompareOf<Stored>>&,                                \
                                         const ElementUpdate<CompareOf<Stored>>&);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif
