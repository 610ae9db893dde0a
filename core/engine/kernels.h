// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/dtype.h"
#include "core/engine/predicate.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

/// What the CPU engine does to contiguous memory. Every function exists for the stored types std::uint8_t (also bool),
/// std::int8_t ... std::int64_t, Half, BFloat16, float and double; 8-bit floats are widened first (widenFloat8). Values may lie
/// at any address. Results are the same bits for every vector width. Thread safe; nothing throws.
namespace core {

/// The type in which elements of a stored type are compared (see CompareType): float for Half and BFloat16, else itself.
template <class Stored>
using CompareOf = std::conditional_t<std::is_same_v<Stored, Half> || std::is_same_v<Stored, BFloat16>, float, Stored>;

/// The type of a max map: float where it holds every stored value, else double.
template <class Stored>
using MapType = std::conditional_t<(sizeof(Stored) <= 2) || std::is_same_v<Stored, float>, float, double>;

/// The predicate that every element meets, NaN included.
template <class Compare>
constexpr Predicate<Compare> everyElement()
{
    // The empty interval, inverted.
    return {std::numeric_limits<Compare>::max(), std::numeric_limits<Compare>::lowest(), true, true};
}

/// Words of a mask of `elements`: bit i % 64 of word i / 64 is element i; bits past the end are 0.
constexpr std::int64_t maskWords(std::int64_t elements)
{
    return (elements + 63) / 64;
}

/// Number of hot elements among `n` values.
template <class Stored>
std::int64_t countHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate);

/// Writes maskWords(n) words and returns the number of hot elements.
template <class Stored>
std::int64_t markHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate,
                     std::uint64_t* mask);

/// Sum of the hot values of one tile (n <= tileElements) of a float type, in the order of lane_sum.h.
template <class Stored>
double sumHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate);

/// Sum of the hot values of an integer type, any n.
template <class Stored>
__int128 sumHotExactly(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate);

/// What one tile of a plane holds.
template <class Compare>
struct TileStatistics
{
    std::int64_t finite = 0;
    std::int64_t zeros = 0;
    std::int64_t nan = 0;
    std::int64_t positiveInf = 0;
    std::int64_t negativeInf = 0;
    /// Over finite values; lowest > highest when there are none. A zero is +0.
    Compare min = std::numeric_limits<Compare>::max();
    Compare max = std::numeric_limits<Compare>::lowest();
    /// Of finite values, float types: in the order of lane_sum.h.
    double sum = 0;
    /// Integer types: exact.
    __int128 integerSum = 0;
    /// Sum of (v - mean)^2 over finite values, float types: see tileSquares.
    double squares = 0;
};

/// Squared deviations of a tile from its mean without another look at its values: from those from a pivot (a value of the tile)
/// when all of its `n` values are finite. Nothing where the difference would lose digits: then they are summed once more.
std::optional<double> tileSquares(double fromPivot, double pivot, double sum, std::int64_t n);

/// Elements of a block of a plane, of which the first scan keeps a ZoneRange; tiles hold whole blocks.
inline constexpr std::int64_t zoneElements = 1024;

/// Smallest and largest of some values, infinities too, NaN left out; lowest > highest when there are none.
template <class Compare>
struct ZoneRange
{
    Compare lowest = highestOf();
    Compare highest = lowestOf();

    static constexpr Compare highestOf()
    {
        using Limits = std::numeric_limits<Compare>;
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
    static constexpr Compare lowestOf()
    {
        using Limits = std::numeric_limits<Compare>;
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
};

/// What else a scan of a tile fills (null: not wanted), and where the next tile lies.
template <class Stored>
struct TileScan
{
    /// One for each zoneElements of the tile.
    ZoneRange<CompareOf<Stored>>* zones = nullptr;
    /// As raiseMax has it.
    MapType<Stored>* max = nullptr;
    /// Asked for meanwhile, as the processor could not foresee it.
    const std::byte* ahead = nullptr;
};

/// Statistics of one tile, n <= tileElements.
template <class Stored>
TileStatistics<CompareOf<Stored>> scanTile(const std::byte* values, std::int64_t n, const TileScan<Stored>& more = {});

/// max[i] = values[i] where that is larger; NaN is not.
template <class Stored>
void raiseMax(const std::byte* values, std::int64_t n, MapType<Stored>* max);

/// Sum over the finite values v of one tile of (v - mean)^2 in float64, in the order of lane_sum.h.
template <class Stored>
double squaredDeviations(const std::byte* values, std::int64_t n, double mean);

/// Most pixels of a PixelTile: its accumulators then stay in a core's own caches.
inline constexpr std::int64_t maxTilePixels = 2048;

/// Pixels per tile when `batches` planes of `elements` are cut into tiles of at most `most` pixels: equal ones, as a short tile
/// is a slow one, and where there are few, as many as the threads share without a rest.
constexpr std::int64_t evenTilePixels(std::int64_t elements, std::int64_t batches, std::int64_t threads,
                                      std::int64_t most = maxTilePixels)
{
    constexpr std::int64_t few = 8;
    std::int64_t tiles = (elements + most - 1) / most;
    if (tiles == 0)
        return most;
    if (tiles * batches < few * threads)
        tiles = (tiles + threads - 1) / threads * threads;
    const std::int64_t pixels = ((elements + tiles - 1) / tiles + 63) / 64 * 64;
    return pixels < most ? pixels : most;
}

/// A stretch of pixels seen through all channels of one batch item, and what is wanted of it (null: not wanted).
/// Per pixel, channels are taken in ascending order, in float64.
template <class Stored>
struct PixelTile
{
    /// First pixel of the tile in channel 0.
    const std::byte* values = nullptr;
    std::int64_t channels = 0;
    /// Elements from one channel to the next.
    std::int64_t channelStride = 0;
    /// At most maxTilePixels.
    std::int64_t pixels = 0;
    Predicate<CompareOf<Stored>> predicate;

    /// [channels]: hot pixels are added.
    std::int64_t* counts = nullptr;
    /// maskWords(pixels) words per channel, `maskStride` words from one channel to the next.
    std::uint64_t* mask = nullptr;
    std::int64_t maskStride = 0;
    /// [pixels]: number of hot channels; sum of hot values, of their magnitudes, of their squares.
    std::int32_t* countMap = nullptr;
    double* sumMap = nullptr;
    double* absoluteMap = nullptr;
    double* squareMap = nullptr;
    /// [pixels]: the largest hot value; NaN when there is none or one of them is NaN.
    MapType<Stored>* maxMap = nullptr;
};

/// Fills what is wanted of a tile in one pass over its values.
template <class Stored>
void reduceChannels(const PixelTile<Stored>& tile);

/// One byte per element, 1 where hot.
void expandMask(const std::uint64_t* mask, std::int64_t elements, std::uint8_t* bytes);

/// Number of set bits.
std::int64_t countMask(const std::uint64_t* mask, std::int64_t words);

/// base + index of every set bit, ascending, as linear offsets. `offsets` has exactly as many entries as bits are set.
void listHot(const std::uint64_t* mask, std::int64_t words, std::uint32_t base, std::span<std::uint32_t> offsets);

/// How an offset within the last two axes of a tensor becomes a row of indices: prefix..., offset / width, offset % width.
struct RowPattern
{
    /// Indices along all axes but the last two (the last one when `onlyColumn`).
    std::span<const std::int64_t> prefix;
    /// Extent of the last axis.
    std::int64_t width = 1;
    /// Rank 1 tensors: prefix is empty and the row is the offset alone.
    bool onlyColumn = false;

    int rank() const { return static_cast<int>(prefix.size()) + (onlyColumn ? 1 : 2); }
};

/// Rows of ascending offsets, row-major [offsets, rank].
void writeRows(std::span<const std::uint32_t> offsets, const RowPattern& pattern, std::int64_t* rows);

/// The same by axes: index along axis a of row i goes to columns[a * columnStride + i] (the layout of torch.nonzero's result).
void writeColumns(std::span<const std::uint32_t> offsets, const RowPattern& pattern, std::int64_t* columns,
                  std::int64_t columnStride);

/// Widens 8-bit floats to float32.
void widenFloat8(DType dtype, const std::byte* values, std::int64_t n, float* widened);

} // namespace core
