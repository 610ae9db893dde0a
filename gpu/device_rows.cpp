// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_rows.h"

#include "core/engine/element_value.h"
#include "core/engine/plane_order.h"
#include "gpu/own_order.h"

#include <algorithm>
#include <numeric>

namespace gpu {
namespace {

/// Elements that are marked at once: most, and first ones of a window. Offsets within them have 32 bits.
constexpr std::int64_t streamElements = std::int64_t{1} << 30;
constexpr std::int64_t windowElements = std::int64_t{1} << 24;
/// Most rows of a list.
constexpr std::int64_t listRows = 1 << 18;

} // namespace

DeviceRows::DeviceRows(const DeviceValues& values, const core::HotTest& test, const core::PlaneGrid& grid,
                       const core::Tensor& tensor, const core::Selection& selection)
    : m_values(values), m_hot(values, test), m_grid(grid), m_indices(tensor.shape(), selection),
      m_order(ownOrder(tensor, selection, grid.extents)), m_channelRun(core::channelRun(tensor.shape(), selection))
{
}

bool DeviceRows::canListPlanes() const
{
    return m_order.axes == 1 && m_grid.own.elements() <= streamElements;
}

DeviceRows::Marked DeviceRows::mark(std::int64_t first, std::int64_t count) const
{
    DeviceMemory& memory = m_values.memory();
    Marked marked;
    marked.first = first;
    marked.elements = count;
    marked.blocks = (count + markElements - 1) / markElements;
    marked.runBlocks = marked.blocks;
    marked.mask = memory.takeArray<std::uint32_t>(marked.blocks * markWords);
    const auto blockCounts = memory.takeArray<std::uint32_t>(marked.blocks + 1);
    MarkParameters p{};
    p.planes = m_values.planes();
    p.order = m_order;
    p.first = first;
    p.count = count;
    p.hot = m_hot.table();
    p.channelRun = m_channelRun;
    p.mask = marked.mask.as<std::uint32_t>();
    p.blockCounts = blockCounts.as<std::uint32_t>();
    m_values.device().launch(m_values.type(), marked.blocks, p);
    sumUp(marked, blockCounts);
    return marked;
}

void DeviceRows::sumUp(Marked& marked, const DeviceMemory::Loan& blockCounts) const
{
    Device& device = m_values.device();
    // One more: what lies before it is the sum of all.
    const std::int64_t sums = marked.blocks + 1;
    marked.before = m_values.memory().takeArray<std::uint64_t>(sums);
    const auto scratch = m_values.memory().take(device.prefixScratch(sums));
    device.fill(blockCounts.data() + marked.blocks * static_cast<std::int64_t>(sizeof(std::uint32_t)), 0,
                sizeof(std::uint32_t));
    device.prefix(blockCounts.as<std::uint32_t>(), marked.before.as<std::uint64_t>(), sums, scratch.data());
}

DeviceRows::List DeviceRows::list(const Marked& marked, std::int64_t firstRow, std::int64_t rows, bool values) const
{
    const auto bytes = static_cast<std::int64_t>(core::itemSize(m_values.dtype()));
    List list;
    list.firstElement = marked.first;
    list.firstRow = firstRow;
    list.room = rows;
    list.offsets = m_values.memory().takeArray<std::uint32_t>(rows);
    list.offsetsHere = m_values.memory().takeArray<std::uint32_t>(rows, DeviceMemory::Kind::pinned);
    list.totalHere = m_values.memory().takeArray<std::uint64_t>(1, DeviceMemory::Kind::pinned);
    if (values) {
        list.values = m_values.memory().takeArray<std::byte>(rows * bytes);
        list.valuesHere = m_values.memory().takeArray<std::byte>(rows * bytes, DeviceMemory::Kind::pinned);
    }
    ListParameters p{};
    p.marked = {marked.mask.as<std::uint32_t>(),
                marked.before.as<std::uint64_t>(),
                marked.blocks,
                marked.blockWords,
                marked.runBlocks,
                marked.runElements};
    p.firstRow = firstRow;
    p.rows = rows;
    p.offsets = list.offsets.as<std::uint32_t>();
    p.values = list.values.data();
    p.source = m_values.planes().values;
    p.order = m_order;
    p.first = marked.first;
    Device& device = m_values.device();
    device.launch(m_values.type(), (rows + blockThreads - 1) / blockThreads, p);
    device.copyOut(list.totalHere.data(), reinterpret_cast<const std::byte*>(p.marked.before + p.marked.blocks),
                   sizeof(std::uint64_t));
    device.copyOut(list.offsetsHere.data(), list.offsets.data(), static_cast<std::size_t>(rows) * sizeof(std::uint32_t));
    if (values)
        device.copyOut(list.valuesHere.data(), list.values.data(), static_cast<std::size_t>(rows * bytes));
    return list;
}

core::Scalar DeviceRows::valueOf(const List& list, std::int64_t row) const
{
    return core::valueAt(m_values.dtype(), list.valuesHere.data() + row * core::itemSize(m_values.dtype()));
}

void DeviceRows::forLists(bool values, const std::function<bool(const List&)>& use, const core::Job& job) const
{
    const std::int64_t elements = m_grid.own.elements();
    Marked marked = mark(0, std::min(streamElements, elements));
    // The first list of a stretch brings the number of its rows along; while a list is used, the next one is on its way.
    List next = list(marked, 0, std::min(listRows, marked.elements), values);
    Settled settled(m_values.device());
    for (bool isLast = false; !isLast;) {
        job.check();
        m_values.device().synchronize();
        const List ready = std::move(next);
        const std::int64_t row = ready.firstRow + ready.room;
        const std::int64_t end = marked.first + marked.elements;
        std::int64_t done = end;
        if (row < ready.total()) {
            next = list(marked, row, std::min(listRows, ready.total() - row), values);
            done -= marked.elements - std::min(marked.elements, row);
        } else if (end < elements) {
            marked = {};
            marked = mark(end, std::min(streamElements, elements - end));
            next = list(marked, 0, std::min(listRows, marked.elements), values);
        } else {
            isLast = true;
            settled.done();
        }
        if (ready.rows() > 0 && !use(ready))
            return;
        job.report(static_cast<double>(done) / static_cast<double>(elements));
    }
}

void DeviceRows::offsets(const std::function<bool(std::int64_t, std::span<const std::uint32_t>)>& sink,
                         const core::Job& job) const
{
    forLists(
        false, [&](const List& list) { return sink(list.firstElement, list.offsetsFound()); }, job);
}

void DeviceRows::stream(bool values, const std::function<bool(const core::RowBlock&)>& sink, const core::Workers& workers,
                        const core::Job& job) const
{
    forLists(
        values, [&](const List& list) { return deliver(list, values, sink, workers, job); }, job);
}

bool DeviceRows::deliver(const List& list, bool values, const std::function<bool(const core::RowBlock&)>& sink,
                         const core::Workers& workers, const core::Job& job) const
{
    constexpr std::int64_t part = 32768;
    const auto rank = static_cast<std::size_t>(m_indices.rank());
    const std::int64_t rows = list.rows();
    std::vector<std::int64_t> indices(static_cast<std::size_t>(rows) * rank);
    std::vector<core::Scalar> scalars(values ? static_cast<std::size_t>(rows) : 0);
    workers.forEach((rows + part - 1) / part, {job.stop, {}}, [&](std::int64_t item, core::Scratch&) {
        const std::int64_t begin = item * part;
        const std::int64_t n = std::min(part, rows - begin);
        m_indices.write(list.firstElement,
                        list.offsetsFound().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(n)),
                        indices.data() + static_cast<std::size_t>(begin) * rank);
        for (std::int64_t row = begin; values && row < begin + n; ++row)
            scalars[static_cast<std::size_t>(row)] = valueOf(list, row);
    });
    return sink({indices, scalars, rows});
}

DeviceRows::Search DeviceRows::searchFor(const core::RowWindow& window, std::span<const std::int64_t> planeCounts) const
{
    Search search{0, m_grid.own.elements(), window.first, window.count};
    if (planeCounts.empty())
        return search;
    const std::int64_t all = std::accumulate(planeCounts.begin(), planeCounts.end(), std::int64_t{0});
    search.rows = std::clamp(all - window.first, std::int64_t{0}, window.count);
    if (!m_grid.isOwnOrder)
        return search;
    std::size_t plane = 0;
    for (; plane < planeCounts.size() && planeCounts[plane] <= search.skip; ++plane)
        search.skip -= planeCounts[plane];
    search.begin = static_cast<std::int64_t>(plane) * m_grid.extents.planeElements();
    for (std::int64_t rows = 0; plane < planeCounts.size() && rows < search.skip + search.rows; ++plane)
        rows += planeCounts[plane];
    search.end = static_cast<std::int64_t>(plane) * m_grid.extents.planeElements();
    return search;
}

core::Coordinates DeviceRows::emptyWindow(std::int64_t firstRow) const
{
    core::Coordinates out;
    out.firstRow = firstRow;
    out.rank = m_indices.rank();
    return out;
}

DeviceRows::List DeviceRows::listNext(const Marked& marked, std::int64_t skip, std::int64_t rows,
                                      const core::Coordinates& out) const
{
    return list(marked, skip, std::min({rows - out.rows(), listRows, marked.elements}), true);
}

std::int64_t DeviceRows::takeRows(const Marked& marked, List found, std::int64_t rows, core::Coordinates& out) const
{
    for (;;) {
        m_values.device().synchronize();
        append(found, out);
        const std::int64_t next = found.firstRow + found.rows();
        if (out.rows() >= rows || next >= found.total())
            return found.total();
        found = listNext(marked, next, rows, out);
    }
}

core::Coordinates DeviceRows::window(const core::RowWindow& window, std::span<const std::int64_t> planeCounts,
                                     const core::Job& job) const
{
    core::Coordinates out = emptyWindow(window.first);
    Search search = searchFor(window, planeCounts);
    // Few elements are marked in vain where rows are many, and many at once where they are few.
    std::int64_t stretch = windowElements;
    while (search.begin < search.end && out.rows() < search.rows) {
        job.check();
        const Marked marked = mark(search.begin, std::min(stretch, search.end - search.begin));
        const std::int64_t total = takeRows(marked, listNext(marked, search.skip, search.rows, out), search.rows, out);
        search.skip = std::max(search.skip - total, std::int64_t{0});
        search.begin += marked.elements;
        stretch = std::min(4 * stretch, streamElements);
    }
    return out;
}

DeviceRows::Pending DeviceRows::ask(MarkedPlanes planes, const core::RowWindow& window) const
{
    Pending pending;
    pending.window = window;
    Marked& marked = pending.marked;
    marked.elements = m_grid.own.elements();
    marked.blocks = m_grid.extents.planes() * planes.planeBlocks;
    marked.blockWords = planes.blockWords;
    marked.runBlocks = planes.planeBlocks;
    marked.runElements = m_grid.extents.planeElements();
    marked.mask = std::move(planes.mask);
    sumUp(marked, planes.blockCounts);
    pending.first = listNext(marked, window.first, window.count, emptyWindow(window.first));
    return pending;
}

core::Coordinates DeviceRows::take(Pending pending) const
{
    core::Coordinates out = emptyWindow(pending.window.first);
    takeRows(pending.marked, std::move(pending.first), pending.window.count, out);
    return out;
}

void DeviceRows::append(const List& list, core::Coordinates& out) const
{
    const auto old = out.indices.size();
    out.indices.resize(old + static_cast<std::size_t>(list.rows()) * static_cast<std::size_t>(out.rank));
    m_indices.write(list.firstElement, list.offsetsFound(), out.indices.data() + old);
    for (std::int64_t row = 0; row < list.rows(); ++row)
        out.values.push_back(valueOf(list, row));
}

} // namespace gpu
