// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

/// What the CPU engine does to codes: bytes that keep the order of an element's value. Codes may lie at any address; n is any
/// number. Thread safe; nothing throws.
namespace core {

/// The codes that a condition holds for, and those that do not tell.
struct CodeTest
{
    /// A stored byte is turned into its code by this: 0x80 for int8, which is its own code.
    std::uint8_t bias = 0;
    /// Hot when code - first, modulo 256, is at most `width`; none is when isNone.
    std::uint8_t first = 0;
    std::uint8_t width = 0;
    bool isNone = true;
    /// Elements of these two codes (which may be equal) have to be looked at, whatever the rest says.
    bool hasMixed = false;
    std::uint8_t mixed[2] = {};
    /// Codes that stand for values by their distance; hot elements of others have to be looked at for a sum.
    std::uint8_t regularFirst = 0;
    std::uint8_t regularWidth = 255;
    /// Whether there are hot elements of other codes.
    bool hasIrregular = false;
};

/// Most channels of a CodeRun: each visit of a pixel's count takes as many.
inline constexpr std::int64_t mostRunChannels = 4;
/// Most channels whose count and sum of codes the short accumulators hold.
inline constexpr std::int64_t mostShortChannels = 254;

/// Where the sum of pixel `i` lies among those of a run: of 64 pixels the even ones, then the odd ones.
constexpr std::int64_t sumPlace(std::int64_t i)
{
    return i / 64 * 64 + i % 2 * 32 + i % 64 / 2;
}
/// Sums of a run of n pixels, unused ones included.
constexpr std::int64_t sumPlaces(std::int64_t n)
{
    return (n + 63) / 64 * 64;
}

/// A stretch of pixels of one channel, or of a few where `open` is not asked, and the accumulators of those pixels.
struct CodeRun
{
    const std::uint8_t* codes = nullptr;
    std::int64_t pixels = 0;
    /// 1 to mostRunChannels.
    std::int64_t channels = 1;
    /// Bytes from one channel's codes to the next one's.
    std::int64_t channelStride = 0;
    /// Bytes from here to the codes that are wanted next.
    std::int64_t ahead = 0;
    /// [pixels]: hot ones count one more, of at most mostShortChannels.
    std::uint8_t* count = nullptr;
    /// [sumPlaces(pixels)], or null: codes of hot pixels are added at sumPlace().
    std::uint16_t* sum = nullptr;
    /// maskWords(pixels) words: pixels that have to be looked at, which are in neither count nor sum. Null where the test has
    /// none.
    std::uint64_t* open = nullptr;
};

/// Adds the channels to accumulators.
void addCodes(const CodeRun& run, const CodeTest& test);

/// The accumulators of some pixels: the short ones of CodeRun, and the long ones.
struct CodeTotals
{
    std::int64_t pixels = 0;
    std::uint8_t* shortCount = nullptr;
    /// As CodeRun::sum.
    std::uint16_t* shortSum = nullptr;
    std::int32_t* count = nullptr;
    /// Null without sums.
    double* sum = nullptr;
    /// What a code stands for: base + step * code.
    double base = 0;
    double step = 1;
};
/// Adds the short accumulators to the long ones, and sets them to 0.
void addUpCodes(const CodeTotals& totals);

/// Copies values, those below `lowest` and NaN as NaN.
void keepFrom(const float* values, std::int64_t n, float lowest, float* kept);
void keepFrom(const double* values, std::int64_t n, double lowest, double* kept);

/// Writes maskWords(n) words each: hot elements, and (null where the test has no mixed codes) those to be looked at, which are
/// not among the hot ones.
void markCodes(const std::uint8_t* codes, std::int64_t n, const CodeTest& test, std::uint64_t* hot, std::uint64_t* open);

/// Code of a bin: bin * factor >> 16, +inf and NaN (bins `bins` and bins + 1) the last two codes.
struct CodeScale
{
    int bins = 0;
    /// 0: a bin is its own code.
    std::uint16_t factor = 0;
};
inline constexpr int finiteCodes = 254;
inline constexpr std::uint8_t infinityCode = 254;
inline constexpr std::uint8_t nanCode = 255;

CodeScale makeCodeScale(int bins);
std::uint8_t codeOfBin(int bin, const CodeScale& scale);
void codesOfBins(const std::uint16_t* bins, std::int64_t n, const CodeScale& scale, std::uint8_t* codes);

} // namespace core
