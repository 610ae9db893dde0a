// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/part_walk.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace core {
namespace {

/// Runs of one plane that are taken by themselves; shorter ones together with those of other planes.
constexpr std::int64_t leastRun = 256;
constexpr std::int64_t partBytes = 256 << 10;
/// Columns for which bounds and counters stay in a core's nearest cache.
constexpr std::int64_t mostColumns = 4096;

/// Batch, channel, depth, height, width.
std::array<StridedAxis, 5> rolesOf(const PlaneGrid& grid)
{
    return {StridedAxis{grid.extents.batches, grid.batchStride}, StridedAxis{grid.extents.channels, grid.channelStride},
            grid.planeAxes[0], grid.planeAxes[1], grid.planeAxes[2]};
}

} // namespace

std::int64_t WalkPiece::columns(std::int64_t itemSize) const
{
    const std::int64_t line = 64 / itemSize;
    const std::int64_t wanted = row * (line / std::gcd(row, line));
    return std::min(wanted <= mostColumns ? wanted : row, elements);
}

PartWalk::PartWalk(const PartCopy& copy)
    : m_elements(copy.grid().extents.elements()), m_part(partBytes / itemSize(copy.grid().dtype))
{
    const PlaneGrid& grid = copy.grid();
    const auto roles = rolesOf(grid);
    const std::array<std::int64_t, 5> planes = {grid.extents.channels, 1, 0, 0, 0};
    std::vector<std::size_t> order;
    for (std::size_t role = 0; role < roles.size(); ++role)
        if (roles[role].extent != 1)
            order.push_back(role);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return roles[a].stride > roles[b].stride; });
    for (const std::size_t role : order)
        m_axes.push_back({role, roles[role].extent, planes[role]});
    if (m_elements == 0)
        return;

    auto axis = m_axes.rbegin();
    for (; axis != m_axes.rend() && axis->planes == 0; ++axis)
        m_run *= axis->extent;
    m_row = m_segment = m_run;
    // Planes come in turn where one of their axes lies outside.
    const bool comesAgain = std::any_of(axis, m_axes.rend(), [](const Axis& a) { return a.planes == 0; });
    if (!comesAgain || m_run >= leastRun)
        return;
    m_isInterleaved = true;
    for (; axis->planes != 0; ++axis)
        m_row *= axis->extent;
    m_segment = m_row;
    for (; axis != m_axes.rend() && axis->planes == 0; ++axis)
        m_segment *= axis->extent;
}

void PartWalk::forEachPart(const Workers& workers, const Job& job,
                           const std::function<void(std::int64_t, std::int64_t, Scratch&)>& work) const
{
    workers.forEach((m_elements + m_part - 1) / m_part, job, [&](std::int64_t item, Scratch& scratch) {
        const std::int64_t first = item * m_part;
        work(first, std::min(m_part, m_elements - first), scratch);
    });
}

StridedOrder PartWalk::orderOf(const PlaneGrid& grid) const
{
    const auto roles = rolesOf(grid);
    std::vector<StridedAxis> axes;
    for (const Axis& axis : m_axes)
        axes.push_back(roles[axis.role]);
    return StridedOrder(axes);
}

PartWalk::RunCursor::RunCursor(const PartWalk& walk, std::int64_t element)
{
    element /= walk.m_run;
    bool isWithin = true;
    for (auto axis = walk.m_axes.rbegin(); axis != walk.m_axes.rend(); ++axis) {
        isWithin = isWithin && axis->planes == 0;
        if (isWithin)
            continue;
        m_places[m_count++] = {axis->extent, axis->planes, element % axis->extent};
        m_plane += element % axis->extent * axis->planes;
        element /= axis->extent;
    }
}

const std::byte* WalkReader::read(std::int64_t first, std::int64_t n, Scratch& scratch, std::size_t slot) const
{
    const int size = itemSize(m_grid.dtype);
    if (isDirect())
        return m_grid.base + m_order.offsetOf(first) * size;
    std::byte* const values = scratch.take<std::byte>(slot, n * size);
    packElements(m_grid.base, m_order, first, n, size, values);
    return values;
}

} // namespace core
