// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/wide_load.h"

namespace gpu {

/// The channel with the largest value at each pixel: of equals the first, NaN larger than any number. A thread has `wide`
/// neighbouring pixels, of which one load brings all values of a channel; nothing is shared.
template <class S, int wide>
struct LabelBody
{
    using Parameters = LabelParameters;
    using Seen = SeenOf<S>;
    static constexpr int together = wide == 1 ? 8 : 4;
    static constexpr int blockPixels = blockThreads * wide;

    struct Shared
    {
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared&, const Parameters& p)
    {
        const std::int64_t batch = block.index() / p.blocksPerBatch;
        const std::int64_t first = block.index() % p.blocksPerBatch * blockPixels;
        block.each([&](int thread) {
            if (first + thread * wide < p.planes.elements)
                label(p, batch, first + thread * wide);
        });
    }

    ACTISCOPE_BOTH static void label(const Parameters& p, std::int64_t batch, std::int64_t pixel)
    {
        const Values<S> values = p.planes.as<S>();
        const std::int64_t stride = p.planes.elements;
        const S* const begin = values.first + (p.firstBatch + batch) * p.planes.channels * stride + pixel;
        Piece<S, wide> largest = loadPiece<S, wide>(begin);
        std::int32_t winners[wide] = {};
        std::int64_t channel = 1;
        // Several values are under way together.
        for (; channel + together <= p.planes.channels; channel += together) {
            Piece<S, wide> ahead[together];
            ACTISCOPE_UNROLL
            for (int u = 0; u < together; ++u)
                ahead[u] = loadPiece<S, wide>(begin + (channel + u) * stride);
            ACTISCOPE_UNROLL
            for (int u = 0; u < together; ++u)
                take(values, ahead[u], static_cast<std::int32_t>(channel + u), largest, winners);
        }
        for (; channel < p.planes.channels; ++channel)
            take(values, loadPiece<S, wide>(begin + channel * stride), static_cast<std::int32_t>(channel), largest, winners);
        write(p, batch * stride + pixel, largest, winners);
    }

    ACTISCOPE_BOTH static void take(const Values<S>& values, const Piece<S, wide>& stored, std::int32_t channel,
                                    Piece<S, wide>& largest, std::int32_t (&winners)[wide])
    {
        ACTISCOPE_UNROLL
        for (int k = 0; k < wide; ++k) {
            const Seen value = values.see(stored.values[k]);
            const Seen before = values.see(largest.values[k]);
            if (value > before || (value != value && before == before)) {
                largest.values[k] = stored.values[k];
                winners[k] = channel;
            }
        }
    }

    ACTISCOPE_BOTH static void write(const Parameters& p, std::int64_t at, const Piece<S, wide>& largest,
                                     const std::int32_t (&winners)[wide])
    {
        ACTISCOPE_UNROLL
        for (int k = 0; k < wide; ++k) {
            if (p.labels8)
                p.labels8[at + k] = static_cast<std::uint8_t>(winners[k]);
            else
                p.labels32[at + k] = winners[k];
            if (p.values)
                static_cast<S*>(p.values)[at + k] = largest.values[k];
        }
    }
};

/// The body that LabelParameters::isWide asks for.
template <class S>
using WideLabelBody = LabelBody<S, wideOf<S>>;

} // namespace gpu
