// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_codes.h"

#include "core/engine/kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_codes.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_CODES_ONCE
#define ACTISCOPE_KERNELS_CODES_ONCE
namespace core {
namespace {

bool isMixed(std::uint8_t code, const CodeTest& test)
{
    return test.hasMixed && (code == test.mixed[0] || code == test.mixed[1]);
}

bool isWithin(std::uint8_t code, std::uint8_t first, std::uint8_t width)
{
    return static_cast<std::uint8_t>(code - first) <= width;
}

bool isHot(std::uint8_t code, const CodeTest& test)
{
    return !test.isNone && isWithin(code, test.first, test.width);
}

/// Pixels [first, run.pixels), one by one; `open` starts as zeros where `first` is not at a word's beginning.
void addRest(const CodeRun& run, const CodeTest& test, std::int64_t first)
{
    for (std::int64_t i = first; i < run.pixels; ++i) {
        const auto code = static_cast<std::uint8_t>(run.codes[i] ^ test.bias);
        const bool hot = isHot(code, test);
        const bool irregular = run.sum && hot && !isWithin(code, test.regularFirst, test.regularWidth);
        const bool open = isMixed(code, test) || irregular;
        if (run.open) {
            std::uint64_t& word = run.open[i / 64];
            word = (i % 64 == 0 ? 0 : word) | std::uint64_t{open} << (i % 64);
        }
        if (!hot || open)
            continue;
        ++run.count[i];
        if (run.sum)
            run.sum[i] = static_cast<std::uint16_t>(run.sum[i] + code);
    }
}

void addRestOfAll(const CodeRun& run, const CodeTest& test, std::int64_t first)
{
    CodeRun channel = run;
    for (std::int64_t c = 0; c < run.channels; ++c) {
        channel.codes = run.codes + c * run.channelStride;
        addRest(channel, test, first);
    }
}

void markRest(const std::uint8_t* codes, std::int64_t n, const CodeTest& test, std::uint64_t* hot, std::uint64_t* open,
              std::int64_t first)
{
    for (std::int64_t i = first; i < n; ++i) {
        const auto code = static_cast<std::uint8_t>(codes[i] ^ test.bias);
        const bool mixed = isMixed(code, test);
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        if (i % 64 == 0) {
            hot[i / 64] = 0;
            if (open)
                open[i / 64] = 0;
        }
        hot[i / 64] |= isHot(code, test) && !mixed ? bit : 0;
        if (open)
            open[i / 64] |= mixed ? bit : 0;
    }
}

void codesOfRest(const std::uint16_t* bins, std::int64_t n, const CodeScale& scale, std::uint8_t* codes, std::int64_t first)
{
    for (std::int64_t i = first; i < n; ++i)
        codes[i] = codeOfBin(bins[i], scale);
}

struct CodeTable
{
    void (*add)(const CodeRun&, const CodeTest&);
    void (*mark)(const std::uint8_t*, std::int64_t, const CodeTest&, std::uint64_t*, std::uint64_t*);
    void (*convert)(const std::uint16_t*, std::int64_t, const CodeScale&, std::uint8_t*);
};

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

void add(const CodeRun& run, const CodeTest& test)
{
    addRestOfAll(run, test, 0);
}

void mark(const std::uint8_t* codes, std::int64_t n, const CodeTest& test, std::uint64_t* hot, std::uint64_t* open)
{
    markRest(codes, n, test, hot, open, 0);
}

void convert(const std::uint16_t* bins, std::int64_t n, const CodeScale& scale, std::uint8_t* codes)
{
    codesOfRest(bins, n, scale, codes, 0);
}

#else

/// A CodeTest in vectors.
class Tester
{
public:
    using D = hn::ScalableTag<std::uint8_t>;
    using V = hn::Vec<D>;
    using M = hn::Mask<D>;

    explicit Tester(const CodeTest& test)
        : m_bias(hn::Set(D(), test.bias)), m_first(hn::Set(D(), test.first)), m_width(hn::Set(D(), test.width)),
          m_regularFirst(hn::Set(D(), test.regularFirst)),
          m_regularWidth(hn::Set(D(), test.regularWidth)), m_mixed{hn::Set(D(), test.mixed[0]), hn::Set(D(), test.mixed[1])},
          m_some(allLanes(D(), !test.isNone)), m_anyMixed(allLanes(D(), test.hasMixed))
    {
    }

    HWY_INLINE V codes(const std::uint8_t* at) const { return hn::Xor(hn::LoadU(D(), at), m_bias); }
    HWY_INLINE M hot(V codes) const { return hn::And(m_some, within(codes, m_first, m_width)); }
    HWY_INLINE M mixed(V codes) const
    {
        return hn::And(m_anyMixed, hn::Or(hn::Eq(codes, m_mixed[0]), hn::Eq(codes, m_mixed[1])));
    }
    HWY_INLINE M regular(V codes) const { return within(codes, m_regularFirst, m_regularWidth); }

private:
    static HWY_INLINE M within(V codes, V first, V width)
    {
        const V distance = hn::Sub(codes, first);
        return hn::Eq(hn::Min(distance, width), distance);
    }

    V m_bias, m_first, m_width, m_regularFirst, m_regularWidth;
    V m_mixed[2];
    M m_some;
    M m_anyMixed;
};

/// Lanes' bits into a row of words, `lanes` at a time.
HWY_INLINE void storeBits(std::uint64_t* words, std::int64_t first, std::uint64_t bits)
{
    constexpr std::size_t bytes = hn::MaxLanes(hn::ScalableTag<std::uint8_t>()) / 8;
    std::memcpy(reinterpret_cast<std::byte*>(words) + first / 8, &bits, bytes);
}

/// Bits past the last whole vector of a word begin as 0.
HWY_INLINE void clearLast(std::uint64_t* words, std::int64_t whole)
{
    if (words && whole % 64)
        words[whole / 64] &= (std::uint64_t{1} << whole % 64) - 1;
}

template <bool withOpen, bool withSum>
void addAs(const CodeRun& run, const CodeTest& test)
{
    const Tester::D d;
    const hn::ScalableTag<std::uint16_t> d16;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const Tester tester(test);
    const std::int64_t whole = run.pixels / lanes * lanes;
    // Copies: what is stored could be the run itself, for all the compiler knows.
    const std::uint8_t* const from = run.codes;
    const std::uint8_t* const ahead = from + run.ahead;
    std::uint8_t* const count = run.count;
    std::uint16_t* const sum = run.sum;
    std::uint64_t* const openWords = run.open;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        const auto codes = tester.codes(from + i);
        __builtin_prefetch(ahead + i, 0, 2);
        auto hot = tester.hot(codes);
        if constexpr (withOpen) {
            auto open = tester.mixed(codes);
            if constexpr (withSum)
                open = hn::Or(open, hn::AndNot(tester.regular(codes), hot));
            hot = hn::AndNot(open, hot);
            storeBits(openWords, i, bitsOf(d, open));
        }
        hn::StoreU(hn::Sub(hn::LoadU(d, count + i), hn::VecFromMask(d, hot)), d, count + i);
        if constexpr (withSum) {
            const hn::Half<Tester::D> half;
            const auto hotCodes = hn::IfThenElseZero(hot, codes);
            std::uint16_t* const low = sum + i;
            std::uint16_t* const high = low + lanes / 2;
            hn::StoreU(hn::Add(hn::LoadU(d16, low), hn::PromoteTo(d16, hn::LowerHalf(half, hotCodes))), d16, low);
            hn::StoreU(hn::Add(hn::LoadU(d16, high), hn::PromoteTo(d16, hn::UpperHalf(half, hotCodes))), d16, high);
        }
    }
    if constexpr (withOpen)
        clearLast(run.open, whole);
    addRest(run, test, whole);
}

template <std::int64_t channels>
void addCounts(const CodeRun& run, const CodeTest& test)
{
    const Tester::D d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const Tester tester(test);
    const std::int64_t whole = run.pixels / lanes * lanes;
    const std::int64_t stride = run.channelStride;
    const std::int64_t ahead = run.ahead;
    std::uint8_t* const count = run.count;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        auto sum = hn::LoadU(d, count + i);
        const std::uint8_t* from = run.codes + i;
        for (std::int64_t c = 0; c < channels; ++c, from += stride) {
            __builtin_prefetch(from + ahead, 0, 2);
            sum = hn::Sub(sum, hn::VecFromMask(d, tester.hot(tester.codes(from))));
        }
        hn::StoreU(sum, d, count + i);
    }
    addRestOfAll(run, test, whole);
}

void add(const CodeRun& run, const CodeTest& test)
{
    if (run.open)
        return run.sum ? addAs<true, true>(run, test) : addAs<true, false>(run, test);
    if (run.sum)
        return addAs<false, true>(run, test);
    static_assert(mostRunChannels == 4);
    switch (run.channels) {
    case 4:
        return addCounts<4>(run, test);
    case 3:
        return addCounts<3>(run, test);
    case 2:
        return addCounts<2>(run, test);
    default:
        return addCounts<1>(run, test);
    }
}

template <bool withOpen>
void markAs(const std::uint8_t* codes, std::int64_t n, const CodeTest& test, std::uint64_t* hot, std::uint64_t* open)
{
    const Tester::D d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const Tester tester(test);
    const std::int64_t whole = n / lanes * lanes;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        const auto values = tester.codes(codes + i);
        auto isHotLane = tester.hot(values);
        if constexpr (withOpen) {
            const auto mixed = tester.mixed(values);
            isHotLane = hn::AndNot(mixed, isHotLane);
            storeBits(open, i, bitsOf(d, mixed));
        }
        storeBits(hot, i, bitsOf(d, isHotLane));
    }
    clearLast(hot, whole);
    clearLast(open, whole);
    markRest(codes, n, test, hot, open, whole);
}

void mark(const std::uint8_t* codes, std::int64_t n, const CodeTest& test, std::uint64_t* hot, std::uint64_t* open)
{
    open ? markAs<true>(codes, n, test, hot, open) : markAs<false>(codes, n, test, hot, open);
}

void convert(const std::uint16_t* bins, std::int64_t n, const CodeScale& scale, std::uint8_t* codes)
{
    const hn::ScalableTag<std::uint16_t> d;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const auto factor = hn::Set(d, scale.factor);
    const auto last = hn::Set(d, static_cast<std::uint16_t>(scale.bins - 1));
    const auto infinity = hn::Set(d, static_cast<std::uint16_t>(scale.bins));
    const std::int64_t whole = n / lanes * lanes;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        const auto bin = hn::LoadU(d, bins + i);
        auto code = scale.factor ? hn::MulHigh(bin, factor) : bin;
        const auto above = hn::Gt(bin, last);
        if (HWY_UNLIKELY(!hn::AllFalse(d, above)))
            code = hn::IfThenElse(above,
                                  hn::Add(hn::Set(d, std::uint16_t{infinityCode}),
                                          hn::IfThenElseZero(hn::Gt(bin, infinity), hn::Set(d, std::uint16_t{1}))),
                                  code);
        hn::StoreU(hn::DemoteTo(d8, hn::BitCast(hn::RebindToSigned<decltype(d)>(), code)), d8, codes + i);
    }
    codesOfRest(bins, n, scale, codes, whole);
}

#endif

constexpr CodeTable table{&add, &mark, &convert};

const CodeTable* codeTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(codeTable);

void addCodes(const CodeRun& run, const CodeTest& test)
{
    HWY_DYNAMIC_DISPATCH(codeTable)()->add(run, test);
}

void markCodes(const std::uint8_t* codes, std::int64_t n, const CodeTest& test, std::uint64_t* hot, std::uint64_t* open)
{
    HWY_DYNAMIC_DISPATCH(codeTable)()->mark(codes, n, test, hot, open);
}

CodeScale makeCodeScale(int bins)
{
    if (bins <= finiteCodes)
        return {bins, 0};
    return {bins, static_cast<std::uint16_t>(finiteCodes * 65536 / bins)};
}

std::uint8_t codeOfBin(int bin, const CodeScale& scale)
{
    if (bin >= scale.bins)
        return bin == scale.bins ? infinityCode : nanCode;
    return static_cast<std::uint8_t>(scale.factor ? (static_cast<std::uint32_t>(bin) * scale.factor) >> 16 : bin);
}

void codesOfBins(const std::uint16_t* bins, std::int64_t n, const CodeScale& scale, std::uint8_t* codes)
{
    HWY_DYNAMIC_DISPATCH(codeTable)()->convert(bins, n, scale, codes);
}

} // namespace core
#endif
