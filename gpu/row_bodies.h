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
                [&](int thread, std::uint32_t bits) {
                    if (thread % warpThreads != 0)
                        return;
                    const int word = step * blockWarps + thread / warpThreads;
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

/// Lists set bits: a thread a row, which it looks up among the sums of blocks and then in the block's words. S only says how
/// many bytes a value has. Nothing is shared.
template <class S>
struct ListBody
{
    using Parameters = ListParameters;

    struct Shared
    {
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared&, const Parameters& p)
    {
        const std::int64_t begin = block.index() * blockThreads;
        block.each([&](int thread) {
            const std::int64_t at = begin + thread;
            const std::int64_t row = p.firstRow + at;
            if (at < p.rows && row < static_cast<std::int64_t>(p.marked.before[p.marked.blocks]))
                list(p, static_cast<std::uint64_t>(row), at);
        });
    }

    ACTISCOPE_BOTH static void list(const Parameters& p, std::uint64_t row, std::int64_t at)
    {
        const MarkedBlocks& marked = p.marked;
        const std::int64_t block = blockOf(marked, row);
        const std::uint32_t* const words = marked.mask + block * marked.blockWords;
        auto rest = static_cast<int>(row - marked.before[block]);
        int word = 0;
        for (; rest >= countBits(words[word]); ++word)
            rest -= countBits(words[word]);
        const std::int64_t inRun = (block % marked.runBlocks * marked.blockWords + word) * 32;
        const std::int64_t offset = block / marked.runBlocks * marked.runElements + inRun + placeOfBit(words[word], rest);
        p.offsets[at] = static_cast<std::uint32_t>(offset);
        if (p.values)
            static_cast<S*>(p.values)[at] = static_cast<const S*>(p.source)[p.order.offsetOf(p.first + offset)];
    }

    /// The last block with at most `row` bits before it: the one that holds it.
    ACTISCOPE_BOTH static std::int64_t blockOf(const MarkedBlocks& marked, std::uint64_t row)
    {
        std::int64_t low = 0;
        std::int64_t end = marked.blocks;
        while (end - low > 1) {
            const std::int64_t middle = low + (end - low) / 2;
            if (marked.before[middle] <= row)
                low = middle;
            else
                end = middle;
        }
        return low;
    }
};

} // namespace gpu
