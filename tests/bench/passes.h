// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/kernels.h"
#include "core/engine/parallel.h"
#include "tests/bench/bench_data.h"

#include <span>
#include <vector>

namespace bench {

/// Our passes over a contiguous batch of images, put together from the engine's kernels; outputs are allocated and touched
/// beforehand.
template <class Stored>
class Passes
{
public:
    using Predicate = core::Predicate<core::CompareOf<Stored>>;

    Passes(std::span<const Stored> values, const Extent& extent, const core::Workers& workers);
    /// Touches room for the coordinates of this many hot elements: linear offsets, and with `rows` also indices.
    void reserve(std::int64_t hot, bool rows);

    /// Per-plane counts.
    void count(const Predicate& predicate);
    /// Mask bits and per-plane counts.
    void mark(const Predicate& predicate);
    /// Mask bits, per-plane counts, and per pixel the count, sum and maximum of the hot values.
    void reduce(const Predicate& predicate);
    /// Linear offsets of the hot elements, from the mask and the counts.
    void listOffsets();
    /// int64 indices by axis, as torch.nonzero lays them out, from the mask and the counts.
    void listRows();

    std::span<const std::int64_t> counts() const { return m_counts; }
    std::span<const std::int32_t> countMap() const { return m_countMap; }
    std::span<const double> sumMap() const { return m_sumMap; }
    std::span<const core::MapType<Stored>> maxMap() const { return m_maxMap; }
    std::span<const std::uint32_t> offsets() const { return m_offsets; }
    /// Axis a of row i at [a * hot() + i].
    std::span<const std::int64_t> rows() const { return m_rows; }
    std::int64_t hot() const { return m_firstRow.back(); }

private:
    /// Row at which each plane begins.
    void placeRows();
    void eachPlane(const std::function<void(std::int64_t, core::Scratch&)>& work);
    const std::byte* plane(std::int64_t index) const;

    std::span<const Stored> m_values;
    Extent m_extent;
    const core::Workers& m_workers;
    core::BufferPool m_pool;
    core::BufferPool::Loan m_maskBuffer, m_countBuffer, m_sumBuffer, m_maxBuffer, m_offsetBuffer, m_rowBuffer;
    std::int64_t m_words;
    std::span<std::uint64_t> m_mask;
    std::vector<std::int64_t> m_counts;
    std::vector<std::int64_t> m_firstRow;
    std::span<std::int32_t> m_countMap;
    std::span<double> m_sumMap;
    std::span<core::MapType<Stored>> m_maxMap;
    std::span<std::uint32_t> m_offsets;
    std::span<std::int64_t> m_rows;
};

} // namespace bench
