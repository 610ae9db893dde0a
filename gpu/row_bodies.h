// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

namespace gpu {

/// Mask words of hot elements in an order, and how many each block has. A warp's vote is a mask word.
template <class S>
struct MarkBody
{
    using Parameters = MarkParameters;
    using Seen = SeenOf<S>;

    static constexpr int steps = markElements / blockThreads;

    struct Shared
    {
        std::uint32_t counts[markWords];
    };

    /// A thread's values, on their way together.
    struct Ahead
    {
        S stored[steps];
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared& shared, const Parameters& p)
    {
        const Values<S> values = p.planes.as<S>();
        const std::int64_t begin = block.index() * markElements;
        typename Block::template PerThread<Ahead> ahead;
        block.each([&](int thread) {
            for (int step = 0; step < steps; ++step)
                if (const std::int64_t at = begin + step * blockThreads + thread; at < p.count)
                    ahead[thread].stored[step] = values.first[p.order.offsetOf(p.first + at)];
        });
        const Hot<Seen> hotOfAll = p.hot.of<Seen>(0);
        for (int step = 0; step < steps; ++step) {
            const std::int64_t first = begin + step * blockThreads;
            block.vote(
                [&](int thread) {
                    if (first + thread >= p.count)
                        return false;
                    const Seen value = values.see(ahead[thread].stored[step]);
                    if (!p.hot.step)
                        return hotOfAll(value);
                    return p.hot.of<Seen>((p.first + first + thread) / p.channelRun % p.planes.channels)(value);
                },
                [&](int warp, std::uint32_t bits) {
                    const int word = step * blockWarps + warp;
                    p.mask[block.index() * markWords + word] = bits;
                    shared.counts[word] = static_cast<std::uint32_t>(countBits(bits));
                });
        }
        // Counts are read by another thread than those that wrote them.
        block.phase([](int) {});
        block.each([&](int thread) {
            if (thread > 0)
                return;
            std::uint32_t count = 0;
            for (int word = 0; word < markWords; ++word)
                count += shared.counts[word];
            p.blockCounts[block.index()] = count;
        });
    }
};

/// Lists set bits. S only says how many bytes a value has. Phases: bits of each word; those before each word, by doubling;
/// each thread lists a byte of the mask.
template <class S>
struct ListBody
{
    using Parameters = ListParameters;

    struct Shared
    {
        /// Two copies: a step of the doubling reads one and writes the other.
        std::uint32_t before[2][markWords];
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared& shared, const Parameters& p)
    {
        const std::int64_t at = p.firstBlock + block.index();
        const std::uint32_t* words = p.mask + at * markWords;
        block.phase([&](int thread) {
            if (thread < markWords)
                shared.before[0][thread] = static_cast<std::uint32_t>(countBits(words[thread]));
        });
        int from = 0;
        for (int distance = 1; distance < markWords; distance *= 2) {
            block.phase([&](int thread) {
                if (thread < markWords)
                    shared.before[1 - from][thread] =
                        shared.before[from][thread] + (thread >= distance ? shared.before[from][thread - distance] : 0);
            });
            from = 1 - from;
        }
        block.each([&](int thread) {
            const int word = thread / 4;
            const int shift = thread % 4 * 8;
            const std::uint32_t bits = words[word];
            std::uint64_t row = p.before[at] - p.skipped + (word > 0 ? shared.before[from][word - 1] : 0) +
                                static_cast<std::uint64_t>(countBits(bits & ((std::uint32_t{1} << shift) - 1)));
            const std::int64_t inList = block.index() * markElements + word * 32;
            for (int bit = shift; bit < shift + 8; ++bit)
                if (bits >> bit & 1) {
                    p.offsets[row] = static_cast<std::uint32_t>(inList + bit);
                    if (p.values)
                        static_cast<S*>(p.values)[row] =
                            static_cast<const S*>(p.source)[p.order.offsetOf(p.first + at * markElements + word * 32 + bit)];
                    ++row;
                }
        });
    }
};

} // namespace gpu
