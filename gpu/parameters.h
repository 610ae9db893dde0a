// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/values.h"

/// What kernels are told, as plain pointers to a device's memory. A tensor lies there packed: plane after plane, batch-major.
/// All indices are 64-bit.
namespace gpu {

/// As core/engine/lane_sum.h, which says in which order sums are taken.
inline constexpr int laneCount = 16;
inline constexpr std::int64_t tileElements = 4096;
/// Tiles that a block takes: one thread for each lane.
inline constexpr int blockTiles = blockThreads / laneCount;

/// A condition for each channel, or one for all (`step` 0). `conditions` are Hot<SeenOf<S>>.
struct HotTable
{
    const void* conditions;
    std::int64_t step;

    template <class T>
    ACTISCOPE_BOTH Hot<T> of(std::int64_t channel) const
    {
        return static_cast<const Hot<T>*>(conditions)[channel * step];
    }
};

/// The packed values of a tensor.
struct Planes
{
    const void* values;
    const float* float8;
    std::int64_t channels;
    /// Elements of a plane.
    std::int64_t elements;

    template <class S>
    ACTISCOPE_BOTH Values<S> as() const
    {
        return {static_cast<const S*>(values), float8};
    }
};

/// The tiles [first, first + count) of all tiles of all planes. A block takes blockTiles of them.
struct TileRange
{
    std::int64_t tilesPerPlane;
    std::int64_t first;
    std::int64_t count;
};

/// core::TileStatistics and the squared deviations from the tile's mean. The sum of integers is high * 2^32 + low.
template <class T>
struct TileResult
{
    T min;
    T max;
    double sum;
    double squares;
    std::uint64_t low;
    std::int64_t high;
    std::uint32_t finite;
    std::uint32_t zeros;
    std::uint32_t nan;
    std::uint32_t positiveInf;
    std::uint32_t negativeInf;
};

struct ScanParameters
{
    Planes planes;
    TileRange tiles;
    /// TileResult<SeenOf<S>> [count].
    void* results;
};

/// Hot elements of a tile.
struct HotTile
{
    double sum;
    std::uint64_t low;
    std::int64_t high;
    std::uint32_t count;
};

struct SumParameters
{
    Planes planes;
    TileRange tiles;
    HotTable hot;
    /// Counts alone where not.
    bool withSums;
    HotTile* results;
};

/// As core::NormPart: what a norm adds up.
enum class NormKind { absolute, squares, largest, nonzero };

struct NormParameters
{
    Planes planes;
    TileRange tiles;
    NormKind kind;
    double* results;
};

/// The channel with the largest value at each pixel of batch items [firstBatch, ...): blocks as in ReduceParameters, of all
/// pixels.
struct LabelParameters
{
    Planes planes;
    std::int64_t firstBatch;
    std::int64_t blocksPerBatch;
    /// [batches x pixels]: one of them.
    std::uint8_t* labels8;
    std::int32_t* labels32;
    /// The largest values as stored, or null.
    void* values;
};

/// Reduces the channels of pixels [firstPixel, firstPixel + pixels) of batch items [firstBatch, ...). A block takes
/// blockThreads pixels of one batch item: block b those at b % blocksPerBatch of batch item b / blocksPerBatch.
struct ReduceParameters
{
    Planes planes;
    HotTable hot;
    std::int64_t firstBatch;
    std::int64_t firstPixel;
    std::int64_t pixels;
    std::int64_t blocksPerBatch;
    /// [batches x pixels] each, or null: not wanted. `max` is MapOf<S>, NaN where no channel is hot.
    std::int32_t* count;
    double* sum;
    double* absolute;
    double* square;
    void* max;
    /// Hot elements are added, [all batch items x channels]; or null.
    std::uint64_t* counts;
    /// Bits of hot elements, `maskWords` words for each plane of all batch items; or null. Then firstPixel is a multiple of 32.
    std::uint32_t* mask;
    std::int64_t maskWords;
};

/// Elements in some order, as strided axes over the packed values, outermost first.
struct Order
{
    static constexpr int most = 5;
    int axes;
    std::int64_t extent[most];
    std::int64_t stride[most];

    ACTISCOPE_BOTH std::int64_t offsetOf(std::int64_t index) const
    {
        if (axes == 1)
            return index * stride[0];
        std::int64_t offset = 0;
        for (int axis = axes - 1; axis > 0; --axis) {
            offset += index % extent[axis] * stride[axis];
            index /= extent[axis];
        }
        return offset + index * stride[0];
    }
};

/// Elements that a block marks or lists.
inline constexpr std::int64_t markElements = 2048;
inline constexpr int markWords = markElements / 32;

/// Marks hot elements among [first, first + count) of an order.
struct MarkParameters
{
    Planes planes;
    Order order;
    std::int64_t first;
    std::int64_t count;
    HotTable hot;
    /// Elements of the order from one channel index to the next.
    std::int64_t channelRun;
    /// Bit i % 32 of word i / 32 is element first + i; whole blocks are written.
    std::uint32_t* mask;
    /// Hot elements of each block.
    std::uint32_t* blockCounts;
};

/// Lists the elements whose bits are set in the blocks [firstBlock, ...) of a mask, ascending.
struct ListParameters
{
    const std::uint32_t* mask;
    std::int64_t firstBlock;
    /// For each block of the mask: how many bits are set before it.
    const std::uint64_t* before;
    /// Bits set before `firstBlock`: those of the first one listed go to index 0.
    std::uint64_t skipped;
    /// Element index less that of the first block's first element.
    std::uint32_t* offsets;
    /// Their values as stored, or null. `first` is the element of the order that bit 0 of the mask stands for.
    void* values;
    const void* source;
    Order order;
    std::int64_t first;
};

enum class BinKind { digits, edges, integers, keyAfter };

/// Elements that a block counts in bins.
inline constexpr std::int64_t binElements = 16384;
/// Most bins that a block counts for itself first.
inline constexpr int blockBins = 4096;

/// Counts the values of the planes firstPlane, firstPlane + planeStep, ... in bins: see core::ValueCounter.
struct BinParameters
{
    Planes planes;
    BinKind kind;
    std::int64_t firstPlane;
    std::int64_t planeStep;
    /// Blocks that a plane takes: block b counts piece b % piecesPerPlane of plane number b / piecesPerPlane of the set.
    std::int64_t piecesPerPlane;
    std::int64_t bins;
    std::uint64_t* counts;
    /// digits: the digit at `shift` of keys that equal `prefix` above it (everywhere when the key ends there).
    std::uint64_t prefix;
    int shift;
    /// edges: bins + 1 ascending values.
    const double* edges;
    double scale;
    /// integers: the value of bin 0.
    std::int64_t lo;
    /// keyAfter: `least` is lowered to the smallest key above `key`.
    std::uint64_t key;
    std::uint64_t* least;
};

} // namespace gpu
