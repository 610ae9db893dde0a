// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/own_order.h"

namespace gpu {

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

} // namespace gpu
