// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/kernels.h"

#include <span>

namespace core {

/// A monotone map from values to bins 0 .. bins - 1, linear in up to three pieces: most bins between `low` and `high`, where
/// most values are; the rest for outliers on both sides. Computed in Work, step by step, so that every machine finds the same
/// bin. +inf has a bin of its own (`bins`), NaN the next; -inf lies in bin 0.
template <class Work>
struct Binning
{
    int bins = 0;
    /// Finite values are held to [min, max], and scaled first so that differences stay finite.
    Work prescale = 1;
    Work min = 0;
    Work max = 0;
    /// Ends of the middle piece, prescaled.
    Work low = 0;
    Work high = 0;
    /// Bins per unit in each piece.
    Work lowScale = 0;
    Work middleScale = 0;
    Work highScale = 0;
    /// First bins of the middle and the upper piece.
    Work middleBin = 0;
    Work highBin = 0;

    /// Every value to come is finite and lies in [min, max].
    bool isBounded = false;

    int infinityBin() const { return bins; }
    int nanBin() const { return bins + 1; }
    int allBins() const { return bins + 2; }
};

/// Most finite bins.
inline constexpr int maxBins = 4096;

/// A binning of at most `bins` bins over the finite range [min, max]: one bin per value for integers that span fewer;
/// else guided by `sample`, some finite values in ascending order.
template <class Stored>
Binning<MapType<Stored>> makeBinning(CompareOf<Stored> min, CompareOf<Stored> max, int bins,
                                     std::span<const MapType<Stored>> sample);

/// Bins of `n` values. A kernel: see kernels.h.
template <class Stored>
void findBins(const std::byte* values, std::int64_t n, const Binning<MapType<Stored>>& binning, std::uint16_t* bins);

/// Counts how often each bin occurs: in several tables by turns, so that equal neighbours do not wait for each other.
class BinCounter
{
public:
    /// Adds to `counts`, one per bin, at most maxBins + 2 of them; they are complete when this is gone.
    explicit BinCounter(std::span<std::uint32_t> counts);
    ~BinCounter() { flush(); }
    BinCounter(const BinCounter&) = delete;
    BinCounter& operator=(const BinCounter&) = delete;

    void add(std::span<const std::uint16_t> bins);

private:
    void flush();

    static constexpr std::size_t tables = 2;
    std::span<std::uint32_t> m_counts;
    std::size_t m_pending = 0;
    /// Short counters keep the tables in the first-level cache.
    std::uint16_t m_tables[tables][maxBins + 2];
};

} // namespace core
