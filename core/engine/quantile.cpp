// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bin_search.h"
#include "core/engine/rules.h"
#include "core/engine/value_keys.h"

#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace core {
namespace {

constexpr int digitBits = 16;
constexpr std::int64_t digits = 1 << digitBits;
/// Sets up to this size are selected from a copy.
constexpr std::int64_t smallSet = 1 << 18;

template <class Seen>
using Key = std::conditional_t<
    sizeof(Seen) == 1, std::uint8_t,
    std::conditional_t<sizeof(Seen) == 2, std::uint16_t, std::conditional_t<sizeof(Seen) == 4, std::uint32_t, std::uint64_t>>>;

/// Bits that order as the values do (-0 before 0, NaN and infinities at the ends).
template <class Seen>
Key<Seen> orderedBits(Seen value)
{
    using K = Key<Seen>;
    constexpr K sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
    const K bits = std::bit_cast<K>(value);
    if constexpr (std::is_integral_v<Seen>)
        return std::is_signed_v<Seen> ? static_cast<K>(bits ^ sign) : bits;
    else
        return static_cast<K>(bits & sign ? ~bits : bits | sign);
}

template <class Seen>
double valueOf(Key<Seen> key)
{
    using K = Key<Seen>;
    constexpr K sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
    if constexpr (std::is_integral_v<Seen>)
        return static_cast<double>(std::bit_cast<Seen>(static_cast<K>(std::is_signed_v<Seen> ? key ^ sign : key)));
    else
        return static_cast<double>(
            toCompare(std::bit_cast<Seen>(static_cast<K>(key & sign ? key & static_cast<K>(~sign) : ~key))));
}

template <class Seen>
bool isFiniteSeen(Seen value)
{
    if constexpr (std::is_integral_v<Seen>)
        return true;
    else
        return std::isfinite(toCompare(value));
}

/// The values of two neighbouring ranks.
struct Neighbours
{
    double lower;
    double upper;
};

/// Finds order statistics of the finite values of a set, digit by digit of their keys.
template <class Seen>
class Selector
{
public:
    Selector(const ValueSet& values, const Job& job) : m_values(values), m_job(job) {}

    /// Values of rank `rank` and, where there is one, rank + 1, counted from 0.
    Neighbours select(std::int64_t rank) const
    {
        if (!m_values.counter && m_values.statistics.elements <= smallSet)
            return selectCopied(rank);
        K prefix = 0;
        std::int64_t rest = rank;
        std::int64_t same = 0;
        for (int shift = keyBits - std::min(keyBits, digitBits); shift >= 0; shift -= digitBits) {
            const std::vector<std::int64_t> counts = countDigits(prefix, shift);
            std::size_t digit = 0;
            while (rest >= counts[digit])
                rest -= counts[digit++];
            same = counts[digit];
            prefix = static_cast<K>(prefix | static_cast<K>(static_cast<K>(digit) << shift));
        }
        const double lower = valueOf<Seen>(prefix);
        return {lower, rest + 1 < same ? lower : next(prefix)};
    }

private:
    using K = Key<Seen>;
    static constexpr int keyBits = 8 * sizeof(K);

    template <class Work>
    static void forFinite(const std::byte* block, std::int64_t n, Work work)
    {
        for (std::int64_t i = 0; i < n; ++i) {
            Seen value;
            std::memcpy(&value, block + i * static_cast<std::int64_t>(sizeof value), sizeof value);
            if (isFiniteSeen(value))
                work(orderedBits(value));
        }
    }

    Neighbours selectCopied(std::int64_t rank) const
    {
        tbb::enumerable_thread_specific<std::vector<K>> parts;
        m_values.forEach(m_job, [&](const std::byte* block, std::int64_t n) {
            std::vector<K>& part = parts.local();
            forFinite(block, n, [&](K key) { part.push_back(key); });
        });
        std::vector<K> keys;
        for (const std::vector<K>& part : parts)
            keys.insert(keys.end(), part.begin(), part.end());
        keys.insert(keys.end(), static_cast<std::size_t>(m_values.zeros), orderedBits(Seen{}));
        std::nth_element(keys.begin(), keys.begin() + rank, keys.end());
        const K lower = keys[static_cast<std::size_t>(rank)];
        const auto after = std::min_element(keys.begin() + rank + 1, keys.end());
        return {valueOf<Seen>(lower), valueOf<Seen>(after == keys.end() ? lower : *after)};
    }

    /// Counts by the digit at `shift` of keys that have the digits of `prefix` above it.
    std::vector<std::int64_t> countDigits(K prefix, int shift) const
    {
        if (m_values.counter)
            return m_values.counter->countDigits(prefix, shift, m_job);
        tbb::enumerable_thread_specific<std::vector<std::int64_t>> counters(std::vector<std::int64_t>(digits, 0));
        const int above = shift + digitBits;
        const auto isInside = [&](K key) {
            return above >= keyBits || std::uint64_t{key} >> above == std::uint64_t{prefix} >> above;
        };
        const auto digitOf = [&](K key) { return static_cast<std::uint64_t>(key) >> shift & (digits - 1); };
        m_values.forEach(m_job, [&](const std::byte* block, std::int64_t n) {
            std::int64_t* counts = counters.local().data();
            forFinite(block, n, [&](K key) { counts[digitOf(key)] += isInside(key); });
        });
        std::vector<std::int64_t> sum(digits);
        for (const std::vector<std::int64_t>& counts : counters)
            std::transform(sum.begin(), sum.end(), counts.begin(), sum.begin(), std::plus<>());
        const K zero = orderedBits(Seen{});
        if (isInside(zero))
            sum[digitOf(zero)] += m_values.zeros;
        return sum;
    }

    /// Smallest value above a key; its own where there is none.
    double next(K key) const
    {
        constexpr K top = std::numeric_limits<K>::max();
        if (m_values.counter)
            return valueAfter(key, static_cast<K>(m_values.counter->keyAfter(key, m_job)));
        tbb::combinable<K> smallest([] { return top; });
        m_values.forEach(m_job, [&](const std::byte* block, std::int64_t n) {
            K& least = smallest.local();
            forFinite(block, n, [&](K other) { least = other > key && other < least ? other : least; });
        });
        K found = smallest.combine([](K a, K b) { return std::min(a, b); });
        if (const K zero = orderedBits(Seen{}); m_values.zeros > 0 && zero > key)
            found = std::min(found, zero);
        return valueAfter(key, found);
    }

    static double valueAfter(K key, K found)
    {
        // The top key belongs to a value only among integers, where it may really be the next one.
        return valueOf<Seen>(found == std::numeric_limits<K>::max() && !std::is_integral_v<Seen> ? key : found);
    }

    const ValueSet& m_values;
    const Job& m_job;
};

/// torch.lerp in float64 as PyTorch's vector code computes it, with fused multiply-add.
double lerp(double lower, double upper, double weight)
{
    return weight < 0.5 ? std::fma(weight, upper - lower, lower) : std::fma(weight - 1, upper - lower, upper);
}

} // namespace

double quantile(double fraction, const ValueSet& values, const Job& job)
{
    const double rank = fraction * static_cast<double>(values.statistics.finite - 1);
    const auto below = std::min(static_cast<std::int64_t>(rank), values.statistics.finite - 1);
    const Neighbours found = withSeenType(values.dtype, [&](auto seen) {
        using Seen = decltype(seen);
        if (!values.bins)
            return Selector<Seen>(values, job).select(below);
        const RankedKeys keys = selectKeys(*values.bins, below, job);
        return Neighbours{static_cast<double>(compareOfKey<Seen>(keys.lower)),
                          static_cast<double>(compareOfKey<Seen>(keys.upper))};
    });
    const double weight = rank - static_cast<double>(below);
    const double value = weight > 0 ? lerp(found.lower, found.upper, weight) : found.lower;
    return value == 0 ? 0 : value;
}

} // namespace core
