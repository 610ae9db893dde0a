// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/memory_order.h"

#include "core/engine/dense_scan.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace core {

MemoryOrder::MemoryOrder(const PlaneGrid& grid, Repeats repeats)
    : m_grid(grid), m_back(packedAxes(grid.plane.axes())), m_shape(planeShape(grid.extents))
{
    // Places of the axes in memory, as StridedOrder::inMemoryOrder() has them, by the steps of its packed elements.
    std::vector<std::size_t> order(m_back.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto isFarther = [&](std::size_t a, std::size_t b) {
        return StridedOrder::isOutside(m_back[a].fromStride, m_back[b].fromStride);
    };
    std::stable_sort(order.begin(), order.end(), isFarther);
    m_isSame = std::is_sorted(order.begin(), order.end());
    std::int64_t step = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        CopyAxis& axis = m_back[order[i]];
        if (repeats == Repeats::once && axis.fromStride == 0 && grid.plane.elements() > 0) {
            m_repeats *= axis.extent;
            m_isSame = false;
            continue;
        }
        const bool isTurned = axis.fromStride < 0;
        m_isSame = m_isSame && !isTurned;
        axis.fromStride = isTurned ? -step : step;
        m_first += isTurned ? (axis.extent - 1) * step : 0;
        step *= axis.extent;
    }
    m_grid.plane = grid.plane.inMemoryOrder();
    if (m_repeats == 1)
        return;
    m_grid.plane = m_grid.plane.withoutRepeats();
    m_grid.extents.depth = 1;
    m_grid.extents.height = 1;
    m_grid.extents.width = m_grid.plane.elements();
}

Tensor MemoryOrder::restored(Tensor map, const std::shared_ptr<BufferPool>& pool, const Workers& workers, const Job& job) const
{
    if (m_isSame)
        return map;
    const std::int64_t size = itemSize(map.dtype());
    const std::int64_t distinct = m_grid.extents.planeElements();
    const std::int64_t pixels = distinct * m_repeats;
    const std::int64_t maps = map.shape().front();
    PooledStorage memory(pool, static_cast<std::size_t>(maps * pixels * size));
    // Slices of the outermost axis, so that threads share a map.
    const CopyAxis& outer = m_back.front();
    constexpr std::int64_t slicePixels = 1 << 18;
    const std::int64_t rows = std::clamp(slicePixels / (pixels / std::max(outer.extent, std::int64_t{1}) + 1), std::int64_t{1},
                                         std::max(outer.extent, std::int64_t{1}));
    const std::int64_t slices = (outer.extent + rows - 1) / rows;
    workers.forEach(pixels > 0 ? maps * slices : 0, {job.stop, {}}, [&](std::int64_t item, Scratch&) {
        std::vector<CopyAxis> axes = m_back;
        const std::int64_t row = item % slices * rows;
        axes.front().extent = std::min(rows, outer.extent - row);
        const std::int64_t number = item / slices;
        copyBox(map.data() + (number * distinct + m_first + row * outer.fromStride) * size,
                memory.data() + (number * pixels + row * outer.toStride) * size, axes, static_cast<int>(size));
    });
    Shape shape = m_shape;
    shape.insert(shape.begin(), maps);
    return Tensor::contiguous(map.dtype(), shape, std::move(memory).take());
}

} // namespace core
