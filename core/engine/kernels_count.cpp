// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "core/engine/kernels_plain.h"
#include "core/engine/stored_types.h"
#include "core/engine/value_keys.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_count.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/vectors-inl.h"

#ifndef ACTISCOPE_KERNELS_COUNT_ONCE
#define ACTISCOPE_KERNELS_COUNT_ONCE
namespace core {
namespace {

template <class Stored>
struct CountEntry
{
    std::int64_t (*count)(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&);
    std::int64_t (*mark)(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&, std::uint64_t*);
};
using CountTable = StoredTable<CountEntry>;

/// float16 and bfloat16 are tested as their keys: the same interval in those.
template <class Stored>
Predicate<std::int16_t> keyPredicate(const Predicate<float>& predicate)
{
    return {static_cast<std::int16_t>(firstKeyFrom<Stored>(predicate.lo)),
            static_cast<std::int16_t>(lastKeyTo<Stored>(predicate.hi)), predicate.invert, predicate.nanHot};
}

template <class Stored>
constexpr std::int16_t infinityKey = std::is_same_v<Stored, Half> ? 0x7c00 : 0x7f80;

} // namespace
} // namespace core
#endif

HWY_BEFORE_NAMESPACE();
namespace core::HWY_NAMESPACE {
namespace {

#if ACTISCOPE_PLAIN

template <class Stored>
constexpr CountEntry<Stored> countEntry{&plain::countHot<Stored>, &plain::markHot<Stored>};

#else

/// The mask word of 64 elements.
template <class Stored, bool atLeast>
class HotWord
{
public:
    explicit HotWord(const Predicate<Stored>& predicate) : m_test(predicate) {}

    HWY_INLINE std::uint64_t operator()(const std::byte* at) const
    {
        const hn::ScalableTag<Stored> d;
        constexpr std::size_t lanes = hn::MaxLanes(d);
        const auto* values = reinterpret_cast<const Stored*>(at);
        std::uint64_t word = 0;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < 64; i += lanes)
            word |= bitsOf(d, m_test(hn::LoadU(d, values + i))) << i;
        return word;
    }

private:
    Test<Stored, atLeast> m_test;
};

/// interval: neither inverted nor true of NaN, so that the interval of keys says it all.
template <class Stored, bool interval>
class HotKeyWord
{
public:
    explicit HotKeyWord(const Predicate<float>& predicate)
        : m_test(keyPredicate<Stored>(predicate)), m_nanHot(allLanes(D(), predicate.nanHot))
    {
    }

    HWY_INLINE std::uint64_t operator()(const std::byte* at) const
    {
        const D d;
        constexpr std::size_t lanes = hn::MaxLanes(d);
        const auto* values = reinterpret_cast<const std::int16_t*>(at);
        std::uint64_t word = 0;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < 64; i += lanes) {
            const auto bits = hn::LoadU(d, values + i);
            const auto key = hn::Xor(bits, hn::And(hn::ShiftRight<15>(bits), hn::Set(d, std::int16_t{0x7fff})));
            auto hot = m_test(key);
            if constexpr (!interval) {
                const auto infinity = hn::Set(d, infinityKey<Stored>);
                const auto nan = hn::Or(hn::Gt(key, infinity), hn::Lt(key, hn::Not(infinity)));
                hot = hn::Or(hn::AndNot(nan, hot), hn::And(nan, m_nanHot));
            }
            word |= bitsOf(d, hot) << i;
        }
        return word;
    }

private:
    using D = hn::ScalableTag<std::int16_t>;
    Test<std::int16_t, false> m_test;
    hn::Mask<D> m_nanHot;
};

/// Calls `use(word)` with what makes mask words for a predicate.
template <class Stored, class Use>
HWY_INLINE std::int64_t withHotWord(const Predicate<CompareOf<Stored>>& predicate, Use use)
{
    if constexpr (!std::is_same_v<Stored, CompareOf<Stored>>) {
        if (!predicate.invert && !predicate.nanHot)
            return use(HotKeyWord<Stored, true>(predicate));
        return use(HotKeyWord<Stored, false>(predicate));
    } else if (isAtLeast(predicate))
        return use(HotWord<Stored, true>(predicate));
    else
        return use(HotWord<Stored, false>(predicate));
}

/// The word of the last n < 64 elements.
template <class Stored, class Word>
std::uint64_t lastWord(const Word& word, const std::byte* at, std::int64_t n)
{
    alignas(64) std::byte padded[64 * sizeof(Stored)] = {};
    std::memcpy(padded, at, static_cast<std::size_t>(n) * sizeof(Stored));
    return word(padded) & ((std::uint64_t{1} << n) - 1);
}

/// Hands each word to `keep(index, word)`.
template <class Stored, class Word, class Keep>
HWY_INLINE void eachWord(const Word& word, const std::byte* values, std::int64_t n, Keep keep)
{
    constexpr std::int64_t wordBytes = 64 * sizeof(Stored);
    std::int64_t i = 0;
    for (; i < n / 64; ++i)
        keep(i, word(values + i * wordBytes));
    if (n % 64)
        keep(i, lastWord<Stored>(word, values + i * wordBytes, n % 64));
}

template <class Stored>
std::int64_t count(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    return withHotWord<Stored>(predicate, [=](const auto& word) HWY_ATTR {
        std::int64_t total = 0;
        eachWord<Stored>(word, values, n,
                         [&](std::int64_t, std::uint64_t bits) HWY_ATTR { total += __builtin_popcountll(bits); });
        return total;
    });
}

template <class Stored>
std::int64_t mark(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate, std::uint64_t* mask)
{
    return withHotWord<Stored>(predicate, [=](const auto& word) HWY_ATTR {
        std::int64_t total = 0;
        eachWord<Stored>(word, values, n, [&](std::int64_t index, std::uint64_t bits) HWY_ATTR {
            mask[index] = bits;
            total += __builtin_popcountll(bits);
        });
        return total;
    });
}

template <class Stored>
constexpr CountEntry<Stored> countEntry{&count<Stored>, &mark<Stored>};

#endif

#define ACTISCOPE_ENTRY(Stored) countEntry<Stored>,
constexpr CountTable table{ACTISCOPE_EACH_STORED(ACTISCOPE_ENTRY)};

const CountTable* countTable()
{
    return &table;
}

} // namespace
} // namespace core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace core {

HWY_EXPORT(countTable);

template <class Stored>
std::int64_t countHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate)
{
    return HWY_DYNAMIC_DISPATCH(countTable)()->of<Stored>().count(values, n, predicate);
}

template <class Stored>
std::int64_t markHot(const std::byte* values, std::int64_t n, const Predicate<CompareOf<Stored>>& predicate,
                     std::uint64_t* mask)
{
    return HWY_DYNAMIC_DISPATCH(countTable)()->of<Stored>().mark(values, n, predicate, mask);
}

#define ACTISCOPE_INSTANTIATE(Stored)                                                                                          \
    template std::int64_t countHot<Stored>(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&);               \
    template std::int64_t markHot<Stored>(const std::byte*, std::int64_t, const Predicate<CompareOf<Stored>>&, std::uint64_t*);
ACTISCOPE_EACH_STORED(ACTISCOPE_INSTANTIATE)

} // namespace core
#endif
