// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/coordinates.h"
#include "gpu/device_values.h"

#include <mutex>

namespace gpu {

/// Lists hot elements in torch.nonzero's order over the selected part, as core::RowScanner: mask words and counts of blocks
/// first; from these the size and place of every list is known, so that lists are made and fetched without asking the device.
class DeviceRows
{
public:
    /// Keeps references.
    DeviceRows(const DeviceValues& values, const core::HotTest& test, const core::PlaneGrid& grid, const core::Tensor& tensor,
               const core::Selection& selection);

    /// All rows, in blocks; the sink returns false to stop early.
    void stream(bool values, const std::function<bool(const core::RowBlock&)>& sink, const core::Workers& workers,
                const core::Job& job) const;
    /// As core::RowScanner::window.
    core::Coordinates window(const core::RowWindow& window, std::span<const std::int64_t> planeCounts,
                             const core::Job& job) const;

private:
    /// A marked stretch of elements.
    struct Marked
    {
        std::int64_t first = 0;
        DeviceMemory::Loan mask;
        DeviceMemory::Loan blockCounts;
        /// Hot elements before each block, and of all.
        std::vector<std::uint64_t> before;
        DeviceArray beforeThere;

        std::int64_t blocks() const { return std::ssize(before) - 1; }
        std::int64_t rows() const { return static_cast<std::int64_t>(before.back()); }
    };
    /// Some blocks' list on its way.
    struct List
    {
        std::int64_t firstElement = 0;
        std::int64_t rows = 0;
        DeviceMemory::Loan offsets;
        DeviceMemory::Loan values;
        DeviceMemory::Loan offsetsHere;
        DeviceMemory::Loan valuesHere;

        std::span<const std::uint32_t> offsetsFound() const
        {
            return {offsetsHere.as<std::uint32_t>(), static_cast<std::size_t>(rows)};
        }
    };

    Marked mark(std::int64_t first, std::int64_t count) const;
    /// Asks for the list of blocks [from, to).
    List list(const Marked& marked, std::int64_t from, std::int64_t to, bool values) const;
    core::Scalar valueOf(const List& list, std::int64_t row) const;
    /// The block after `from` at which a list is long enough.
    std::int64_t endOfList(const Marked& marked, std::int64_t from) const;
    bool deliver(const List& list, bool values, const std::function<bool(const core::RowBlock&)>& sink,
                 const core::Workers& workers, const core::Job& job) const;

    const DeviceValues& m_values;
    const DeviceHot m_hot;
    const core::PlaneGrid& m_grid;
    core::IndexWriter m_indices;
    Order m_order;
    /// Elements in own order from one channel index to the next.
    std::int64_t m_channelRun;
};

} // namespace gpu
