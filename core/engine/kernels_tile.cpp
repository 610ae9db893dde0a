// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "core/engine/kernels_plain.h"
#include "core/engine/stored_types.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_tile.cpp"
#include <hwy/foreach_target.h>

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

/// The predicate on values widened to `Work`, which holds every value of Compare.
template <class Work, class Compare>
Predicate<Work> widened(const Predicate<Compare>& predicate)
{
    Predicate<Work> result{static_cast<Work>(predicate.lo), static_cast<Work>(predicate.hi), predicate.invert,
                           predicate.nanHot};
    if constexpr (std::is_integral_v<Compare>)
        if (predicate.hi == std::numeric_limits<Compare>::max())
            result.hi = std::numeric_limits<Work>::infinity();
    return result;
}

/// Loads a vector of pixels as Work, and tests it.
template <class Stored, bool atLeast>
class HotLoader
{
public:
    using Work = MapType<Stored>;
    using D = hn::ScalableTag<Work>;

    explicit HotLoader(const Predicate<CompareOf<Stored>>& predicate) : m_test(tested(predicate)) {}

    static Predicate<std::conditional_t<(std::is_integral_v<Stored> && sizeof(Stored) == 8), Stored, Work>>
    tested(const Predicate<CompareOf<Stored>>& predicate)
    {
        if constexpr (isWide)
            return predicate;
        else
            return widened<Work>(predicate);
    }

    HWY_INLINE hn::Vec<D> load(const std::byte* at) const
    {
        if constexpr (std::is_same_v<Work, float>)
            return loadFloat<Stored>(D(), at);
        else
            return loadDouble<Stored>(D(), at);
    }

    HWY_INLINE hn::Mask<D> hot(const std::byte* at, hn::Vec<D> work) const
    {
        if constexpr (isWide) {
            const hn::ScalableTag<Stored> ds;
            return hn::RebindMask(D(), m_test(hn::LoadU(ds, reinterpret_cast<const Stored*>(at))));
        } else {
            return m_test(work);
        }
    }

private:
    /// 64-bit integers are tested as they are: float64 does not hold them all.
    static constexpr bool isWide = std::is_integral_v<Stored> && sizeof(Stored) == 8;
    Test<std::conditional_t<isWide, Stored, Work>, atLeast> m_test;
};

/// One PixelTile: a few channels at a time for each visit of the accumulators, 64 pixels at a time for whole mask words.
template <class Stored, bool atLeast, Kept kept>
class TileReducer
{
    using Loader = HotLoader<Stored, atLeast>;
    using Work = typename Loader::Work;
    using D = typename Loader::D;
    using DD = hn::ScalableTag<double>;
    /// Counts in lanes as wide as Work.
    using DC = hn::RebindToSigned<D>;
    using Count = hn::TFromD<DC>;

    static constexpr bool keepsPowers = kept == Kept::all;
    static constexpr std::int64_t elementBytes = sizeof(Stored);

public:
    explicit TileReducer(const PixelTile<Stored>& tile) : m_tile(tile), m_loader(tile.predicate)
    {
        m_padded = (tile.pixels + 63) / 64 * 64;
        std::fill_n(m_sum, m_padded, 0.0);
        std::fill_n(m_count, m_padded, Count{0});
        std::fill_n(m_max, m_padded, -std::numeric_limits<Work>::infinity());
        if constexpr (keepsPowers) {
            std::fill_n(m_absolute, m_padded, 0.0);
            std::fill_n(m_square, m_padded, 0.0);
        }
    }

    void run()
    {
        std::int64_t channel = 0;
        // Eight streams at a time: more drown the prefetcher, fewer visit the accumulators too often.
        for (; channel + 8 <= m_tile.channels; channel += 8)
            addChannels<8>(channel);
        for (; channel < m_tile.channels; ++channel)
            addChannels<1>(channel);
        deliver();
    }

private:
    template <int group>
    HWY_INLINE void addChannels(std::int64_t channel)
    {
        const std::int64_t step = m_tile.channelStride * elementBytes;
        const std::byte* const first = m_tile.values + channel * step;
        std::int64_t counts[group] = {};
        std::int64_t pixel = 0;
        for (; pixel + 64 <= m_tile.pixels; pixel += 64) {
            std::uint64_t words[group] = {};
            addBlock<group>(first + pixel * elementBytes, step, pixel, words);
            keep<group>(channel, pixel, words, counts);
        }
        if (pixel < m_tile.pixels) {
            alignas(64) std::byte block[group * 64 * elementBytes] = {};
            const std::int64_t left = m_tile.pixels - pixel;
            for (int u = 0; u < group; ++u)
                std::memcpy(block + u * 64 * elementBytes, first + u * step + pixel * elementBytes,
                            static_cast<std::size_t>(left * elementBytes));
            std::uint64_t words[group] = {};
            addBlock<group>(block, 64 * elementBytes, pixel, words);
            for (std::uint64_t& word : words)
                word &= (std::uint64_t{1} << left) - 1;
            keep<group>(channel, pixel, words, counts);
        }
        if (m_tile.counts)
            for (int u = 0; u < group; ++u)
                m_tile.counts[channel + u] += counts[u];
    }

    template <int group>
    HWY_INLINE void keep(std::int64_t channel, std::int64_t pixel, const std::uint64_t (&words)[group],
                         std::int64_t (&counts)[group])
    {
        for (int u = 0; u < group; ++u) {
            counts[u] += __builtin_popcountll(words[u]);
            if (m_tile.mask)
                m_tile.mask[(channel + u) * m_tile.maskStride + pixel / 64] = words[u];
        }
    }

    /// 64 pixels of `group` channels.
    template <int group>
    HWY_NOINLINE void addBlock(const std::byte* at, std::int64_t step, std::int64_t pixel, std::uint64_t (&words)[group])
    {
        const D d;
        const DC dc;
        const DD dd;
        constexpr std::int64_t lanes = hn::MaxLanes(d);
#pragma GCC unroll 4
        for (std::int64_t q = 0; q < 64; q += lanes) {
            const std::int64_t p = pixel + q;
            auto sumLow = hn::Load(dd, m_sum + p);
            [[maybe_unused]] auto sumHigh = sumLow;
            if constexpr (isNarrow)
                sumHigh = hn::Load(dd, m_sum + p + lanes / 2);
            auto count = hn::Load(dc, m_count + p);
            auto max = hn::Load(d, m_max + p);
#pragma GCC unroll 8
            for (int u = 0; u < group; ++u) {
                const std::byte* const from = at + u * step + q * elementBytes;
                const auto value = m_loader.load(from);
                const auto hot = m_loader.hot(from, value);
                words[u] |= bitsOf(d, hot) << q;
                const auto hotValue = hn::IfThenElseZero(hot, value);
                if constexpr (isNarrow) {
                    const hn::Half<D> half;
                    const auto low = hn::PromoteTo(dd, hn::LowerHalf(half, hotValue));
                    const auto high = hn::PromoteTo(dd, hn::UpperHalf(half, hotValue));
                    sumLow = hn::Add(sumLow, low);
                    sumHigh = hn::Add(sumHigh, high);
                    addPowers(p, low);
                    addPowers(p + lanes / 2, high);
                } else {
                    sumLow = hn::Add(sumLow, hotValue);
                    addPowers(p, hotValue);
                }
                count = addOne(dc, count, hn::RebindMask(dc, hot));
                max = larger(max, value, hot);
            }
            hn::Store(sumLow, dd, m_sum + p);
            if constexpr (isNarrow)
                hn::Store(sumHigh, dd, m_sum + p + lanes / 2);
            hn::Store(count, dc, m_count + p);
            hn::Store(max, d, m_max + p);
        }
    }

    HWY_INLINE void addPowers(std::int64_t pixel, hn::Vec<DD> values)
    {
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

    static constexpr bool isNarrow = std::is_same_v<Work, float>;
    const PixelTile<Stored>& m_tile;
    const Loader m_loader;
    std::int64_t m_padded = 0;
    alignas(64) double m_sum[maxTilePixels];
    alignas(64) Count m_count[maxTilePixels];
    alignas(64) Work m_max[maxTilePixels];
    alignas(64) double m_absolute[keepsPowers ? maxTilePixels : 1];
    alignas(64) double m_square[keepsPowers ? maxTilePixels : 1];
};

template <class Stored, bool atLeast>
void reduceBy(const PixelTile<Stored>& tile)
{
    if (tile.absoluteMap || tile.squareMap)
        TileReducer<Stored, atLeast, Kept::all>(tile).run();
    else
        TileReducer<Stored, atLeast, Kept::countSumMax>(tile).run();
}

template <class Stored>
void reduce(const PixelTile<Stored>& tile)
{
    // The short test is compiled only where it is used most.
    if constexpr (std::is_same_v<Stored, float>)
        if (isAtLeast(tile.predicate))
            return reduceBy<Stored, true>(tile);
    reduceBy<Stored, false>(tile);
}

template <class Stored>
constexpr TileEntry<Stored> tileEntry{&reduce<Stored>};

#endif

constexpr TileTable table{tileEntry<std::uint8_t>,  tileEntry<std::int8_t>,  tileEntry<std::uint16_t>, tileEntry<std::int16_t>,
                          tileEntry<std::uint32_t>, tileEntry<std::int32_t>, tileEntry<std::uint64_t>, tileEntry<std::int64_t>,
                          tileEntry<Half>,          tileEntry<BFloat16>,     tileEntry<float>,         tileEntry<double>};

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
