// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bin_search.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <bit>

namespace core {
namespace {

using Bin = ValueBins::Bin;

class Search
{
public:
    Search(const ValueBins& values, const Job& job) : m_values(values), m_job(job) {}

    /// Ranks counted from the first value in `bins`.
    RankedKeys among(const std::vector<Bin>& bins, std::int64_t rank) const
    {
        std::size_t i = 0;
        while (i + 1 < bins.size() && rank >= bins[i].count)
            rank -= bins[i++].count;
        RankedKeys found = within(bins[i], rank);
        if (rank + 1 >= bins[i].count && i + 1 < bins.size())
            found.upper = within(bins[i + 1], 0).lower;
        return found;
    }

private:
    /// Values whose keys are looked at one by one.
    static constexpr std::int64_t few = std::int64_t{1} << 20;
    static constexpr int partBits = 16;

    RankedKeys within(const Bin& bin, std::int64_t rank) const
    {
        if (bin.first == bin.last)
            return {bin.first, bin.first};
        if (bin.count > few)
            return among(split(bin), rank);
        tbb::enumerable_thread_specific<std::vector<std::int64_t>> found;
        m_values.forEachKey(bin, m_job, [&](std::span<const std::int64_t> keys) {
            std::vector<std::int64_t>& all = found.local();
            all.insert(all.end(), keys.begin(), keys.end());
        });
        std::vector<std::int64_t> keys;
        for (const std::vector<std::int64_t>& part : found)
            keys.insert(keys.end(), part.begin(), part.end());
        // A file may have changed since it was counted.
        if (keys.empty())
            return {bin.first, bin.first};
        rank = std::min(rank, std::ssize(keys) - 1);
        std::nth_element(keys.begin(), keys.begin() + rank, keys.end());
        const auto next = std::min_element(keys.begin() + rank + 1, keys.end());
        const std::int64_t lower = keys[static_cast<std::size_t>(rank)];
        return {lower, next == keys.end() ? lower : *next};
    }

    /// A bin as finer ones of equal width.
    std::vector<Bin> split(const Bin& bin) const
    {
        const auto from = [&](std::int64_t key) {
            return static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(bin.first);
        };
        const int shift = std::max(static_cast<int>(std::bit_width(from(bin.last))) - partBits, 0);
        constexpr std::size_t parts = std::size_t{1} << partBits;
        tbb::enumerable_thread_specific<std::vector<std::int64_t>> counters(std::vector<std::int64_t>(parts, 0));
        m_values.forEachKey(bin, m_job, [&](std::span<const std::int64_t> keys) {
            std::int64_t* const counts = counters.local().data();
            for (const std::int64_t key : keys)
                ++counts[from(key) >> shift];
        });
        std::vector<Bin> finer;
        for (std::size_t part = 0; part < parts; ++part) {
            std::int64_t count = 0;
            for (const std::vector<std::int64_t>& counts : counters)
                count += counts[part];
            const auto at = [&](std::size_t number) {
                return static_cast<std::int64_t>(static_cast<std::uint64_t>(bin.first) + (std::uint64_t{number} << shift));
            };
            if (count > 0)
                finer.push_back({at(part), from(bin.last) >> shift == part ? bin.last : at(part + 1) - 1, count});
        }
        if (finer.empty())
            finer.push_back({bin.first, bin.first, 1});
        return finer;
    }

    const ValueBins& m_values;
    const Job& m_job;
};

} // namespace

RankedKeys selectKeys(const ValueBins& values, std::int64_t rank, const Job& job)
{
    const std::vector<Bin> bins = values.bins();
    return bins.empty() ? RankedKeys{} : Search(values, job).among(bins, rank);
}

} // namespace core
