// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "core/engine/kernels_plain.h"
#include "core/engine/stored_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/engine/kernels_count.cpp"
#include <hwy/foreach_target.h>

#include "core/engine/hot_lanes-inl.h"

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
template <class Stored, bool simple>
class HotWord
{
public:
    explicit HotWord(const Predicate<CompareOf<Stored>>& predicate) : m_hot(predicate) {}

    HWY_INLINE std::uint64_t operator()(const std::byte* at) const
    {
        const LaneTag<Stored> d;
        constexpr std::size_t lanes = hn::MaxLanes(d);
        const auto* values = reinterpret_cast<const hn::TFromD<decltype(d)>*>(at);
        std::uint64_t word = 0;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < 64; i += lanes)
            word |= bitsOf(d, m_hot(hn::LoadU(d, values + i))) << i;
        return word;
    }

private:
    HotLanes<Stored, simple> m_hot;
};

/// Calls `use(word)` with what makes mask words for a predicate.
template <class Stored, class Use>
HWY_INLINE std::int64_t withHotWord(const Predicate<CompareOf<Stored>>& predicate, Use use)
{
    if (isSimple<Stored>(predicate))
        return use(HotWord<Stored, true>(predicate));
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
