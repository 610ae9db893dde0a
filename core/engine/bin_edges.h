// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/binning.h"
#include "core/engine/block_reader.h"
#include "core/engine/engine.h"
#include "core/engine/value_keys.h"

#include <optional>
#include <span>
#include <vector>

namespace core {

/// Where the bins of an index begin and end, exactly: as keys (see value_keys.h) of the stored values. Bin 0 has -inf too.
template <class Seen>
class BinEdges
{
public:
    using Compare = CompareOf<Seen>;
    using Work = MapType<Seen>;

    /// At most `bins` bins over the finite range in `all`, guided by a sample of the tensor's values.
    BinEdges(const BlockReader& reader, const Statistics& all, int bins);

    const Binning<Work>& binning() const { return m_binning; }
    /// Bins up to that of the largest finite value.
    int bins() const { return static_cast<int>(m_edges.size()); }
    /// Smallest and largest key that a value in a bin can have.
    std::int64_t firstKey(int bin) const { return bin == 0 ? lowestKey() : m_edges[static_cast<std::size_t>(bin)]; }
    std::int64_t lastKey(int bin) const { return bin + 1 < bins() ? m_edges[static_cast<std::size_t>(bin) + 1] - 1 : m_maxKey; }
    /// Of the finite values.
    std::int64_t minKey() const { return m_minKey; }
    std::int64_t maxKey() const { return m_maxKey; }
    bool hasNegativeInf() const { return m_hasNegativeInf; }

    /// Thresholds T, ascending, for which `> T` begins with a bin.
    std::span<const double> stops() const { return m_stops; }

    /// The bin at whose beginning values have a key >= `key` + `past`, if there is one: infinityBin() and nanBin() of the
    /// binning count as bins. `totals`: values per bin; inside an empty one any place is as exact as its beginning.
    std::optional<int> edgeOf(std::int64_t key, int past, std::span<const std::int64_t> totals) const;

private:
    std::int64_t lowestKey() const;
    void findEdges();
    void listStops();

    std::int64_t m_minKey;
    std::int64_t m_maxKey;
    bool m_hasNegativeInf;
    Binning<Work> m_binning;
    /// m_edges[k]: key of the smallest finite value in bin k or above.
    std::vector<std::int64_t> m_edges;
    std::vector<double> m_stops;
};

} // namespace core
