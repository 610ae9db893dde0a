// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/parameters.h"

namespace gpu {

/// Counts in bins. Few bins are counted in shared memory first. Each thread adds runs of equal bins at once, and zeros, of
/// which activations are full, only at its end: so many threads do not queue for one counter.
template <class S>
struct BinBody
{
    using Parameters = BinParameters;
    using Seen = SeenOf<S>;

    struct Shared
    {
        std::uint32_t counts[blockBins];
        std::uint64_t least;
    };

    template <class Block>
    ACTISCOPE_BOTH static void run(Block& block, Shared& shared, const Parameters& p)
    {
        const Values<S> values = p.planes.as<S>();
        const std::int64_t plane = p.firstPlane + block.index() / p.piecesPerPlane * p.planeStep;
        const std::int64_t first = block.index() % p.piecesPerPlane * binElements;
        const std::int64_t rest = p.planes.elements - first;
        const int n = static_cast<int>(rest < binElements ? rest : binElements);
        const std::int64_t begin = plane * p.planes.elements + first;
        if (p.kind == BinKind::keyAfter)
            return lowerKey(block, shared, p, values, begin, n);
        const bool isShared = p.bins <= blockBins;
        const int sharedBins = isShared ? static_cast<int>(p.bins) : 0;
        block.phase([&](int thread) {
            for (int bin = thread; bin < sharedBins; bin += blockThreads)
                shared.counts[bin] = 0;
        });
        block.phase([&](int thread) {
            const auto flush = [&](std::int64_t bin, std::uint32_t count) {
                if (count == 0)
                    return;
                if (isShared)
                    block.add(shared.counts + bin, count);
                else
                    block.add(p.counts + bin, std::uint64_t{count});
            };
            std::uint32_t zeros = 0;
            std::int64_t last = 0;
            std::uint32_t run = 0;
            forThread(values.first + begin, thread, n, [&](S stored) {
                const Seen value = values.see(stored);
                if (value == 0 && !isNegativeZero(value)) {
                    ++zeros;
                    return;
                }
                const std::int64_t bin = isFinite(value) ? binOf(stored, value, p) : -1;
                if (bin < 0)
                    return;
                if (bin != last) {
                    flush(last, run);
                    last = bin;
                    run = 0;
                }
                ++run;
            });
            flush(last, run);
            if (zeros > 0)
                if (const std::int64_t bin = binOf(S{}, Seen{}, p); bin >= 0)
                    flush(bin, zeros);
        });
        block.each([&](int thread) {
            for (int bin = thread; bin < sharedBins; bin += blockThreads)
                if (shared.counts[bin] > 0)
                    block.add(p.counts + bin, std::uint64_t{shared.counts[bin]});
        });
    }

    /// Calls work(stored) for the values of a thread, several of which are on their way together.
    template <class Work>
    ACTISCOPE_BOTH static void forThread(const S* first, int thread, int n, Work work)
    {
        constexpr int together = 8;
        int i = thread;
        for (; i + (together - 1) * blockThreads < n; i += together * blockThreads) {
            S ahead[together];
            for (int u = 0; u < together; ++u)
                ahead[u] = first[i + u * blockThreads];
            for (int u = 0; u < together; ++u)
                work(ahead[u]);
        }
        for (; i < n; i += blockThreads)
            work(first[i]);
    }

    /// -0 has a key of its own.
    ACTISCOPE_BOTH static bool isNegativeZero(Seen value)
    {
        if constexpr (std::is_integral<Seen>::value)
            return false;
        else if constexpr (sizeof(Seen) == 4)
            return castBits<std::uint32_t>(value) != 0;
        else
            return castBits<std::uint64_t>(value) != 0;
    }

    ACTISCOPE_BOTH static std::uint64_t keyOf(S stored, Seen value)
    {
        if constexpr (std::is_same<S, Float8>::value)
            return Keys<S>::of(value);
        else
            return Keys<S>::of(stored);
    }

    /// Bin of a finite value, or -1.
    ACTISCOPE_BOTH static std::int64_t binOf(S stored, Seen value, const Parameters& p)
    {
        if (p.kind == BinKind::digits) {
            constexpr int digitBits = 16;
            const std::uint64_t key = keyOf(stored, value);
            const int above = p.shift + digitBits;
            if (above < Keys<S>::bits && key >> above != p.prefix >> above)
                return -1;
            return static_cast<std::int64_t>(key >> p.shift & ((1u << digitBits) - 1));
        }
        if (p.kind == BinKind::integers)
            return static_cast<std::int64_t>(integerOf(value) - static_cast<std::uint64_t>(p.lo));
        return binByEdges(static_cast<double>(value), p);
    }

    ACTISCOPE_BOTH static std::uint64_t integerOf(Seen value)
    {
        if constexpr (std::is_integral<Seen>::value)
            return static_cast<std::uint64_t>(value);
        else
            return 0;
    }

    /// As core::countBins, step by step: where edges meet, the guess decides.
    ACTISCOPE_BOTH static std::int64_t binByEdges(double value, const Parameters& p)
    {
        const double guess = (value - p.edges[0]) * p.scale;
        std::int64_t bin = guess < static_cast<double>(p.bins) ? static_cast<std::int64_t>(guess) : p.bins - 1;
        while (bin > 0 && value < p.edges[bin])
            --bin;
        while (bin < p.bins - 1 && value >= p.edges[bin + 1])
            ++bin;
        return bin;
    }

    template <class Block>
    ACTISCOPE_BOTH static void lowerKey(Block& block, Shared& shared, const Parameters& p, const Values<S>& values,
                                        std::int64_t begin, int n)
    {
        block.phase([&](int thread) {
            if (thread == 0)
                shared.least = ~std::uint64_t{0};
        });
        block.phase([&](int thread) {
            std::uint64_t least = ~std::uint64_t{0};
            forThread(values.first + begin, thread, n, [&](S stored) {
                const Seen value = values.see(stored);
                if (!isFinite(value))
                    return;
                const std::uint64_t key = keyOf(stored, value);
                if (key > p.key && key < least)
                    least = key;
            });
            if (least != ~std::uint64_t{0})
                block.lower(&shared.least, least);
        });
        block.each([&](int thread) {
            if (thread == 0 && shared.least != ~std::uint64_t{0})
                block.lower(p.least, shared.least);
        });
    }
};

} // namespace gpu
