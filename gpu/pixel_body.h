// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/wide_load.h"

namespace gpu {

/// Bits 0 .. 32 / stride - 1 moved `stride` places apart.
template <int stride>
ACTISCOPE_BOTH std::uint32_t spreadBits(std::uint32_t bits)
{
    if constexpr (stride > 1) {
        // Groups of bits are halved, and the upper halves moved up.
        ACTISCOPE_UNROLL
        for (int group = 16 / stride; group > 0; group /= 2) {
            std::uint32_t kept = 0;
            ACTISCOPE_UNROLL
            for (int at = 0; at < 32; at += group * stride)
                kept |= ((std::uint32_t{1} << group) - 1) << at;
            bits = (bits | bits << group * (stride - 1)) & kept;
        }
    }
    return bits;
}

/// One pass over the channels of pixels: maps, counts per plane, mask words, counts of these. A thread has `wide` neighbouring
/// pixels, of which one load brings all values of a channel, and a block those of all its threads; channels come in ascending
/// order, in float64, `together` of them read ahead of their use.
template <class S, int wide>
struct ReduceBody
{
    using Parameters = ReduceParameters;
    using Seen = SeenOf<S>;
    using Map = MapOf<S>;
    static constexpr int together = wide == 1 ? 8 : wide > 8 ? 2 : 4;
    static constexpr int blockPixels = blockThreads * wide;
    static constexpr int words = blockPixels / 32;

    struct Shared
    {
        std::uint32_t counts[groupChannels][blockWarps];
    };

    struct Pixel
    {
        double sum;
        Map max;
        std::int32_t count;
    };
    struct Pixels
    {
        Pixel of[wide];
    };

    struct Ahead
    {
        Piece<S, wide> channels[together];
    };

    /// Bit i of bits[k]: pixel k of thread i of the warp is hot.
    struct Votes
    {
        std::uint32_t bits[wide];
    };

    /// What a block works on.
    struct Place
    {
        std::int64_t batch;
        /// First pixel, in the plane; and how many there are.
        std::int64_t pixel;
        std::int64_t pixels;
        std::int64_t firstChannel;
        std::int64_t endChannel;
        bool withMaps;
    };

    ACTISCOPE_BOTH static std::int64_t planeBlocks(const Parameters& p)
    {
        return (p.planes.elements + blockPixels - 1) / blockPixels;
    }

    ACTISCOPE_BOTH static Place placeOf(std::int64_t block, const Parameters& p)
    {
        const std::int64_t channels = p.planes.channels;
        const std::int64_t maps = p.batches * p.blocksPerBatch;
        if (block < maps) {
            const std::int64_t first = block % p.blocksPerBatch * blockPixels;
            const std::int64_t rest = p.pixels - first;
            return {p.firstBatch + block / p.blocksPerBatch,
                    p.firstPixel + first,
                    rest < blockPixels ? rest : blockPixels,
                    0,
                    channels,
                    true};
        }
        const std::int64_t perPlane = planeBlocks(p);
        const std::int64_t groups = (channels + groupChannels - 1) / groupChannels;
        const std::int64_t number = block - maps;
        const std::int64_t item = number / (perPlane * groups);
        const std::int64_t firstChannel = number / perPlane % groups * groupChannels;
        const std::int64_t pixel = number % perPlane * blockPixels;
        const std::int64_t rest = p.planes.elements - pixel;
        return {item < p.mapsBegin ? item : item + p.mapsEnd - p.mapsBegin,
                pixel,
                rest < blockPixels ? rest : blockPixels,
                firstChannel,
                firstChannel + groupChannels < channels ? firstChannel + groupChannels : channels,
                false};
    }

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared& shared, const Parameters& p)
    {
        const Values<S> values = p.planes.as<S>();
        const Place place = placeOf(block.index(), p);
        const Hot<Seen> hotOfAll = p.hot.of<Seen>(0);
        typename Block::template PerThread<Pixels> pixels;
        typename Block::template PerThread<Ahead> ahead;
        typename Block::template PerThread<Votes> votes;
        block.each([&](int thread) { clear(pixels[thread]); });
        for (std::int64_t group = place.firstChannel; group < place.endChannel; group += groupChannels) {
            const std::int64_t left = place.endChannel - group;
            const int inGroup = static_cast<int>(left < groupChannels ? left : groupChannels);
            const std::int64_t firstPlane = place.batch * p.planes.channels + group;
            for (int step = 0; step < inGroup; step += together) {
                const int n = inGroup - step < together ? inGroup - step : together;
                block.each([&](int thread) {
                    if (thread * wide < place.pixels)
                        fetch(values.first + (firstPlane + step) * p.planes.elements + place.pixel + thread * wide,
                              p.planes.elements, n, ahead[thread]);
                });
                ACTISCOPE_UNROLL
                for (int u = 0; u < together; ++u) {
                    if (u >= n)
                        continue;
                    const Hot<Seen> hot = p.hot.step ? p.hot.of<Seen>(group + step + u) : hotOfAll;
                    ACTISCOPE_UNROLL
                    for (int k = 0; k < wide; ++k)
                        block.vote(
                            [&](int thread) {
                                const Seen value = values.see(ahead[thread].channels[u].values[k]);
                                const bool isHot = thread * wide < place.pixels && hot(value);
                                if (isHot && place.withMaps)
                                    add(value, p.kind, pixels[thread].of[k]);
                                return isHot;
                            },
                            [&](int thread, std::uint32_t bits) { votes[thread].bits[k] = bits; });
                    block.each([&](int thread) {
                        keep(votes[thread], thread, place, shared.counts[step + u], p, firstPlane + step + u);
                    });
                }
            }
            if (!p.counts && !p.blockCounts)
                continue;
            // Counts are read by another thread than those that wrote them.
            block.phase([](int) {});
            block.phase([&](int thread) {
                if (thread < inGroup)
                    addCounts(block, shared.counts[thread], p, firstPlane + thread, place.pixel / blockPixels);
            });
        }
        if (!place.withMaps)
            return;
        const std::int64_t target = (place.batch - p.firstBatch) * p.pixels + place.pixel - p.firstPixel;
        block.each([&](int thread) {
            ACTISCOPE_UNROLL
            for (int k = 0; k < wide; ++k)
                if (thread * wide < place.pixels)
                    write(pixels[thread].of[k], target + thread * wide + k, p);
        });
    }

    ACTISCOPE_BOTH static void clear(Pixels& pixels)
    {
        ACTISCOPE_UNROLL
        for (int k = 0; k < wide; ++k)
            pixels.of[k] = {0, -std::numeric_limits<Map>::infinity(), 0};
    }

    ACTISCOPE_BOTH static void fetch(const S* first, std::int64_t stride, int n, Ahead& to)
    {
        // A full group has a known length, so that its loads are under way together.
        ACTISCOPE_UNROLL
        for (int u = 0; u < together; ++u)
            if (u < n)
                to.channels[u] = loadPiece<S, wide>(first + u * stride);
    }

    ACTISCOPE_BOTH static void add(Seen value, PixelSum kind, Pixel& to)
    {
        ++to.count;
        const double real = static_cast<double>(value);
        if (kind == PixelSum::values)
            to.sum += real;
        else if (kind == PixelSum::magnitudes)
            to.sum += real < 0 ? -real : real;
        else if (kind == PixelSum::squares)
            to.sum += real * real;
        const Map mapped = static_cast<Map>(value);
        if (mapped > to.max || mapped != mapped)
            to.max = mapped;
    }

    /// Of one channel of a plane: hot pixels of a warp, and its mask words.
    ACTISCOPE_BOTH static void keep(const Votes& votes, int thread, const Place& place, std::uint32_t* warps,
                                    const Parameters& p, std::int64_t plane)
    {
        const int warp = thread / warpThreads;
        const int lane = thread % warpThreads;
        if (lane == 0) {
            // Only this thread writes here, and others read it after a barrier.
            int count = 0;
            ACTISCOPE_UNROLL
            for (int k = 0; k < wide; ++k)
                count += countBits(votes.bits[k]);
            warps[warp] = static_cast<std::uint32_t>(count);
        }
        if (!p.mask || lane >= wide)
            return;
        // A word has the pixels of 32 / wide threads.
        constexpr int threads = 32 / wide;
        constexpr std::uint32_t all = ~std::uint32_t{0} >> (32 - threads);
        std::uint32_t bits = 0;
        ACTISCOPE_UNROLL
        for (int k = 0; k < wide; ++k)
            bits |= spreadBits<wide>(votes.bits[k] >> lane * (threads % 32) & all) << k;
        p.mask[(plane * p.planeBlocks + place.pixel / blockPixels) * words + warp * wide + lane] = bits;
    }

    /// Of one channel, all warps'.
    template <class Block>
    ACTISCOPE_BOTH static void addCounts(Block& block, const std::uint32_t* warps, const Parameters& p, std::int64_t plane,
                                         std::int64_t inPlane)
    {
        std::uint32_t count = 0;
        for (int warp = 0; warp < blockWarps; ++warp)
            count += warps[warp];
        if (p.counts && count > 0)
            block.add(p.counts + plane, std::uint64_t{count});
        if (p.blockCounts)
            p.blockCounts[plane * p.planeBlocks + inPlane] = count;
    }

    ACTISCOPE_BOTH static void write(const Pixel& pixel, std::int64_t at, const Parameters& p)
    {
        if (p.count)
            p.count[at] = pixel.count;
        if (p.sum)
            p.sum[at] = pixel.sum;
        if (p.max)
            static_cast<Map*>(p.max)[at] = pixel.count > 0 ? pixel.max : std::numeric_limits<Map>::quiet_NaN();
    }
};

/// The body that ReduceParameters::isWide asks for.
template <class S>
using WideReduceBody = ReduceBody<S, wideOf<S>>;

} // namespace gpu
