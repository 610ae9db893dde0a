// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

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

/// One pass over the channels of some pixels: maps, counts per plane, mask words. A thread has `wide` neighbouring pixels, of
/// which one load brings all values of a channel, and a block those of all its threads; channels come in ascending order, in
/// float64, `together` of them read ahead of their use.
template <class S, int wide>
struct ReduceBody
{
    using Parameters = ReduceParameters;
    using Seen = SeenOf<S>;
    using Map = MapOf<S>;
    static constexpr int together = wide == 1 ? 8 : wide > 8 ? 2 : 4;
    static constexpr int blockPixels = blockThreads * wide;
    /// Channels whose counts are kept in the block before they are added to those of all.
    static constexpr int counted = 32;

    struct Shared
    {
        std::uint32_t counts[counted][blockWarps];
    };

    struct Pixel
    {
        double sum;
        double absolute;
        double square;
        Map max;
        std::int32_t count;
    };
    struct Pixels
    {
        Pixel of[wide];
    };

    struct alignas(sizeof(S) * wide) Piece
    {
        S values[wide];
    };
    struct Ahead
    {
        Piece channels[together];
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
    };

    ACTISCOPE_BOTH static Place placeOf(std::int64_t block, const Parameters& p)
    {
        const std::int64_t first = block % p.blocksPerBatch * blockPixels;
        const std::int64_t rest = p.pixels - first;
        return {p.firstBatch + block / p.blocksPerBatch, p.firstPixel + first, rest < blockPixels ? rest : blockPixels};
    }

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared& shared, const Parameters& p)
    {
        const Values<S> values = p.planes.as<S>();
        const Place place = placeOf(block.index(), p);
        const std::int64_t channels = p.planes.channels;
        typename Block::template PerThread<Pixels> pixels;
        typename Block::template PerThread<Ahead> ahead;
        typename Block::template PerThread<Votes> votes;
        block.each([&](int thread) { clear(pixels[thread]); });
        for (std::int64_t group = 0; group < channels; group += counted) {
            const int inGroup = static_cast<int>(channels - group < counted ? channels - group : counted);
            for (int step = 0; step < inGroup; step += together) {
                const int n = inGroup - step < together ? inGroup - step : together;
                const std::int64_t plane = place.batch * channels + group + step;
                block.each([&](int thread) {
                    if (thread * wide < place.pixels)
                        fetch(values.first + plane * p.planes.elements + place.pixel + thread * wide, p.planes.elements, n,
                              ahead[thread]);
                });
                ACTISCOPE_UNROLL
                for (int u = 0; u < together; ++u) {
                    if (u >= n)
                        continue;
                    const Hot<Seen> hot = p.hot.of<Seen>(group + step + u);
                    ACTISCOPE_UNROLL
                    for (int k = 0; k < wide; ++k)
                        block.vote(
                            [&](int thread) {
                                return thread * wide < place.pixels &&
                                       add(values.see(ahead[thread].channels[u].values[k]), hot, p, pixels[thread].of[k]);
                            },
                            [&](int thread, std::uint32_t bits) { votes[thread].bits[k] = bits; });
                    block.each([&](int thread) {
                        keep(votes[thread], thread, place, shared.counts[step + u], p, (plane + u) * p.maskWords);
                    });
                }
            }
            if (p.counts) {
                block.phase([](int) {});
                block.phase([&](int thread) {
                    if (thread < inGroup)
                        addCounts(block, shared.counts[thread], p.counts + place.batch * channels + group + thread);
                });
            }
        }
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
            pixels.of[k] = {0, 0, 0, -std::numeric_limits<Map>::infinity(), 0};
    }

    ACTISCOPE_BOTH static void fetch(const S* first, std::int64_t stride, int n, Ahead& to)
    {
        // A full group has a known length, so that its loads are under way together.
        ACTISCOPE_UNROLL
        for (int u = 0; u < together; ++u)
            if (u < n)
                to.channels[u] = load(first + u * stride);
    }

    /// In one load: the compiler would make one of each value of a copy.
    ACTISCOPE_BOTH static Piece load(const S* from)
    {
        Piece piece;
#ifdef __CUDA_ARCH__
        if constexpr (sizeof(Piece) == wideBytes) {
            const uint4 bits = *reinterpret_cast<const uint4*>(from);
            memcpy(&piece, &bits, sizeof piece);
            return piece;
        }
#endif
        memcpy(&piece, from, sizeof piece);
        return piece;
    }

    ACTISCOPE_BOTH static bool add(Seen value, const Hot<Seen>& hot, const Parameters& p, Pixel& to)
    {
        if (!hot(value))
            return false;
        ++to.count;
        const double real = static_cast<double>(value);
        if (p.sum)
            to.sum += real;
        if (p.absolute)
            to.absolute += real < 0 ? -real : real;
        if (p.square)
            to.square += real * real;
        const Map mapped = static_cast<Map>(value);
        if (mapped > to.max || mapped != mapped)
            to.max = mapped;
        return true;
    }

    /// Of one channel: hot pixels of a warp, and its mask words, of which `firstWord` is the plane's first.
    ACTISCOPE_BOTH static void keep(const Votes& votes, int thread, const Place& place, std::uint32_t* warps,
                                    const Parameters& p, std::int64_t firstWord)
    {
        const int warp = thread / warpThreads;
        const int lane = thread % warpThreads;
        if (p.counts && lane == 0) {
            // Only this thread writes here, and others read it after a barrier.
            int count = 0;
            ACTISCOPE_UNROLL
            for (int k = 0; k < wide; ++k)
                count += countBits(votes.bits[k]);
            warps[warp] = static_cast<std::uint32_t>(count);
        }
        const std::int64_t word = warp * wide + lane;
        if (!p.mask || lane >= wide || word * 32 >= place.pixels)
            return;
        // A word has the pixels of 32 / wide threads.
        constexpr int threads = 32 / wide;
        constexpr std::uint32_t all = ~std::uint32_t{0} >> (32 - threads);
        std::uint32_t bits = 0;
        ACTISCOPE_UNROLL
        for (int k = 0; k < wide; ++k)
            bits |= spreadBits<wide>(votes.bits[k] >> lane * (threads % 32) & all) << k;
        p.mask[firstWord + place.pixel / 32 + word] = bits;
    }

    template <class Block>
    ACTISCOPE_BOTH static void addCounts(Block& block, const std::uint32_t* warps, std::uint64_t* to)
    {
        std::uint64_t count = 0;
        for (int warp = 0; warp < blockWarps; ++warp)
            count += warps[warp];
        if (count > 0)
            block.add(to, count);
    }

    ACTISCOPE_BOTH static void write(const Pixel& pixel, std::int64_t at, const Parameters& p)
    {
        if (p.count)
            p.count[at] = pixel.count;
        if (p.sum)
            p.sum[at] = pixel.sum;
        if (p.absolute)
            p.absolute[at] = pixel.absolute;
        if (p.square)
            p.square[at] = pixel.square;
        if (p.max)
            static_cast<Map*>(p.max)[at] = pixel.count > 0 ? pixel.max : std::numeric_limits<Map>::quiet_NaN();
    }
};

/// The body that ReduceParameters::isWide asks for.
template <class S>
using WideReduceBody = ReduceBody<S, wideBytes / static_cast<int>(sizeof(S))>;

} // namespace gpu
