// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/plane_order.h"

#include <string_view>

namespace core {

PlaneOrder::PlaneOrder(const PlaneGrid& grid, const Shape& shape, const Selection& selection)
{
    constexpr std::string_view planeOrder = "DHW";
    std::size_t lastPixelAxis = 0;
    bool havePixels = false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (selection.fixed[axis] || shape[axis] == 1)
            continue;
        const AxisRole role = selection.layout.roles[axis];
        if (role == AxisRole::batch || role == AxisRole::channel) {
            (havePixels ? m_inner : m_outer).push_back({shape[axis], role == AxisRole::batch ? grid.extents.channels : 1});
            (havePixels ? m_innerPlanes : m_outerPlanes) *= shape[axis];
            continue;
        }
        // Pixels before and after a plane's number are in no order that is known here.
        const auto place = planeOrder.find(static_cast<char>(role == AxisRole::tokens ? AxisRole::column : role));
        m_hasPixelsInOrder = m_hasPixelsInOrder && m_inner.empty() && place >= lastPixelAxis;
        lastPixelAxis = place;
        havePixels = true;
    }
}

std::int64_t PlaneOrder::numberOf(const std::vector<Axis>& axes, std::int64_t place)
{
    std::int64_t number = 0;
    for (std::size_t i = axes.size(); i-- > 0; place /= axes[i].extent)
        number += place % axes[i].extent * axes[i].step;
    return number;
}

std::int64_t channelRun(const Shape& shape, const Selection& selection)
{
    const int channel = selection.layout.axis(AxisRole::channel);
    std::int64_t run = 1;
    for (std::size_t axis = static_cast<std::size_t>(channel + 1); channel >= 0 && axis < shape.size(); ++axis)
        run *= selection.fixed[axis] ? 1 : shape[axis];
    return run;
}
} // namespace core
