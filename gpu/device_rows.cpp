// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/device_rows.h"

#include <algorithm>

namespace gpu {
namespace {

/// Elements that a window of rows is looked for in at once, and those that are marked at once for all rows.
constexpr std::int64_t windowElements = std::int64_t{1} << 24;
constexpr std::int64_t streamElements = std::int64_t{1} << 30;
/// Rows of a list: its end is at the first block behind.
constexpr std::uint64_t listRows = 1 << 18;

/// The tensor's own axes over the packed values; neighbours that continue each other are one.
Order ownOrder(const core::Tensor& tensor, const core::Selection& selection, const core::Extents& extents)
{
    const auto strideOf = [&](core::AxisRole role) -> std::int64_t {
        switch (role) {
        case core::AxisRole::batch:
            return extents.channels * extents.planeElements();
        case core::AxisRole::channel:
            return extents.planeElements();
        case core::AxisRole::depth:
            return extents.height * extents.width;
        case core::AxisRole::row:
            return extents.width;
        default:
            return 1;
        }
    };
    Order order{};
    for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) {
        const std::int64_t extent = tensor.shape()[axis];
        if (selection.fixed[axis] || extent == 1)
            continue;
        const std::int64_t stride = strideOf(selection.layout.roles[axis]);
        if (order.axes > 0 && order.stride[order.axes - 1] == extent * stride) {
            order.extent[order.axes - 1] *= extent;
            order.stride[order.axes - 1] = stride;
        } else {
            order.extent[order.axes] = extent;
            order.stride[order.axes++] = stride;
        }
    }
    if (order.axes == 0) {
        order.axes = 1;
        order.extent[0] = 1;
        order.stride[0] = 1;
    }
    return order;
}

/// Waits at its end, also where a sink throws: the copy of a list writes to memory that others get on loan then.
class Settled
{
public:
    explicit Settled(Device& device) : m_device(device) {}
    ~Settled()
    {
        try {
            m_device.synchronize();
        } catch (const DeviceError&) {
        }
    }
    Settled(const Settled&) = delete;
    Settled& operator=(const Settled&) = delete;

private:
    Device& m_device;
};

} // namespace

DeviceRows::DeviceRows(const DeviceValues& values, const core::HotTest& test, const core::PlaneGrid& grid,
                       const core::Tensor& tensor, const core::Selection& selection)
    : m_values(values), m_hot(values, test), m_grid(grid), m_indices(tensor.shape(), selection),
      m_order(ownOrder(tensor, selection, grid.extents)), m_channelRun(core::channelRun(tensor.shape(), selection))
{
}

DeviceRows::Marked DeviceRows::mark(std::int64_t first, std::int64_t count) const
{
    const std::int64_t blocks = (count + markElements - 1) / markElements;
    Marked marked;
    marked.first = first;
    marked.mask = m_values.memory().takeArray<std::uint32_t>(blocks * markWords);
    marked.blockCounts = m_values.memory().takeArray<std::uint32_t>(blocks);
    MarkParameters p{};
    p.planes = m_values.planes();
    p.order = m_order;
    p.first = first;
    p.count = count;
    p.hot = m_hot.table();
    p.channelRun = m_channelRun;
    p.mask = marked.mask.as<std::uint32_t>();
    p.blockCounts = marked.blockCounts.as<std::uint32_t>();
    m_values.device().launch(m_values.type(), blocks, p);
    marked.before.push_back(0);
    for (const std::uint32_t rows : m_values.fetch<std::uint32_t>(marked.blockCounts.data(), blocks))
        marked.before.push_back(marked.before.back() + rows);
    if (marked.rows() > 0)
        marked.beforeThere = DeviceArray(m_values, marked.before);
    return marked;
}

DeviceRows::List DeviceRows::list(const Marked& marked, std::int64_t from, std::int64_t to, bool values) const
{
    const std::uint64_t skipped = marked.before[static_cast<std::size_t>(from)];
    const auto bytes = static_cast<std::int64_t>(core::itemSize(m_values.dtype()));
    List list;
    list.firstElement = marked.first + from * markElements;
    list.rows = static_cast<std::int64_t>(marked.before[static_cast<std::size_t>(to)] - skipped);
    list.offsets = m_values.memory().takeArray<std::uint32_t>(list.rows);
    list.offsetsHere = m_values.memory().takeArray<std::uint32_t>(list.rows, DeviceMemory::Kind::pinned);
    if (values) {
        list.values = m_values.memory().takeArray<std::byte>(list.rows * bytes);
        list.valuesHere = m_values.memory().takeArray<std::byte>(list.rows * bytes, DeviceMemory::Kind::pinned);
    }
    ListParameters p{};
    p.mask = marked.mask.as<std::uint32_t>();
    p.firstBlock = from;
    p.before = reinterpret_cast<const std::uint64_t*>(marked.beforeThere.data());
    p.skipped = skipped;
    p.offsets = list.offsets.as<std::uint32_t>();
    p.values = list.values.data();
    p.source = m_values.planes().values;
    p.order = m_order;
    p.first = marked.first;
    Device& device = m_values.device();
    device.launch(m_values.type(), to - from, p);
    device.copyOut(list.offsetsHere.data(), list.offsets.data(), static_cast<std::size_t>(list.rows) * sizeof(std::uint32_t));
    if (values)
        device.copyOut(list.valuesHere.data(), list.values.data(), static_cast<std::size_t>(list.rows * bytes));
    return list;
}

core::Scalar DeviceRows::valueOf(const List& list, std::int64_t row) const
{
    return core::valueAt(m_values.dtype(), list.valuesHere.data() + row * core::itemSize(m_values.dtype()));
}

std::int64_t DeviceRows::endOfList(const Marked& marked, std::int64_t from) const
{
    // Offsets within a list have 32 bits.
    constexpr std::int64_t mostBlocks = (std::int64_t{1} << 32) / markElements;
    const std::uint64_t wanted = marked.before[static_cast<std::size_t>(from)] + listRows;
    const auto end = std::lower_bound(marked.before.begin() + from + 1, marked.before.end() - 1, wanted);
    return std::min(end - marked.before.begin(), from + mostBlocks);
}

void DeviceRows::stream(bool values, const std::function<bool(const core::RowBlock&)>& sink, const core::Workers& workers,
                        const core::Job& job) const
{
    const std::int64_t elements = m_grid.own.elements();
    for (std::int64_t first = 0; first < elements; first += streamElements) {
        const std::int64_t count = std::min(streamElements, elements - first);
        const Marked marked = mark(first, count);
        // While a list is turned into rows, the next one is on its way.
        List next;
        const Settled settled(m_values.device());
        for (std::int64_t block = 0; marked.rows() > 0 && block <= marked.blocks();) {
            const List ready = std::move(next);
            next = {};
            const std::int64_t end = block < marked.blocks() ? endOfList(marked, block) : block + 1;
            m_values.device().synchronize();
            if (block < marked.blocks())
                next = list(marked, block, end, values);
            if (ready.rows > 0 && !deliver(ready, values, sink, workers, job))
                return;
            block = end;
            job.report(static_cast<double>(first + std::min(count, block * markElements)) / static_cast<double>(elements));
        }
    }
}

bool DeviceRows::deliver(const List& list, bool values, const std::function<bool(const core::RowBlock&)>& sink,
                         const core::Workers& workers, const core::Job& job) const
{
    constexpr std::int64_t part = 32768;
    const auto rank = static_cast<std::size_t>(m_indices.rank());
    std::vector<std::int64_t> indices(static_cast<std::size_t>(list.rows) * rank);
    std::vector<core::Scalar> scalars(values ? static_cast<std::size_t>(list.rows) : 0);
    workers.forEach((list.rows + part - 1) / part, {job.stop, {}}, [&](std::int64_t item, core::Scratch&) {
        const std::int64_t begin = item * part;
        const std::int64_t n = std::min(part, list.rows - begin);
        m_indices.write(list.firstElement,
                        list.offsetsFound().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(n)),
                        indices.data() + static_cast<std::size_t>(begin) * rank);
        for (std::int64_t row = begin; values && row < begin + n; ++row)
            scalars[static_cast<std::size_t>(row)] = valueOf(list, row);
    });
    return sink({indices, scalars, list.rows});
}

core::Coordinates DeviceRows::window(const core::RowWindow& window, std::span<const std::int64_t> planeCounts,
                                     const core::Job& job) const
{
    core::Coordinates out;
    out.firstRow = window.first;
    out.rank = m_indices.rank();
    std::int64_t position = 0;
    std::int64_t rowsBefore = 0;
    // Planes that end before the window are skipped by their counts.
    for (std::size_t plane = 0; m_grid.isOwnOrder && plane < planeCounts.size(); ++plane) {
        if (rowsBefore + planeCounts[plane] > window.first)
            break;
        rowsBefore += planeCounts[plane];
        position += m_grid.extents.planeElements();
    }
    const std::int64_t elements = m_grid.own.elements();
    for (; position < elements && out.rows() < window.count; position += windowElements) {
        job.check();
        const Marked marked = mark(position, std::min(windowElements, elements - position));
        const auto from = std::max(window.first - rowsBefore, std::int64_t{0});
        const std::int64_t rows = std::min(marked.rows() - from, window.count - out.rows());
        rowsBefore += marked.rows();
        if (rows <= 0)
            continue;
        // The block that holds the first row, and the end of the one with the last.
        const auto first = std::upper_bound(marked.before.begin(), marked.before.end(), static_cast<std::uint64_t>(from)) - 1;
        const auto end = std::lower_bound(first, marked.before.end(), static_cast<std::uint64_t>(from + rows));
        const List found = list(marked, first - marked.before.begin(), end - marked.before.begin(), true);
        m_values.device().synchronize();
        const std::int64_t skip = from - static_cast<std::int64_t>(*first);
        const auto old = out.indices.size();
        out.indices.resize(old + static_cast<std::size_t>(rows) * static_cast<std::size_t>(out.rank));
        m_indices.write(found.firstElement,
                        found.offsetsFound().subspan(static_cast<std::size_t>(skip), static_cast<std::size_t>(rows)),
                        out.indices.data() + old);
        for (std::int64_t row = skip; row < skip + rows; ++row)
            out.values.push_back(valueOf(found, row));
    }
    return out;
}

} // namespace gpu
