// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/bin_edges.h"
#include "core/engine/buffer_pool.h"
#include "core/engine/value_codes.h"

namespace core {

/// Codes made of bins: each code stands for some neighbouring bins.
template <class Seen>
class BinCodes : public ValueCodes
{
public:
    using Compare = CompareOf<Seen>;

    /// Keeps a reference to the edges. `pool` lends the codes' memory.
    BinCodes(const BinEdges<Seen>& edges, const Extents& extents, const std::shared_ptr<BufferPool>& pool);

    /// [planes, elements], to be filled.
    std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(m_memory.data()); }
    const CodeScale& scale() const { return m_scale; }
    /// Tells how many elements of all planes each bin has, and how many are NaN: known once the codes are filled.
    void setTotals(std::vector<std::int64_t> totals, std::int64_t nanTotal);

    std::optional<CodeAnswer> answer(const HotTest& test, std::size_t condition, bool near) const override;

private:
    /// Elements of a code by what a condition says of their bins.
    struct Parts
    {
        std::int64_t hot = 0;
        std::int64_t cold = 0;
        std::int64_t open = 0;
    };
    Parts partsOf(int code, const Predicate<Compare>& predicate) const;
    void findRegular();

    const BinEdges<Seen>& m_edges;
    std::int64_t m_elements;
    PooledStorage m_memory;
    CodeScale m_scale;
    /// Codes of finite values.
    int m_codeCount = 0;
    /// First bin of each code, and the end of the last.
    std::vector<int> m_firstBin;
    std::uint8_t m_regularFirst = 0;
    std::uint8_t m_regularWidth = 0;
    std::vector<std::int64_t> m_totals;
    std::int64_t m_nanTotal = 0;
};

} // namespace core
