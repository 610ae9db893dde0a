// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

#include <math.h>

/// Kernels over tiles: sixteen threads a tile, one for each lane of core/engine/lane_sum.h, which they add up in its order.
namespace gpu {

/// Where a tile lies.
struct Tile
{
    std::int64_t plane;
    /// Its first element among the packed values.
    std::int64_t first;
    std::int64_t elements;
};

ACTISCOPE_BOTH inline Tile tileAt(const Planes& planes, const TileRange& range, std::int64_t number)
{
    const std::int64_t tile = range.first + number;
    const std::int64_t plane = tile / range.tilesPerPlane;
    const std::int64_t inPlane = tile % range.tilesPerPlane * tileElements;
    const std::int64_t rest = planes.elements - inPlane;
    return {plane, plane * planes.elements + inPlane, rest < tileElements ? rest : tileElements};
}

/// Calls work(value) for the values of a lane, in order. Many are on their way before the first is used.
template <class S, class Work>
ACTISCOPE_BOTH void forLane(const Values<S>& values, const Tile& tile, int lane, Work work)
{
    constexpr int together = 8;
    const S* const first = values.first + tile.first;
    std::int64_t i = lane;
    for (; i + (together - 1) * laneCount < tile.elements; i += together * laneCount) {
        S ahead[together];
        for (int u = 0; u < together; ++u)
            ahead[u] = first[i + u * laneCount];
        for (int u = 0; u < together; ++u)
            work(values.see(ahead[u]));
    }
    for (; i < tile.elements; i += laneCount)
        work(values.see(first[i]));
}

/// core::combineLanes.
ACTISCOPE_BOTH inline double combineLanes(const double* lanes)
{
    double l[laneCount / 2];
    for (int i = 0; i < laneCount / 2; ++i)
        l[i] = lanes[i] + lanes[i + laneCount / 2];
    for (int half = laneCount / 4; half > 0; half /= 2)
        for (int i = 0; i < half; ++i)
            l[i] += l[i + half];
    return l[0];
}

/// An exact sum of up to 4096 integers of any width, as high * 2^32 + low.
struct IntegerSum
{
    std::uint64_t low;
    std::int64_t high;

    template <class T>
    ACTISCOPE_BOTH void add(T value)
    {
        if constexpr (sizeof(T) == 8) {
            low += static_cast<std::uint64_t>(value) & 0xffffffffu;
            high += static_cast<std::int64_t>(value >> 32);
        } else if constexpr (std::is_integral<T>::value) {
            // The lower half of two's complement is 2^32 too much for a negative value.
            if constexpr (std::is_signed<T>::value)
                high -= value < 0;
            low += static_cast<std::uint64_t>(value) & 0xffffffffu;
        }
    }

    ACTISCOPE_BOTH void add(const IntegerSum& other)
    {
        low += other.low;
        high += other.high;
    }

    /// The float64 nearest to it, ties to even.
    ACTISCOPE_BOTH double toDouble() const
    {
        // 128 bits in two's complement, then sign and magnitude.
        std::uint64_t lower = (static_cast<std::uint64_t>(high) << 32) + low;
        std::int64_t upper = (high >> 32) + (lower < low ? 1 : 0);
        const bool isNegative = upper < 0;
        if (isNegative) {
            lower = ~lower + 1;
            upper = ~upper + (lower == 0 ? 1 : 0);
        }
        if (upper == 0) {
            const double magnitude = static_cast<double>(lower);
            return isNegative ? -magnitude : magnitude;
        }
        // The upper part has few bits: 64 of the whole are kept, the last one set when any below it is.
        int shift = 0;
        while (upper >> shift != 0)
            ++shift;
        const std::uint64_t kept = static_cast<std::uint64_t>(upper) << (64 - shift) | lower >> shift;
        const std::uint64_t lost = lower & ((std::uint64_t{1} << shift) - 1);
        double magnitude = static_cast<double>(kept | (lost != 0 ? 1 : 0));
        for (int i = 0; i < shift; ++i)
            magnitude *= 2;
        return isNegative ? -magnitude : magnitude;
    }
};

/// core::tileSquares, step by step; -1 for its nothing.
ACTISCOPE_BOTH inline double squaresFromPivot(double fromPivot, double pivot, double sum, std::int64_t n)
{
    constexpr double mostApart = 64;
    constexpr double mostOffset = 256;
    if (fromPivot == 0)
        return 0;
    const double count = static_cast<double>(n);
    const double mean = sum / count;
    const double apart = mean - pivot;
    const double moved = count * (apart * apart);
    const double squares = fromPivot - moved;
    const double product = mean * apart;
    const double offset = count * (product < 0 ? -product : product);
    const bool isSafe = moved <= mostApart * squares && offset <= mostOffset * squares;
    return isSafe && squares <= std::numeric_limits<double>::max() ? squares : -1;
}

/// Statistics of every tile. Phases, each ended by a barrier: lanes; tiles from their lanes; squared deviations of lanes, where
/// those from the tile's first value do not tell them; tiles again. Threads of a tile past the end add nothing.
template <class S>
struct ScanBody
{
    using Parameters = ScanParameters;
    using Seen = SeenOf<S>;

    struct Lane
    {
        Seen min;
        Seen max;
        IntegerSum integers;
        std::uint32_t finite;
        std::uint32_t zeros;
        std::uint32_t nan;
        std::uint32_t positiveInf;
        std::uint32_t negativeInf;
    };

    struct Shared
    {
        Lane lanes[blockThreads];
        double sums[blockThreads];
        /// Of squared deviations: from the tile's first value, then from its mean.
        double squares[blockThreads];
        TileResult<Seen> tiles[blockTiles];
    };

    ACTISCOPE_BOTH static Lane nothing()
    {
        return {std::numeric_limits<Seen>::max(), std::numeric_limits<Seen>::lowest(), {0, 0}, 0, 0, 0, 0, 0};
    }

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared& shared, const Parameters& p)
    {
        const Values<S> values = p.planes.as<S>();
        const std::int64_t firstTile = block.index() * blockTiles;
        block.phase([&](int thread) {
            const std::int64_t number = firstTile + thread / laneCount;
            shared.lanes[thread] = nothing();
            shared.sums[thread] = 0;
            shared.squares[thread] = 0;
            if (number < p.tiles.count)
                scanLane(values, tileAt(p.planes, p.tiles, number), thread, shared);
        });
        block.phase([&](int thread) {
            if (thread >= blockTiles)
                return;
            const int first = thread * laneCount;
            shared.tiles[thread] = combine(shared.lanes + first, shared.sums + first);
            if (firstTile + thread < p.tiles.count)
                shared.tiles[thread].squares = squaresOf(values, tileAt(p.planes, p.tiles, firstTile + thread),
                                                         shared.squares + first, shared.tiles[thread]);
        });
        block.phase([&](int thread) {
            const int inBlock = thread / laneCount;
            const std::int64_t number = firstTile + inBlock;
            if (number < p.tiles.count && shared.tiles[inBlock].squares < 0)
                shared.squares[thread] =
                    squares(values, tileAt(p.planes, p.tiles, number), thread % laneCount, meanOf(shared.tiles[inBlock]));
        });
        block.each([&](int thread) {
            if (thread >= blockTiles || firstTile + thread >= p.tiles.count)
                return;
            TileResult<Seen> result = shared.tiles[thread];
            if (result.squares < 0)
                result.squares = combineLanes(shared.squares + thread * laneCount);
            static_cast<TileResult<Seen>*>(p.results)[firstTile + thread] = result;
        });
    }

    ACTISCOPE_BOTH static void scanLane(const Values<S>& values, const Tile& tile, int thread, Shared& to)
    {
        Lane l = nothing();
        double sum = 0;
        double fromPivot = 0;
        const double pivot = static_cast<double>(values[tile.first]);
        forLane(values, tile, thread % laneCount, [&](Seen value) {
            if (!isFinite(value)) {
                ++(value != value ? l.nan : value > 0 ? l.positiveInf : l.negativeInf);
                return;
            }
            ++l.finite;
            l.zeros += value == 0;
            l.min = value < l.min ? value : l.min;
            l.max = value > l.max ? value : l.max;
            if constexpr (std::is_integral<Seen>::value) {
                l.integers.add(value);
            } else {
                sum += static_cast<double>(value);
                const double deviation = static_cast<double>(value) - pivot;
                fromPivot += deviation * deviation;
            }
        });
        to.lanes[thread] = l;
        to.sums[thread] = sum;
        to.squares[thread] = fromPivot;
    }

    /// Squared deviations where they are known by now; else -1.
    ACTISCOPE_BOTH static double squaresOf(const Values<S>& values, const Tile& tile, const double* fromPivot,
                                           const TileResult<Seen>& result)
    {
        if (result.finite == 0)
            return 0;
        if (std::is_integral<Seen>::value || result.finite != tile.elements)
            return -1;
        return squaresFromPivot(combineLanes(fromPivot), static_cast<double>(values[tile.first]), result.sum, tile.elements);
    }

    ACTISCOPE_BOTH static TileResult<Seen> combine(const Lane* lanes, const double* sums)
    {
        Lane all = nothing();
        for (int i = 0; i < laneCount; ++i) {
            const Lane& lane = lanes[i];
            all.min = lane.min < all.min ? lane.min : all.min;
            all.max = lane.max > all.max ? lane.max : all.max;
            all.integers.add(lane.integers);
            all.finite += lane.finite;
            all.zeros += lane.zeros;
            all.nan += lane.nan;
            all.positiveInf += lane.positiveInf;
            all.negativeInf += lane.negativeInf;
        }
        // A zero is +0, whatever the order in which lanes met zeros of both signs.
        return {static_cast<Seen>(all.min + 0),
                static_cast<Seen>(all.max + 0),
                combineLanes(sums),
                0,
                all.integers.low,
                all.integers.high,
                all.finite,
                all.zeros,
                all.nan,
                all.positiveInf,
                all.negativeInf};
    }

    ACTISCOPE_BOTH static double meanOf(const TileResult<Seen>& tile)
    {
        const double sum = std::is_integral<Seen>::value ? IntegerSum{tile.low, tile.high}.toDouble() : tile.sum;
        return sum / static_cast<double>(tile.finite);
    }

    ACTISCOPE_BOTH static double squares(const Values<S>& values, const Tile& tile, int lane, double mean)
    {
        double sum = 0;
        forLane(values, tile, lane, [&](Seen value) {
            const double deviation = isFinite(value) ? static_cast<double>(value) - mean : 0.0;
            sum += deviation * deviation;
        });
        return sum;
    }
};

/// Hot elements of every tile: their number and sum. Two phases: lanes; tiles from their lanes.
template <class S>
struct SumBody
{
    using Parameters = SumParameters;
    using Seen = SeenOf<S>;

    struct Shared
    {
        double sums[blockThreads];
        IntegerSum integers[blockThreads];
        std::uint32_t counts[blockThreads];
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared& shared, const Parameters& p)
    {
        const Values<S> values = p.planes.as<S>();
        const std::int64_t firstTile = block.index() * blockTiles;
        block.phase([&](int thread) {
            const std::int64_t number = firstTile + thread / laneCount;
            HotTile lane{0, 0, 0, 0};
            if (number < p.tiles.count) {
                const Tile tile = tileAt(p.planes, p.tiles, number);
                lane = sumLane(values, tile, thread % laneCount, p.hot.of<Seen>(tile.plane % p.planes.channels));
            }
            shared.sums[thread] = lane.sum;
            shared.integers[thread] = {lane.low, lane.high};
            shared.counts[thread] = lane.count;
        });
        block.each([&](int thread) {
            if (thread >= blockTiles || firstTile + thread >= p.tiles.count)
                return;
            const int first = thread * laneCount;
            IntegerSum integers{0, 0};
            std::uint32_t count = 0;
            for (int i = first; i < first + laneCount; ++i) {
                integers.add(shared.integers[i]);
                count += shared.counts[i];
            }
            p.results[firstTile + thread] = {combineLanes(shared.sums + first), integers.low, integers.high, count};
        });
    }

    ACTISCOPE_BOTH static HotTile sumLane(const Values<S>& values, const Tile& tile, int lane, const Hot<Seen>& hot)
    {
        double sum = 0;
        IntegerSum integers{0, 0};
        std::uint32_t count = 0;
        forLane(values, tile, lane, [&](Seen value) {
            if (!hot(value))
                return;
            ++count;
            if constexpr (std::is_integral<Seen>::value)
                integers.add(value);
            else
                sum += static_cast<double>(value);
        });
        return {sum, integers.low, integers.high, count};
    }
};

/// What a norm adds up in every tile; NaN and infinities take part. Powers are the machine's: they may differ from another's in
/// the last bits. Two phases: lanes; tiles from their lanes.
template <class S>
struct NormBody
{
    using Parameters = NormParameters;

    struct Shared
    {
        double lanes[blockThreads];
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared& shared, const Parameters& p)
    {
        const Values<S> values = p.planes.as<S>();
        const std::int64_t firstTile = block.index() * blockTiles;
        block.phase([&](int thread) {
            const std::int64_t number = firstTile + thread / laneCount;
            double sum = 0;
            if (number < p.tiles.count) {
                const Tile tile = tileAt(p.planes, p.tiles, number);
                if (p.kind == NormKind::powers)
                    sum = powersOf(values, tile, thread % laneCount, p.power);
                else
                    forLane(values, tile, thread % laneCount,
                            [&](SeenOf<S> value) { sum = added(sum, static_cast<double>(value), p.kind); });
            }
            shared.lanes[thread] = sum;
        });
        block.each([&](int thread) {
            if (thread >= blockTiles || firstTile + thread >= p.tiles.count)
                return;
            const double* lanes = shared.lanes + thread * laneCount;
            double result = combineLanes(lanes);
            if (p.kind == NormKind::largest) {
                result = 0;
                for (int i = 0; i < laneCount; ++i)
                    result = larger(result, lanes[i]);
            }
            p.results[firstTile + thread] = result;
        });
    }

    /// NaN is larger than any number.
    ACTISCOPE_BOTH static double larger(double a, double b) { return b > a || b != b ? b : a; }

    ACTISCOPE_BOTH static double added(double sum, double value, NormKind kind)
    {
        const double magnitude = value < 0 ? -value : value;
        if (kind == NormKind::absolute)
            return sum + magnitude;
        if (kind == NormKind::squares)
            return sum + value * value;
        if (kind == NormKind::largest)
            return larger(sum, magnitude);
        return sum + (value != 0 ? 1 : 0);
    }

    /// A power takes longer than a load: one after the other.
    ACTISCOPE_BOTH static double powersOf(const Values<S>& values, const Tile& tile, int lane, double power)
    {
        double sum = 0;
        ACTISCOPE_KEEP_LOOP
        for (std::int64_t i = lane; i < tile.elements; i += laneCount) {
            const double value = static_cast<double>(values[tile.first + i]);
            sum += pow(value < 0 ? -value : value, power);
        }
        return sum;
    }
};

} // namespace gpu
