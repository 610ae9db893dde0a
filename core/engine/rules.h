// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/block_reader.h"
#include "core/engine/statistics.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace core {

/// Counts the values of a set where they lie, when that is not in memory. Keys order as the values do: an integer's bits with
/// the sign inverted where there is one; a float's bits, all inverted for negative numbers, else the sign inverted.
class ValueCounter
{
public:
    virtual ~ValueCounter() = default;
    /// Of finite values whose keys have the bits of `prefix` above the 16 bits at `shift`: how many by these bits. 65,536
    /// counts.
    virtual std::vector<std::int64_t> countDigits(std::uint64_t prefix, int shift, const Job& job) const = 0;
    /// The smallest key above `key` of a finite value; the largest key there is when there is none.
    virtual std::uint64_t keyAfter(std::uint64_t key, const Job& job) const = 0;
    /// See countBins and countIntegers of bins.h.
    virtual std::vector<std::int64_t> countBins(const std::vector<double>& edges, const Job& job) const = 0;
    virtual std::vector<std::int64_t> countIntegers(std::int64_t lo, std::int64_t bins, const Job& job) const = 0;
};

/// What an index knows of a set of values: how many finite ones lie in each of many bins. Keys are those of value_keys.h.
class ValueBins
{
public:
    virtual ~ValueBins() = default;

    /// Values whose keys lie in [first, last].
    struct Bin
    {
        std::int64_t first = 0;
        std::int64_t last = 0;
        std::int64_t count = 0;
    };
    /// Bins that hold values, ascending and apart.
    virtual std::vector<Bin> bins() const = 0;
    /// Hands over the keys of all values in [bin.first, bin.last], which is one of bins() or a part of it, in no order, from
    /// several threads at once.
    virtual void forEachKey(const Bin& bin, const Job& job,
                            const std::function<void(std::span<const std::int64_t>)>& visit) const = 0;
};

/// Some planes taken as one set of values, of which rules and histograms see the finite ones.
struct ValueSet
{
    /// Called for blocks of values in the seen type, from several threads at once.
    using Visit = std::function<void(const std::byte* values, std::int64_t n)>;

    DType dtype = DType::f32;
    /// Of the whole set.
    Statistics statistics;
    /// Hands over all values, in no order.
    std::function<void(const Job&, const Visit&)> forEach;
    /// Values 0 that forEach leaves out (implicit zeros of a sparse tensor).
    std::int64_t zeros = 0;
    /// Where set, it counts, forEach is not called, and there are no `zeros`.
    std::shared_ptr<const ValueCounter> counter = nullptr;
    /// Where set, it holds the same values.
    std::shared_ptr<const ValueBins> bins = nullptr;
};

/// Positions of the planes of a set; nothing: all.
struct PlaneChoice
{
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> channel;
};

/// Values of a strided tensor. Keeps references.
ValueSet denseValues(const BlockReader& reader, const Workers& workers, const PlaneChoice& planes, Statistics statistics);

/// Threshold of a rule; nothing when no value is finite. Throws Error for complex values.
std::optional<double> findThreshold(const Rule& rule, const ValueSet& values, const Job& job);

/// torch.quantile(x.double(), fraction) over the finite values, linear, whatever the size: found by counting in the order of
/// the values' bits, without a copy.
double quantile(double fraction, const ValueSet& values, const Job& job);

/// scikit-image 0.26's threshold_otsu with 256 bins, in the arithmetic NumPy uses for the dtype; integers that span up to
/// 65,536 values have one bin per value. Equal values: that value.
double otsuThreshold(const ValueSet& values, const Job& job);

/// Counts of finite values in equal bins over their finite range, as numpy.histogram of x.double(); equal values lie in the
/// middle of a range of 1. No bins when no value is finite.
Histogram histogramOf(int bins, const ValueSet& values, const Job& job);

/// Makes tests from what the user asks, and remembers the thresholds that rules found: each cost a pass, and a slider asks for
/// one again and again. Thread safe.
class TestMaker
{
public:
    /// The values that a rule sees: of all channels or of one.
    using Values = std::function<ValueSet(std::optional<std::int64_t> channel)>;

    /// Channels that have values of their own (ascending), and one that stands for all others, if there are others.
    struct Channels
    {
        std::vector<std::int64_t> own;
        std::optional<std::int64_t> other;
    };

    /// Throws Error (condition or rule undefined for the dtype), Cancelled.
    HotTest make(const Where& where, DType dtype, std::int64_t channels, const Values& values, const Job& job);
    HotTest make(const Where& where, DType dtype, const Channels& channels, const Values& values, const Job& job);

private:
    /// Kind and parameter of the rule, storedOnly, channel (-1: all as one).
    using Key = std::tuple<RuleKind, double, bool, std::int64_t>;
    std::optional<Condition> find(const Where& where, std::optional<std::int64_t> channel, const Values& values,
                                  const Job& job);

    std::mutex m_mutex;
    std::map<Key, std::optional<double>> m_found;
};

} // namespace core
