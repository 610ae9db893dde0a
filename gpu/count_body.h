// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/wide_load.h"

namespace gpu {

/// Hot elements of every plane. A warp takes a piece, of which each thread takes every 32nd word of wideBytes bytes; several
/// are on their way together. Words that reach into another plane are looked at element by element. Nothing is shared.
template <class S>
struct CountBody
{
    using Parameters = CountParameters;
    using Seen = SeenOf<S>;
    static constexpr int wide = wideOf<S>;
    static constexpr int together = 8;
    static constexpr int rounds = static_cast<int>(pieceWords) / (warpThreads * together);
    static_assert(rounds * warpThreads * together == pieceWords, "");

    struct Shared
    {
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared&, const Parameters& p)
    {
        const auto pieceOf = [&](int thread) { return block.index() * blockWarps + thread / warpThreads; };
        block.sum(
            [&](int thread) { return pieceOf(thread) < p.pieces ? countIn(p, pieceOf(thread), thread % warpThreads) : 0u; },
            [&](int thread, std::uint32_t count) {
                if (thread % warpThreads == 0 && count > 0)
                    block.add(p.counts + pieceOf(thread) / p.piecesPerPlane, std::uint64_t{count});
            });
    }

    ACTISCOPE_BOTH static std::uint32_t countIn(const Parameters& p, std::int64_t piece, int lane)
    {
        const Values<S> values = p.planes.as<S>();
        const std::int64_t plane = piece / p.piecesPerPlane;
        const Hot<Seen> hot = p.hot.of<Seen>(plane % p.planes.channels);
        const std::int64_t begin = plane * p.planes.elements;
        const std::int64_t end = begin + p.planes.elements;
        // The first word of the piece, as its first element.
        const std::int64_t first = (begin / wide + piece % p.piecesPerPlane * pieceWords) * wide;
        std::uint32_t count = 0;
        if (first >= begin && first + pieceWords * wide <= end) {
            for (int round = 0; round < rounds; ++round)
                count += countTogether(values, hot, first + (round * together * warpThreads + lane) * wide);
            return count;
        }
        for (std::int64_t at = first + lane * wide; at < end && at < first + pieceWords * wide; at += warpThreads * wide) {
            if (at >= begin && at + wide <= end)
                count += countWord(values, hot, loadPiece<S, wide>(values.first + at));
            else
                for (std::int64_t i = at < begin ? begin : at; i < at + wide && i < end; ++i)
                    count += hot(values[i]) ? 1 : 0;
        }
        return count;
    }

    ACTISCOPE_BOTH static std::uint32_t countTogether(const Values<S>& values, const Hot<Seen>& hot, std::int64_t at)
    {
        Piece<S, wide> ahead[together];
        ACTISCOPE_UNROLL
        for (int u = 0; u < together; ++u)
            ahead[u] = loadPiece<S, wide>(values.first + at + u * warpThreads * wide);
        std::uint32_t count = 0;
        ACTISCOPE_UNROLL
        for (int u = 0; u < together; ++u)
            count += countWord(values, hot, ahead[u]);
        return count;
    }

    ACTISCOPE_BOTH static std::uint32_t countWord(const Values<S>& values, const Hot<Seen>& hot, const Piece<S, wide>& word)
    {
        std::uint32_t count = 0;
        ACTISCOPE_UNROLL
        for (int k = 0; k < wide; ++k)
            count += hot(values.see(word.values[k])) ? 1 : 0;
        return count;
    }
};

} // namespace gpu
