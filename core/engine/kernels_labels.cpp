// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_labels.h"
#include "core/engine/plain_operations.h"
#include "core/engine/stored_types.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_labels.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/tile_fetch-inl.h"
#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_LABELS_ONCE
#define ACTISCOPE_KERNELS_LABELS_ONCE
namespace core {
namespace {

template <class Stored>
struct LabelEntry
{
    void (*label)(const LabelTile<Stored>&);
};
using LabelTable = StoredTable<LabelEntry>;

/// Floats are no ids.
template <class Stored>
struct RangeEntry
{
    IdRange<Stored> (*range)(const std::byte*, std::int64_t) = nullptr;
};
using RangeTable = StoredTable<RangeEntry>;

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

template <class Stored>
constexpr LabelEntry<Stored> labelEntry{&plain::labelPixels<Stored>};

template <class Stored>
IdRange<Stored> range(const std::byte* values, std::int64_t n)
{
    return plain::idRange<Stored>(values, n);
}

#else

/// One LabelTile, a few channels at a time for each visit of the largest values. The tile's values are Work, or what `fetch`
/// makes Work of.
template <class Work>
class Labeller
{
    using D = hn::ScalableTag<Work>;
    /// Labels in lanes as wide as Work.
    using DL = hn::RebindToSigned<D>;
    using Label = hn::TFromD<DL>;

    static constexpr std::int64_t lanes = hn::MaxLanes(D());
    /// Pixels that are fetched at once, and their place: rows of a power of two would meet in few lines of the cache.
    static constexpr std::int64_t fetched = 256;
    static constexpr std::int64_t fetchedStep = fetched + 64 / sizeof(Work);
    /// Channels at a time: more streams drown the prefetcher, fewer visit the largest values too often.
    static constexpr int most = 8;

public:
    Labeller(const LabelTile<Work>& tile, const Fetch<Work>& fetch)
        : m_tile(tile), m_fetch(fetch), m_direct(fetch.isDirect ? tile.pixels / lanes * lanes : 0)
    {
        constexpr bool hasInfinity = std::numeric_limits<Work>::has_infinity;
        const std::int64_t padded = (tile.pixels + lanes - 1) / lanes * lanes;
        std::fill_n(m_largest, padded,
                    hasInfinity ? -std::numeric_limits<Work>::infinity() : std::numeric_limits<Work>::lowest());
        std::fill_n(m_label, padded, Label{0});
    }

    void run()
    {
        std::int64_t channel = 0;
        for (; channel + most <= m_tile.channels; channel += most)
            addChannels<most>(channel);
        for (; channel < m_tile.channels; ++channel)
            addChannels<1>(channel);
        std::copy_n(m_label, m_tile.pixels, m_tile.labels);
    }

private:
    template <int group>
    void addChannels(std::int64_t channel)
    {
        const std::int64_t step = m_tile.channelStride * m_fetch.storedBytes;
        const std::byte* const first = m_tile.values + channel * step;
        const std::int64_t ahead = channel + 2 * group > m_tile.channels ? 0 : group * step;
        addPixels<group>(channel, first, step, 0, m_direct, ahead);
        for (std::int64_t pixel = m_direct; pixel < m_tile.pixels; pixel += fetched) {
            const std::int64_t n = std::min(fetched, m_tile.pixels - pixel);
            const std::int64_t padded = (n + lanes - 1) / lanes * lanes;
            for (int u = 0; u < group; ++u) {
                Work* const to = m_block + u * fetchedStep;
                m_fetch(first + u * step + pixel * m_fetch.storedBytes, n, to);
                std::fill(to + n, to + padded, Work{0});
            }
            addPixels<group>(channel, reinterpret_cast<const std::byte*>(m_block), fetchedStep * sizeof(Work), pixel, padded,
                             0);
        }
    }

    /// `n` pixels, whole vectors, of `group` channels. The next group's values lie `ahead` bytes on.
    template <int group>
    HWY_NOINLINE void addPixels(std::int64_t channel, const std::byte* at, std::int64_t step, std::int64_t pixel,
                                std::int64_t n, std::int64_t ahead)
    {
        const D d;
        const DL dl;
        for (const std::int64_t end = pixel + n; pixel < end; pixel += lanes, at += lanes * sizeof(Work)) {
            auto largest = hn::Load(d, m_largest + pixel);
            auto label = hn::Load(dl, m_label + pixel);
#pragma GCC unroll 8
            for (int u = 0; u < group; ++u) {
                const std::byte* const from = at + u * step;
                // Streams are short: the next one's beginning would be waited for.
                __builtin_prefetch(from + ahead, 0, 2);
                const auto value = hn::LoadU(d, reinterpret_cast<const Work*>(from));
                auto larger = hn::Gt(value, largest);
                if constexpr (std::is_floating_point_v<Work>)
                    larger = hn::Or(larger, hn::AndNot(hn::IsNaN(largest), hn::IsNaN(value)));
                label = hn::IfThenElse(hn::RebindMask(dl, larger), hn::Set(dl, static_cast<Label>(channel + u)), label);
                largest = hn::IfThenElse(larger, value, largest);
            }
            hn::Store(largest, d, m_largest + pixel);
            hn::Store(label, dl, m_label + pixel);
        }
    }

    const LabelTile<Work>& m_tile;
    const Fetch<Work>& m_fetch;
    /// Pixels that are taken where they lie.
    const std::int64_t m_direct;
    alignas(64) Work m_largest[maxTilePixels];
    alignas(64) Label m_label[maxTilePixels];
    alignas(64) Work m_block[most * fetchedStep];
};

/// Few types are compared, since code for each would take long to compile: the narrower ones are widened a stretch at a time.
template <class Stored>
void label(const LabelTile<Stored>& tile)
{
    if constexpr (std::is_integral_v<Stored> && sizeof(Stored) == 8) {
        Labeller<Stored>(tile, Copy<Stored>()).run();
    } else {
        using Work = MapType<Stored>;
        const LabelTile<Work> work{tile.values, tile.channels, tile.channelStride, tile.pixels, tile.labels};
        if constexpr (std::is_same_v<Stored, Work>)
            Labeller<Work>(work, Copy<Work>()).run();
        else
            Labeller<Work>(work, Widen<Stored>()).run();
    }
}

template <class Stored>
constexpr LabelEntry<Stored> labelEntry{&label<Stored>};

template <class Stored>
IdRange<Stored> range(const std::byte* values, std::int64_t n)
{
    const hn::ScalableTag<Stored> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    constexpr auto size = static_cast<std::int64_t>(sizeof(Stored));
    if (n < lanes)
        return plain::idRange<Stored>(values, n);
    const auto at = [&](std::int64_t i) HWY_ATTR { return hn::LoadU(d, reinterpret_cast<const Stored*>(values + i * size)); };
    // The last vector may overlap the one before it.
    auto min = at(n - lanes);
    auto max = min;
    for (std::int64_t i = 0; i + lanes <= n; i += lanes) {
        const auto ids = at(i);
        min = hn::Min(min, ids);
        max = hn::Max(max, ids);
    }
    alignas(64) Stored lowest[hn::MaxLanes(d)];
    alignas(64) Stored highest[hn::MaxLanes(d)];
    hn::Store(min, d, lowest);
    hn::Store(max, d, highest);
    return {*std::min_element(lowest, lowest + lanes), *std::max_element(highest, highest + lanes)};
}

#endif

template <class Stored>
constexpr RangeEntry<Stored> rangeEntry()
{
    if constexpr (std::is_integral_v<Stored>)
        return {&range<Stored>};
    return {};
}

#define ACTISCOPE_ENTRY(Stored) labelEntry<Stored>,
constexpr LabelTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const LabelTable* labelTable()
{
    return &table;
}

#define ACTISCOPE_RANGE_ENTRY(Stored) rangeEntry<Stored>(),
constexpr RangeTable ranges{ACTISCOPE_EACH_STORED(ACTISCOPE_RANGE_ENTRY)};

const RangeTable* rangeTable()
{
    return &ranges;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(labelTable);
HWY_EXPORT(rangeTable);

template <class Stored>
void labelPixels(const LabelTile<Stored>& tile)
{
    HWY_DYNAMIC_DISPATCH(labelTable)()->of<Stored>().label(tile);
}

template <class Stored>
IdRange<Stored> idRange(const std::byte* values, std::int64_t n)
{
    return HWY_DYNAMIC_DISPATCH(rangeTable)()->of<Stored>().range(values, n);
}

#define ACTISCOPE_INSTANTIATE_RANGE(Stored) template IdRange<Stored> idRange<Stored>(const std::byte*, std::int64_t);
ACTISCOPE_EACH_INTEGER(ACTISCOPE_INSTANTIATE_RANGE)

#define ACTISCOPE_INSTANTIATE(Stored) template void labelPixels<Stored>(const LabelTile<Stored>&);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif
