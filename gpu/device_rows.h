// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "core/engine/index_writer.h"
#include "gpu/device_values.h"

#include <algorithm>
#include <functional>
#include <span>

namespace gpu {

/// Lists hot elements in torch.nonzero's order over the selected part, as core::streamRows(): mask words and the sums of what
/// blocks of them count are made on the device and stay there, so that any rows of the list can be asked for at once. Where the
/// number of all rows is not known, it comes with the first ones: nobody waits for it.
class DeviceRows
{
public:
    /// Marks of all planes: a block's words and its number of hot elements, `planeBlocks` blocks for each plane.
    struct MarkedPlanes
    {
        DeviceMemory::Loan mask;
        /// Room for one more: a count for each block.
        DeviceMemory::Loan blockCounts;
        std::int64_t planeBlocks = 0;
        int blockWords = 0;
    };
    /// A marked stretch of elements.
    struct Marked
    {
        std::int64_t first = 0;
        std::int64_t elements = 0;
        /// As MarkedBlocks.
        std::int64_t blocks = 0;
        int blockWords = markWords;
        std::int64_t runBlocks = 0;
        std::int64_t runElements = 0;
        DeviceMemory::Loan mask;
        /// Hot elements before each block, and of all.
        DeviceMemory::Loan before;
    };
    /// Rows of a stretch: on their way, known once the device is done.
    struct List
    {
        std::int64_t firstElement = 0;
        std::int64_t firstRow = 0;
        /// Rows asked for.
        std::int64_t room = 0;
        DeviceMemory::Loan offsets;
        DeviceMemory::Loan values;
        DeviceMemory::Loan totalHere;
        DeviceMemory::Loan offsetsHere;
        DeviceMemory::Loan valuesHere;

        /// Of the stretch.
        std::int64_t total() const { return static_cast<std::int64_t>(*totalHere.as<std::uint64_t>()); }
        std::int64_t rows() const { return std::clamp(total() - firstRow, std::int64_t{0}, room); }
        std::span<const std::uint32_t> offsetsFound() const
        {
            return {offsetsHere.as<std::uint32_t>(), static_cast<std::size_t>(rows())};
        }
    };
    /// A window that is on its way.
    struct Pending
    {
        core::RowWindow window;
        Marked marked;
        List first;
    };

    /// Keeps references.
    DeviceRows(const DeviceValues& values, const core::HotTest& test, const core::PlaneGrid& grid, const core::Tensor& tensor,
               const core::Selection& selection);

    /// All rows, in blocks; the sink returns false to stop early.
    void stream(bool values, const std::function<bool(const core::RowBlock&)>& sink, const core::Workers& workers,
                const core::Job& job) const;
    /// As core::RowSearch.
    core::Coordinates window(const core::RowWindow& window, std::span<const std::int64_t> planeCounts,
                             const core::Job& job) const;

    /// Whether rows can be listed from marks of planes: the list is in the planes' order, and offsets within it have 32 bits.
    bool canListPlanes() const;
    /// Queues a window of rows from marks that are on their way; gives it once the device is done with what was queued.
    Pending ask(MarkedPlanes planes, const core::RowWindow& window) const;
    core::Coordinates take(Pending pending) const;

    /// All positions in blocks, as offsets from a first one; the sink returns false to stop early.
    void offsets(const std::function<bool(std::int64_t, std::span<const std::uint32_t>)>& sink, const core::Job& job) const;

private:
    /// Where to look for a window: elements [begin, end), rows after the first `skip` of these, `rows` of them at most.
    struct Search
    {
        std::int64_t begin;
        std::int64_t end;
        std::int64_t skip;
        std::int64_t rows;
    };

    Marked mark(std::int64_t first, std::int64_t count) const;
    /// Adds up the counts of a stretch's blocks; there is room for one more.
    void sumUp(Marked& marked, const DeviceMemory::Loan& blockCounts) const;
    /// Asks for rows [firstRow, firstRow + rows) of a stretch.
    List list(const Marked& marked, std::int64_t firstRow, std::int64_t rows, bool values) const;
    /// Rows after the first `skip` of a stretch, so many that `out` has `rows` where it can.
    List listNext(const Marked& marked, std::int64_t skip, std::int64_t rows, const core::Coordinates& out) const;
    /// Appends these, and those after them; the number of all rows of the stretch.
    std::int64_t takeRows(const Marked& marked, List found, std::int64_t rows, core::Coordinates& out) const;
    core::Coordinates emptyWindow(std::int64_t firstRow) const;
    /// All rows; `use` returns false to stop early.
    void forLists(bool values, const std::function<bool(const List&)>& use, const core::Job& job) const;
    Search searchFor(const core::RowWindow& window, std::span<const std::int64_t> planeCounts) const;
    core::Scalar valueOf(const List& list, std::int64_t row) const;
    bool deliver(const List& list, bool values, const std::function<bool(const core::RowBlock&)>& sink,
                 const core::Workers& workers, const core::Job& job) const;
    void append(const List& list, core::Coordinates& out) const;

    const DeviceValues& m_values;
    const DeviceHot m_hot;
    const core::PlaneGrid& m_grid;
    core::IndexWriter m_indices;
    Order m_order;
    /// Elements in own order from one channel index to the next.
    std::int64_t m_channelRun;
};

} // namespace gpu
