// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/plane_order.h"
#include "core/engine/sparse_scan.h"

#include <algorithm>

namespace core {
namespace {

constexpr std::int64_t blockRows = 65536;
constexpr std::int64_t checkEvery = 1 << 16;

} // namespace

SparseRows::SparseRows(const SparseMarks& marks, const Shape& shape, const Selection& selection)
    : m_marks(marks), m_indices(shape, selection), m_channelRun(channelRun(shape, selection))
{
}

std::int64_t SparseRows::ownAt(std::int64_t i) const
{
    const SparseEntries& entries = m_marks.entries();
    return i < entries.count() ? entries.own[static_cast<std::size_t>(entries.inOwnOrder(i))] : entries.extents.elements();
}

std::int64_t SparseRows::nextZeroHot(std::int64_t position) const
{
    const Extents& extents = m_marks.entries().extents;
    const std::int64_t run = position / m_channelRun;
    const std::int64_t channel = run % extents.channels;
    const auto next = m_marks.nextZeroHot(channel);
    if (next == channel)
        return position;
    const auto first = next ? next : m_marks.nextZeroHot(0);
    if (!first)
        return extents.elements();
    // The channels begin anew behind the last.
    const std::int64_t runs = *first - channel + (next ? 0 : extents.channels);
    const __int128 at = (static_cast<__int128>(run) + runs) * m_channelRun;
    return static_cast<std::int64_t>(std::min<__int128>(at, extents.elements()));
}

void SparseRows::append(std::int64_t position, const Scalar& value, Coordinates& out) const
{
    const std::size_t at = out.indices.size();
    out.indices.resize(at + static_cast<std::size_t>(m_indices.rank()));
    m_indices.write(position, out.indices.data() + at);
    out.values.push_back(value);
}

std::int64_t SparseRows::advance(Cursor& cursor, std::int64_t rows, Coordinates* out, const Job& job) const
{
    const SparseEntries& entries = m_marks.entries();
    const Scalar zeroValue = m_marks.zero();
    std::int64_t found = 0;
    std::int64_t steps = 0;
    while (found < rows && cursor.position < entries.extents.elements()) {
        if (++steps % checkEvery == 0)
            job.check();
        const std::int64_t next = ownAt(cursor.entry);
        if (const std::int64_t zero = cursor.position < next ? nextZeroHot(cursor.position) : next; zero > cursor.position) {
            cursor.position = std::min(zero, next);
            continue;
        }
        const bool isStored = cursor.position == next;
        const std::int64_t entry = isStored ? entries.inOwnOrder(cursor.entry) : 0;
        const bool isHot =
            isStored ? m_marks.isHot(entry) : m_marks.isZeroHot(cursor.position / m_channelRun % entries.extents.channels);
        if (isHot && out)
            append(cursor.position, isStored ? m_marks.scalar(entry) : zeroValue, *out);
        found += isHot;
        cursor.entry += isStored;
        ++cursor.position;
    }
    return found;
}

SparseRows::Cursor SparseRows::cursorAt(std::int64_t row, const Job& job) const
{
    const SparseEntries& entries = m_marks.entries();
    Cursor cursor;
    if (!m_marks.isAnyZeroHot() || m_marks.isMixed()) {
        advance(cursor, row, nullptr, job);
        return cursor;
    }
    // All zeros are hot: only cold stored elements are missing from the rows. Before the i-th stored element (own order) lie
    // ownAt(i) elements, less the cold ones among those stored before it.
    std::int64_t cold = 0;
    while (cursor.entry < entries.count() && ownAt(cursor.entry) - cold <= row) {
        cold += !m_marks.isHot(entries.inOwnOrder(cursor.entry));
        if (++cursor.entry % checkEvery == 0)
            job.check();
    }
    cursor.position = std::min(row + cold, entries.extents.elements());
    while (cursor.entry > 0 && ownAt(cursor.entry - 1) >= cursor.position)
        --cursor.entry;
    return cursor;
}

Coordinates SparseRows::window(const RowWindow& window, const Job& job) const
{
    Coordinates out;
    out.firstRow = window.first;
    out.rank = m_indices.rank();
    Cursor cursor = cursorAt(window.first, job);
    advance(cursor, window.count, &out, job);
    return out;
}

void SparseRows::stream(bool values, const std::function<bool(const RowBlock&)>& sink, const Job& job) const
{
    const double elements = static_cast<double>(m_marks.entries().extents.elements());
    Cursor cursor;
    while (true) {
        Coordinates block;
        const std::int64_t rows = advance(cursor, blockRows, &block, job);
        if (rows == 0)
            return;
        const std::vector<Scalar> none;
        if (!sink({block.indices, values ? block.values : none, rows}))
            return;
        job.report(static_cast<double>(cursor.position) / elements);
    }
}

} // namespace core
