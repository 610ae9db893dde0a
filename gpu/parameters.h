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
    HotTile* results;
};

/// As core::NormPart: what a norm adds up; powers are |v|^power.
enum class NormKind { absolute, squares, largest, nonzero, powers };

struct NormParameters
{
    Planes planes;
    TileRange tiles;
    NormKind kind;
    double power;
    double* results;
};

/// Bytes that a wide load brings.
inline constexpr int wideBytes = 16;

/// Hot elements of every plane. A warp takes a piece of a plane: `pieceWords` words of wideBytes bytes, of which the plane's
/// first and last may lie in its neighbours, too.
struct CountParameters
{
    Planes planes;
    HotTable hot;
    std::int64_t piecesPerPlane;
    /// Of all planes.
    std::int64_t pieces;
    /// Hot elements are added for each plane.
    std::uint64_t* counts;
};
inline constexpr std::int64_t pieceWords = 512;

/// The channel with the largest value at each pixel of batch items [firstBatch, ...). Block b takes those at b % blocksPerBatch
/// of batch item firstBatch + b / blocksPerBatch.
struct LabelParameters
{
    Planes planes;
    /// As in ReduceParameters.
    bool isWide;
    std::int64_t firstBatch;
    std::int64_t blocksPerBatch;
    /// [batches x pixels]: one of them.
    std::uint8_t* labels8;
    std::int32_t* labels32;
    /// The largest values as stored, or null.
    void* values;
};

/// The double that a pass over pixels adds up.
enum class PixelSum { none, values, magnitudes, squares };

/// One pass over the channels of pixels. The first blocks make maps of pixels [firstPixel, firstPixel + pixels) of batch items
/// [firstBatch, firstBatch + batches): a block those at b % blocksPerBatch of one item, of all its channels. The others count
/// and mark what is asked of all pixels of all batch items but [mapsBegin, mapsEnd): a block those of some pixels and channels.
struct ReduceParameters
{
    Planes planes;
    /// A thread takes as many neighbouring pixels as wideBytes hold, else one. Then `firstPixel`, `pixels` and the elements of
    /// a plane are multiples of that many.
    bool isWide;
    HotTable hot;
    std::int64_t firstBatch;
    std::int64_t batches;
    std::int64_t firstPixel;
    std::int64_t pixels;
    std::int64_t blocksPerBatch;
    std::int64_t mapsBegin;
    std::int64_t mapsEnd;
    /// [batches x pixels] each, or null: not wanted. `max` is MapOf<S>, NaN where no channel is hot.
    std::int32_t* count;
    PixelSum kind;
    double* sum;
    void* max;
    /// Hot elements are added, [all batch items x channels]; or null.
    std::uint64_t* counts;
    /// Bits of hot elements and how many each block's pixels have, for each plane of all batch items `planeBlocks` times as
    /// many words and counts as a block has; or null. Whole blocks are written. Then firstPixel is a multiple of a block's
    /// pixels.
    std::uint32_t* mask;
    std::uint32_t* blockCounts;
    std::int64_t planeBlocks;
};

/// Blocks beside those of maps take this many channels each.
inline constexpr int groupChannels = 32;

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
        ACTISCOPE_KEEP_LOOP
        for (int axis = axes - 1; axis > 0; --axis) {
            offset += index % extent[axis] * stride[axis];
            index /= extent[axis];
        }
        return offset + index * stride[0];
    }
};

/// Elements that a block marks.
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

/// A mask in blocks. Runs of elements, such as planes, begin with a block each.
struct MarkedBlocks
{
    const std::uint32_t* mask;
    /// For each block how many bits are set before it; and those of all.
    const std::uint64_t* before;
    std::int64_t blocks;
    int blockWords;
    std::int64_t runBlocks;
    std::int64_t runElements;
};

/// Lists rows [firstRow, firstRow + rows) of the elements whose bits are set in a mask, ascending; fewer where it has fewer.
struct ListParameters
{
    MarkedBlocks marked;
    std::int64_t firstRow;
    std::int64_t rows;
    /// Element index less that of the mask's first element.
    std::uint32_t* offsets;
    /// Their values as stored, or null. `first` is the element of the order that bit 0 of the mask stands for.
    void* values;
    const void* source;
    Order order;
    std::int64_t first;
};

/// As core::Update.
enum class UpdateKind { set, absolute, negate, clamp, scale, replace };

/// Elements that a block updates or chooses.
inline constexpr std::int64_t copyElements = 1024;

/// Copies elements [first, first + count) of an order, the hot ones updated as core::ElementUpdate says.
struct UpdateParameters
{
    Planes planes;
    Order order;
    std::int64_t first;
    std::int64_t count;
    HotTable hot;
    UpdateKind kind;
    /// The numbers of the update: bits of SeenOf<S>, in the lower bytes.
    std::uint64_t value;
    std::uint64_t lower;
    std::uint64_t upper;
    /// replace: packed values of the other tensor.
    const void* other;
    /// Of 8-bit floats: what each byte becomes when it is hot.
    const std::uint8_t* bytes;
    /// As stored, [count].
    void* to;
    /// Hot elements are added for each plane, before the update and after it.
    std::uint64_t* before;
    std::uint64_t* after;
};

/// Copies elements [first, first + count) of an order, from one of two tensors by plane.
struct ChooseParameters
{
    Planes planes;
    /// Packed values of the other tensor.
    const void* other;
    /// For each plane whether the first tensor's is taken.
    const std::uint8_t* isFirst;
    Order order;
    std::int64_t first;
    std::int64_t count;
    void* to;
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
