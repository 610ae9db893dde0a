// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/passes.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace bench {
namespace {

template <class T>
std::span<T> touched(const core::BufferPool::Loan& loan, std::int64_t count)
{
    std::memset(loan.as<std::byte>(loan.size()).data(), 0, loan.size());
    return loan.as<T>(static_cast<std::size_t>(count));
}

} // namespace

template <class Stored>
Passes<Stored>::Passes(std::span<const Stored> values, const Extent& extent, const core::Workers& workers)
    : m_values(values), m_extent(extent), m_workers(workers), m_words(core::maskWords(extent.pixels())),
      m_counts(static_cast<std::size_t>(extent.planes())), m_firstRow(m_counts.size() + 1)
{
    const std::int64_t pixels = extent.batches * extent.pixels();
    const auto size = [](std::int64_t count, std::size_t item) { return static_cast<std::size_t>(count) * item; };
    m_maskBuffer = m_pool.take(size(extent.planes() * m_words, sizeof(std::uint64_t)));
    m_countBuffer = m_pool.take(size(pixels, sizeof(std::int32_t)));
    m_sumBuffer = m_pool.take(size(pixels, sizeof(double)));
    m_maxBuffer = m_pool.take(size(pixels, sizeof(core::MapType<Stored>)));
    m_mask = touched<std::uint64_t>(m_maskBuffer, extent.planes() * m_words);
    m_countMap = touched<std::int32_t>(m_countBuffer, pixels);
    m_sumMap = touched<double>(m_sumBuffer, pixels);
    m_maxMap = touched<core::MapType<Stored>>(m_maxBuffer, pixels);
}

template <class Stored>
void Passes<Stored>::reserve(std::int64_t hot, bool rows)
{
    constexpr std::int64_t rank = 4;
    const auto count = static_cast<std::size_t>(hot);
    m_offsetBuffer = m_pool.take(count * sizeof(std::uint32_t));
    m_offsets = touched<std::uint32_t>(m_offsetBuffer, hot);
    if (!rows)
        return;
    m_rowBuffer = m_pool.take(count * rank * sizeof(std::int64_t));
    m_rows = touched<std::int64_t>(m_rowBuffer, hot * rank);
}

template <class Stored>
const std::byte* Passes<Stored>::plane(std::int64_t index) const
{
    return reinterpret_cast<const std::byte*>(m_values.data() + index * m_extent.pixels());
}

template <class Stored>
void Passes<Stored>::eachPlane(const std::function<void(std::int64_t, core::Scratch&)>& work)
{
    // Long runs of planes: each thread streams through memory.
    const std::int64_t pieces = std::min<std::int64_t>(m_extent.planes(), 4 * m_workers.threads());
    m_workers.forEach(pieces, {}, [&](std::int64_t piece, core::Scratch& scratch) {
        for (std::int64_t i = m_extent.planes() * piece / pieces; i < m_extent.planes() * (piece + 1) / pieces; ++i)
            work(i, scratch);
    });
}

template <class Stored>
void Passes<Stored>::count(const Predicate& predicate)
{
    eachPlane([&](std::int64_t i, core::Scratch&) {
        m_counts[static_cast<std::size_t>(i)] = core::countHot<Stored>(plane(i), m_extent.pixels(), predicate);
    });
}

template <class Stored>
void Passes<Stored>::mark(const Predicate& predicate)
{
    eachPlane([&](std::int64_t i, core::Scratch&) {
        m_counts[static_cast<std::size_t>(i)] =
            core::markHot<Stored>(plane(i), m_extent.pixels(), predicate, m_mask.data() + i * m_words);
    });
    placeRows();
}

template <class Stored>
void Passes<Stored>::reduce(const Predicate& predicate)
{
    std::fill(m_counts.begin(), m_counts.end(), 0);
    const std::int64_t pixels = core::evenTilePixels(m_extent.pixels(), m_extent.batches, m_workers.threads());
    const std::int64_t tiles = (m_extent.pixels() + pixels - 1) / pixels;
    m_workers.forEach(m_extent.batches * tiles, {}, [&](std::int64_t item, core::Scratch& scratch) {
        const std::int64_t batch = item / tiles;
        const std::int64_t first = item % tiles * pixels;
        const std::int64_t pixel = batch * m_extent.pixels() + first;
        auto* counts = scratch.take<std::int64_t>(0, m_extent.channels);
        std::fill_n(counts, m_extent.channels, 0);
        core::PixelTile<Stored> tile;
        tile.values = plane(batch * m_extent.channels) + first * static_cast<std::int64_t>(sizeof(Stored));
        tile.channels = m_extent.channels;
        tile.channelStride = m_extent.pixels();
        tile.pixels = std::min(pixels, m_extent.pixels() - first);
        tile.predicate = predicate;
        tile.counts = counts;
        tile.mask = m_mask.data() + batch * m_extent.channels * m_words + first / 64;
        tile.maskStride = m_words;
        tile.countMap = m_countMap.data() + pixel;
        tile.sumMap = m_sumMap.data() + pixel;
        tile.maxMap = m_maxMap.data() + pixel;
        core::reduceChannels(tile);
        for (std::int64_t c = 0; c < m_extent.channels; ++c)
            std::atomic_ref(m_counts[static_cast<std::size_t>(batch * m_extent.channels + c)])
                .fetch_add(counts[c], std::memory_order_relaxed);
    });
    placeRows();
}

template <class Stored>
void Passes<Stored>::placeRows()
{
    for (std::size_t i = 0; i < m_counts.size(); ++i)
        m_firstRow[i + 1] = m_firstRow[i] + m_counts[i];
}

template <class Stored>
void Passes<Stored>::listOffsets()
{
    eachPlane([&](std::int64_t i, core::Scratch&) {
        const auto at = static_cast<std::size_t>(i);
        core::listHot(m_mask.data() + i * m_words, m_words, static_cast<std::uint32_t>(i * m_extent.pixels()),
                      m_offsets.subspan(static_cast<std::size_t>(m_firstRow[at]), static_cast<std::size_t>(m_counts[at])));
    });
}

template <class Stored>
void Passes<Stored>::listRows()
{
    eachPlane([&](std::int64_t i, core::Scratch& scratch) {
        const auto at = static_cast<std::size_t>(i);
        const std::span<std::uint32_t> offsets(scratch.take<std::uint32_t>(0, m_counts[at]),
                                               static_cast<std::size_t>(m_counts[at]));
        core::listHot(m_mask.data() + i * m_words, m_words, 0, offsets);
        const std::int64_t prefix[] = {i / m_extent.channels, i % m_extent.channels};
        core::writeColumns(offsets, {prefix, m_extent.width, false}, m_rows.data() + m_firstRow[at], hot());
    });
}

template class Passes<float>;
template class Passes<core::Half>;
template class Passes<std::uint8_t>;

} // namespace bench
