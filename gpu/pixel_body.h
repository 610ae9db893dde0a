// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

namespace gpu {

/// One pass over the channels of some pixels: maps, counts per plane, mask words. A thread a pixel; channels in ascending
/// order, in float64. Neighbouring threads read neighbouring values, `together` channels ahead of their use.
template <class S>
struct ReduceBody
{
    using Parameters = ReduceParameters;
    using Seen = SeenOf<S>;
    using Map = MapOf<S>;
    static constexpr int together = 8;
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

        ACTISCOPE_BOTH void clear()
        {
            sum = absolute = square = 0;
            max = -std::numeric_limits<Map>::infinity();
            count = 0;
        }
    };

    struct Ahead
    {
        S stored[together];
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
        const std::int64_t first = block % p.blocksPerBatch * blockThreads;
        const std::int64_t rest = p.pixels - first;
        return {p.firstBatch + block / p.blocksPerBatch, p.firstPixel + first, rest < blockThreads ? rest : blockThreads};
    }

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared& shared, const Parameters& p)
    {
        const Values<S> values = p.planes.as<S>();
        const Place place = placeOf(block.index(), p);
        const std::int64_t channels = p.planes.channels;
        typename Block::template PerThread<Pixel> pixels;
        typename Block::template PerThread<Ahead> ahead;
        block.each([&](int thread) { pixels[thread].clear(); });
        for (std::int64_t group = 0; group < channels; group += counted) {
            const int inGroup = static_cast<int>(channels - group < counted ? channels - group : counted);
            for (int step = 0; step < inGroup; step += together) {
                const int n = inGroup - step < together ? inGroup - step : together;
                const std::int64_t plane = place.batch * channels + group + step;
                block.each([&](int thread) {
                    if (thread < place.pixels)
                        fetch(values, plane * p.planes.elements + place.pixel + thread, p.planes.elements, n, ahead[thread]);
                });
                for (int u = 0; u < n; ++u) {
                    const Hot<Seen> hot = p.hot.of<Seen>(group + step + u);
                    block.vote(
                        [&](int thread) {
                            return thread < place.pixels && add(values.see(ahead[thread].stored[u]), hot, p, pixels[thread]);
                        },
                        [&](int warp, std::uint32_t bits) {
                            // Only this warp's thread writes here, and others read it after the barrier below.
                            shared.counts[step + u][warp] = static_cast<std::uint32_t>(countBits(bits));
                            if (p.mask && warp * warpThreads < place.pixels)
                                p.mask[(plane + u) * p.maskWords + place.pixel / warpThreads + warp] = bits;
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
            if (thread < place.pixels)
                write(pixels[thread], target + thread, p);
        });
    }

    ACTISCOPE_BOTH static void fetch(const Values<S>& values, std::int64_t first, std::int64_t stride, int n, Ahead& to)
    {
        // A full group has a known length, so that its loads are under way together.
        if (n == together) {
            for (int u = 0; u < together; ++u)
                to.stored[u] = values.first[first + u * stride];
        } else {
            for (int u = 0; u < n; ++u)
                to.stored[u] = values.first[first + u * stride];
        }
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

} // namespace gpu
