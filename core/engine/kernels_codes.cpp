// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels_codes.h"

#include "core/engine/kernels.h"

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
        if (run.sum) {
            std::uint16_t& sum = run.sum[sumPlace(i)];
            sum = static_cast<std::uint16_t>(sum + code);
        }
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

struct CodeTable
{
    void (*add)(const CodeRun&, const CodeTest&);
    void (*mark)(const std::uint8_t*, std::int64_t, const CodeTest&, std::uint64_t*, std::uint64_t*);
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

/// What a visit of `lanes` pixels adds to their sums, of even and of odd ones apart.
class SumPair
{
public:
    using D16 = hn::ScalableTag<std::uint16_t>;

    HWY_INLINE explicit SumPair(std::uint16_t* sums, std::int64_t pixel)
        : m_even(sums + sumPlace(pixel)), m_odd(m_even + 32), m_evenSum(hn::LoadU(D16(), m_even)),
          m_oddSum(hn::LoadU(D16(), m_odd))
    {
    }

    HWY_INLINE void add(Tester::V hotCodes)
    {
        const auto both = hn::BitCast(D16(), hotCodes);
        m_evenSum = hn::Add(m_evenSum, hn::And(both, hn::Set(D16(), std::uint16_t{0xff})));
        m_oddSum = hn::Add(m_oddSum, hn::ShiftRight<8>(both));
    }

    HWY_INLINE void store() const
    {
        hn::StoreU(m_evenSum, D16(), m_even);
        hn::StoreU(m_oddSum, D16(), m_odd);
    }

private:
    std::uint16_t* m_even;
    std::uint16_t* m_odd;
    hn::Vec<D16> m_evenSum;
    hn::Vec<D16> m_oddSum;
};

/// One channel with open pixels.
template <bool withSum>
void addOpen(const CodeRun& run, const CodeTest& test)
{
    const Tester::D d;
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
        auto open = tester.mixed(codes);
        if constexpr (withSum)
            open = hn::Or(open, hn::AndNot(tester.regular(codes), hot));
        hot = hn::AndNot(open, hot);
        storeBits(openWords, i, bitsOf(d, open));
        hn::StoreU(hn::Sub(hn::LoadU(d, count + i), hn::VecFromMask(d, hot)), d, count + i);
        if constexpr (withSum) {
            SumPair sums(sum, i);
            sums.add(hn::IfThenElseZero(hot, codes));
            sums.store();
        }
    }
    clearLast(run.open, whole);
    addRest(run, test, whole);
}

template <std::int64_t channels, bool withSum>
void addChannels(const CodeRun& run, const CodeTest& test)
{
    const Tester::D d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    const Tester tester(test);
    const std::int64_t whole = run.pixels / lanes * lanes;
    const std::int64_t stride = run.channelStride;
    const std::int64_t ahead = run.ahead;
    std::uint8_t* const count = run.count;
    std::uint16_t* const sum = run.sum;
    for (std::int64_t i = 0; i < whole; i += lanes) {
        auto counts = hn::LoadU(d, count + i);
        const std::uint8_t* from = run.codes + i;
        const auto visit = [&](auto take) HWY_ATTR {
            for (std::int64_t c = 0; c < channels; ++c, from += stride) {
                __builtin_prefetch(from + ahead, 0, 2);
                const auto codes = tester.codes(from);
                const auto hot = tester.hot(codes);
                counts = hn::Sub(counts, hn::VecFromMask(d, hot));
                take(hot, codes);
            }
        };
        if constexpr (withSum) {
            SumPair sums(sum, i);
            visit([&](auto hot, auto codes) HWY_ATTR { sums.add(hn::IfThenElseZero(hot, codes)); });
            sums.store();
        } else {
            visit([](auto, auto) {});
        }
        hn::StoreU(counts, d, count + i);
    }
    addRestOfAll(run, test, whole);
}

template <bool withSum>
void addAsMany(const CodeRun& run, const CodeTest& test)
{
    static_assert(mostRunChannels == 4);
    switch (run.channels) {
    case 4:
        return addChannels<4, withSum>(run, test);
    case 3:
        return addChannels<3, withSum>(run, test);
    case 2:
        return addChannels<2, withSum>(run, test);
    default:
        return addChannels<1, withSum>(run, test);
    }
}

void add(const CodeRun& run, const CodeTest& test)
{
    if (run.open)
        return run.sum ? addOpen<true>(run, test) : addOpen<false>(run, test);
    run.sum ? addAsMany<true>(run, test) : addAsMany<false>(run, test);
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

#endif

constexpr CodeTable table{&add, &mark};

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

} // namespace core
#endif
