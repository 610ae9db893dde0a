// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "core/engine/kernels_plain.h"
#include "core/engine/stored_types.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_tile.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/tile_fetch-inl.h"
#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_TILE_ONCE
#define ACTISCOPE_KERNELS_TILE_ONCE
namespace core {
namespace {

template <class Stored>
struct TileEntry
{
    void (*reduce)(const PixelTile<Stored>&);
};
using TileTable = StoredTable<TileEntry>;

/// Which accumulators a pass keeps; outputs that were not asked for are dropped at its end.
enum class Kept { countSumMax, all };

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

template <class Stored>
constexpr TileEntry<Stored> tileEntry{&plain::reduceChannels<Stored>};

#else

/// One PixelTile, a few channels at a time for each visit of the accumulators. The tile's predicate is that of Work; its values
/// are Work, or what `fetch` makes Work of.
template <class Work, bool atLeast, Kept kept>
class TileReducer
{
    using D = hn::ScalableTag<Work>;
    using DD = hn::ScalableTag<double>;
    /// Counts in lanes as wide as Work.
    using DC = hn::RebindToSigned<D>;
    using Count = hn::TFromD<DC>;

    static constexpr bool keepsPowers = kept == Kept::all;
    static constexpr bool isNarrow = std::is_same_v<Work, float>;
    static constexpr std::int64_t lanes = hn::MaxLanes(D());
    /// Pixels of one visit: their bits are whole bytes of the mask.
    static constexpr std::int64_t visit = std::max(lanes, std::int64_t{8});
    static constexpr int vectors = visit / lanes;
    /// Vectors of float64 that a vector of Work makes.
    static constexpr int parts = isNarrow ? 2 : 1;
    /// Pixels that are fetched at once, and their place: rows of a power of two would meet in few lines of the cache.
    static constexpr std::int64_t fetched = 256;
    static constexpr std::int64_t fetchedStep = fetched + 64 / sizeof(Work);
    /// Channels at a time: more streams drown the prefetcher, fewer visit the accumulators too often.
    static constexpr int most = 8;

public:
    TileReducer(const PixelTile<Work>& tile, const Fetch<Work>& fetch)
        : m_tile(tile), m_test(tile.predicate), m_fetch(fetch), m_direct(fetch.isDirect ? tile.pixels / visit * visit : 0)
    {
        const std::int64_t padded = (tile.pixels + visit - 1) / visit * visit;
        std::fill_n(m_sum, padded, 0.0);
        std::fill_n(m_count, padded, Count{0});
        std::fill_n(m_max, padded, -std::numeric_limits<Work>::infinity());
        if constexpr (keepsPowers) {
            std::fill_n(m_absolute, padded, 0.0);
            std::fill_n(m_square, padded, 0.0);
        }
        for (auto& row : m_words)
            std::fill_n(row, maskWords(tile.pixels), std::uint64_t{0});
    }

    void run()
    {
        std::int64_t channel = 0;
        for (; channel + most <= m_tile.channels; channel += most)
            addChannels<most>(channel);
        for (; channel < m_tile.channels; ++channel)
            addChannels<1>(channel);
        deliver();
    }

private:
    template <int group>
    void addChannels(std::int64_t channel)
    {
        const std::int64_t step = m_tile.channelStride * m_fetch.storedBytes;
        const std::byte* const first = m_tile.values + channel * step;
        const std::int64_t ahead = channel + 2 * group > m_tile.channels ? 0 : group * step;
        addPixels<group>(first, step, 0, m_direct, ahead);
        for (std::int64_t pixel = m_direct; pixel < m_tile.pixels; pixel += fetched) {
            const std::int64_t n = std::min(fetched, m_tile.pixels - pixel);
            const std::int64_t padded = (n + visit - 1) / visit * visit;
            for (int u = 0; u < group; ++u) {
                Work* const to = m_block + u * fetchedStep;
                const std::byte* const from = first + u * step + pixel * m_fetch.storedBytes;
                for (std::int64_t line = 0; line < n * m_fetch.storedBytes; line += 64)
                    __builtin_prefetch(from + ahead + line, 0, 2);
                m_fetch(from, n, to);
                std::fill(to + n, to + padded, Work{0});
            }
            addPixels<group>(reinterpret_cast<const std::byte*>(m_block), fetchedStep * sizeof(Work), pixel, padded, 0);
        }
        for (int u = 0; u < group; ++u)
            keepBits(channel + u, m_words[u]);
    }

    /// `n` pixels, whole visits, of `group` channels. The next group's values lie `ahead` bytes on.
    template <int group>
    HWY_NOINLINE void addPixels(const std::byte* at, std::int64_t step, std::int64_t pixel, std::int64_t n, std::int64_t ahead)
    {
        const D d;
        const DC dc;
        const DD dd;
        const auto test = m_test;
        for (const std::int64_t end = pixel + n; pixel < end; pixel += visit, at += visit * sizeof(Work)) {
            hn::Vec<DD> sum[vectors * parts];
            hn::Vec<DC> count[vectors];
            hn::Vec<D> max[vectors];
#pragma GCC unroll 8
            for (int i = 0; i < vectors * parts; ++i)
                sum[i] = hn::Load(dd, m_sum + pixel + i * hn::MaxLanes(dd));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                count[v] = hn::Load(dc, m_count + pixel + v * lanes);
                max[v] = hn::Load(d, m_max + pixel + v * lanes);
            }
#pragma GCC unroll 8
            for (int u = 0; u < group; ++u) {
                const std::byte* const from = at + u * step;
                // Streams are short: the next one's beginning would be waited for.
                __builtin_prefetch(from + ahead, 0, 2);
                std::uint64_t bits = 0;
#pragma GCC unroll 4
                for (int v = 0; v < vectors; ++v) {
                    const auto value = hn::LoadU(d, reinterpret_cast<const Work*>(from) + v * lanes);
                    const auto hot = test(value);
                    bits |= bitsOf(d, hot) << (v * lanes);
                    addValues(sum + v * parts, pixel + v * lanes, hn::IfThenElseZero(hot, value));
                    count[v] = addOne(dc, count[v], hn::RebindMask(dc, hot));
                    max[v] = larger(max[v], value, hot);
                }
                std::memcpy(reinterpret_cast<std::byte*>(m_words[u]) + (pixel >> 3), &bits, visit / 8);
            }
#pragma GCC unroll 8
            for (int i = 0; i < vectors * parts; ++i)
                hn::Store(sum[i], dd, m_sum + pixel + i * hn::MaxLanes(dd));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) {
                hn::Store(count[v], dc, m_count + pixel + v * lanes);
                hn::Store(max[v], d, m_max + pixel + v * lanes);
            }
        }
    }

    HWY_INLINE void addValues(hn::Vec<DD>* sum, std::int64_t pixel, hn::Vec<D> hotValues)
    {
        if constexpr (isNarrow) {
            const hn::Half<D> half;
            addPart(sum[0], pixel, hn::PromoteTo(DD(), hn::LowerHalf(half, hotValues)));
            addPart(sum[1], pixel + lanes / 2, hn::PromoteTo(DD(), hn::UpperHalf(half, hotValues)));
        } else {
            addPart(sum[0], pixel, hotValues);
        }
    }

    HWY_INLINE void addPart(hn::Vec<DD>& sum, [[maybe_unused]] std::int64_t pixel, hn::Vec<DD> values)
    {
        sum = hn::Add(sum, values);
        doneNow(sum);
        if constexpr (keepsPowers) {
            const DD dd;
            hn::Store(hn::Add(hn::Load(dd, m_absolute + pixel), hn::Abs(values)), dd, m_absolute + pixel);
            hn::Store(hn::Add(hn::Load(dd, m_square + pixel), hn::Mul(values, values)), dd, m_square + pixel);
        }
    }

    /// A hot NaN takes the place of any number, and stays.
    HWY_INLINE hn::Vec<D> larger(hn::Vec<D> max, hn::Vec<D> value, hn::Mask<D> hot) const
    {
        if constexpr (atLeast) {
            // Elements that are not hot lie below the hot ones; where none is hot, deliver() says so.
            (void)hot;
#if HWY_ARCH_X86
            // x86's maximum is value > max ? value : max, so that NaN leaves max as it is.
            return hn::Max(value, max);
#else
            return hn::IfThenElse(hn::Gt(value, max), value, max);
#endif
        } else {
            const auto replaces = hn::Or(hn::Gt(value, max), hn::IsNaN(value));
            return hn::IfThenElse(hn::And(hot, replaces), value, max);
        }
    }

    /// The mask row of a channel: its bits past the last pixel become 0.
    void keepBits(std::int64_t channel, std::uint64_t* words)
    {
        const std::int64_t n = maskWords(m_tile.pixels);
        if (m_tile.pixels % 64)
            words[n - 1] &= (std::uint64_t{1} << m_tile.pixels % 64) - 1;
        if (m_tile.mask)
            std::copy_n(words, n, m_tile.mask + channel * m_tile.maskStride);
        if (!m_tile.counts)
            return;
        std::int64_t hot = 0;
        for (std::int64_t i = 0; i < n; ++i)
            hot += __builtin_popcountll(words[i]);
        m_tile.counts[channel] += hot;
    }

    void deliver()
    {
        const auto pixels = static_cast<std::size_t>(m_tile.pixels);
        if (m_tile.sumMap)
            std::memcpy(m_tile.sumMap, m_sum, pixels * sizeof(double));
        if (m_tile.countMap)
            for (std::size_t i = 0; i < pixels; ++i)
                m_tile.countMap[i] = static_cast<std::int32_t>(m_count[i]);
        if (m_tile.maxMap)
            for (std::size_t i = 0; i < pixels; ++i)
                m_tile.maxMap[i] = m_count[i] ? m_max[i] : std::numeric_limits<Work>::quiet_NaN();
        if constexpr (keepsPowers) {
            if (m_tile.absoluteMap)
                std::memcpy(m_tile.absoluteMap, m_absolute, pixels * sizeof(double));
            if (m_tile.squareMap)
                std::memcpy(m_tile.squareMap, m_square, pixels * sizeof(double));
        }
    }

    const PixelTile<Work>& m_tile;
    const Test<Work, atLeast> m_test;
    const Fetch<Work>& m_fetch;
    /// Pixels that are taken where they lie.
    const std::int64_t m_direct;
    alignas(64) double m_sum[maxTilePixels];
    alignas(64) Count m_count[maxTilePixels];
    alignas(64) Work m_max[maxTilePixels];
    alignas(64) double m_absolute[keepsPowers ? maxTilePixels : 1];
    alignas(64) double m_square[keepsPowers ? maxTilePixels : 1];
    alignas(64) std::uint64_t m_words[most][maskWords(maxTilePixels)];
    alignas(64) Work m_block[most * fetchedStep];
};

template <bool atLeast, class Work>
void reduceBy(const PixelTile<Work>& tile, const Fetch<Work>& fetch)
{
    if (tile.absoluteMap || tile.squareMap)
        TileReducer<Work, atLeast, Kept::all>(tile, fetch).run();
    else
        TileReducer<Work, atLeast, Kept::countSumMax>(tile, fetch).run();
}

template <class Work>
void reduceWork(const PixelTile<Work>& tile, const Fetch<Work>& fetch)
{
    if (isAtLeast(tile.predicate))
        reduceBy<true>(tile, fetch);
    else
        reduceBy<false>(tile, fetch);
}

/// Few types are reduced, since code for each would take minutes to compile: the others are widened a stretch at a time.
template <class Stored>
void reduce(const PixelTile<Stored>& tile)
{
    using Work = MapType<Stored>;
    if constexpr (std::is_same_v<Stored, Work>) {
        reduceWork<Work>(tile, Copy<Work>());
    } else {
        PixelTile<Work> work{tile.values,      tile.channels,  tile.channelStride, tile.pixels,   {},
                             tile.counts,      tile.mask,      tile.maskStride,    tile.countMap, tile.sumMap,
                             tile.absoluteMap, tile.squareMap, tile.maxMap};
        if constexpr (sizeof(Stored) == 8) {
            constexpr double infinity = std::numeric_limits<double>::infinity();
            work.predicate = {-infinity, infinity};
            reduceWork<Work>(work, WidenHot<Stored>(tile.predicate));
        } else {
            work.predicate = widened<Work>(tile.predicate);
            reduceWork<Work>(work, Widen<Stored>());
        }
    }
}

template <class Stored>
constexpr TileEntry<Stored> tileEntry{&reduce<Stored>};

#endif

#define ACTISCOPE_ENTRY(Stored) tileEntry<Stored>,
constexpr TileTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const TileTable* tileTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(tileTable);

template <class Stored>
void reduceChannels(const PixelTile<Stored>& tile)
{
    HWY_DYNAMIC_DISPATCH(tileTable)()->of<Stored>().reduce(tile);
}

#define ACTISCOPE_INSTANTIATE(Stored) template void reduceChannels<Stored>(const PixelTile<Stored>&);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif
