// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/plane_grid.h"

#include <cstdint>
#include <vector>

namespace core {

/// How planes come in the order of a tensor's own axes: batch items and channels before the pixels, and those after them.
class PlaneOrder
{
public:
    PlaneOrder(const PlaneGrid& grid, const Shape& shape, const Selection& selection);

    /// Whether pixels come in the order of a plane, so that a stretch of own order is one of pixels through all inner planes.
    bool hasPixelsInOrder() const { return m_hasPixelsInOrder; }
    std::int64_t outerPlanes() const { return m_outerPlanes; }
    std::int64_t innerPlanes() const { return m_innerPlanes; }
    /// Number (batch-major) of a plane by its place in own order.
    std::int64_t plane(std::int64_t outer, std::int64_t inner) const
    {
        return numberOf(m_outer, outer) + numberOf(m_inner, inner);
    }

private:
    struct Axis
    {
        std::int64_t extent;
        /// In numbers of planes.
        std::int64_t step;
    };
    static std::int64_t numberOf(const std::vector<Axis>& axes, std::int64_t place);

    std::vector<Axis> m_outer;
    std::vector<Axis> m_inner;
    std::int64_t m_outerPlanes = 1;
    std::int64_t m_innerPlanes = 1;
    bool m_hasPixelsInOrder = true;
};

/// Elements in own order from one channel index to the next.
std::int64_t channelRun(const Shape& shape, const Selection& selection);

} // namespace core
