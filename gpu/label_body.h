// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

namespace gpu {

/// The channel with the largest value at each pixel: of equals the first, NaN larger than any number. A thread a pixel; nothing
/// is shared.
template <class S>
struct LabelBody
{
    using Parameters = LabelParameters;
    using Seen = SeenOf<S>;
    static constexpr int together = 8;

    struct Shared
    {
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared&, const Parameters& p)
    {
        const std::int64_t batch = block.index() / p.blocksPerBatch;
        const std::int64_t first = block.index() % p.blocksPerBatch * blockThreads;
        block.each([&](int thread) {
            if (first + thread < p.planes.elements)
                label(p, batch, first + thread);
        });
    }

    ACTISCOPE_BOTH static void label(const Parameters& p, std::int64_t batch, std::int64_t pixel)
    {
        const Values<S> values = p.planes.as<S>();
        const std::int64_t stride = p.planes.elements;
        const std::int64_t begin = (p.firstBatch + batch) * p.planes.channels * stride + pixel;
        S largest = values.first[begin];
        std::int64_t winner = 0;
        std::int64_t channel = 1;
        // Several values are under way together.
        for (; channel + together <= p.planes.channels; channel += together) {
            S ahead[together];
            for (int u = 0; u < together; ++u)
                ahead[u] = values.first[begin + (channel + u) * stride];
            for (int u = 0; u < together; ++u)
                take(values, ahead[u], channel + u, largest, winner);
        }
        for (; channel < p.planes.channels; ++channel)
            take(values, values.first[begin + channel * stride], channel, largest, winner);
        const std::int64_t at = batch * stride + pixel;
        if (p.labels8)
            p.labels8[at] = static_cast<std::uint8_t>(winner);
        else
            p.labels32[at] = static_cast<std::int32_t>(winner);
        if (p.values)
            static_cast<S*>(p.values)[at] = largest;
    }

    ACTISCOPE_BOTH static void take(const Values<S>& values, S stored, std::int64_t channel, S& largest, std::int64_t& winner)
    {
        const Seen value = values.see(stored);
        const Seen before = values.see(largest);
        if (value > before || (value != value && before == before)) {
            largest = stored;
            winner = channel;
        }
    }
};

} // namespace gpu
