// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/plane_grid.h"

#include <cstdlib>
#include <limits>
#include <string_view>

namespace core {
namespace {

constexpr std::array planeRoles = {AxisRole::depth, AxisRole::row, AxisRole::column};

/// Extent and stride of the axis of a role: 1 and 0 where it is absent or fixed.
StridedAxis axisOf(const Tensor& tensor, const Selection& selection, AxisRole role)
{
    const int axis = selection.layout.axis(role);
    if (axis < 0 || selection.fixed[static_cast<std::size_t>(axis)])
        return {};
    return {tensor.shape()[static_cast<std::size_t>(axis)], tensor.strides()[static_cast<std::size_t>(axis)]};
}

std::array<StridedAxis, 3> planeAxesOf(const Tensor& tensor, const Selection& selection)
{
    std::array<StridedAxis, 3> axes;
    for (std::size_t i = 0; i < axes.size(); ++i)
        axes[i] = axisOf(tensor, selection, planeRoles[i]);
    return axes;
}

std::vector<StridedAxis> ownAxes(const Tensor& tensor, const Selection& selection)
{
    std::vector<StridedAxis> axes;
    for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis)
        if (!selection.fixed[axis])
            axes.push_back({tensor.shape()[axis], tensor.strides()[axis]});
    return axes;
}

/// Offset in elements of the first selected element: fixed axes at their index, others at 0.
std::int64_t firstOffset(const Tensor& tensor, const Selection& selection)
{
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis)
        offset += selection.fixed[axis].value_or(0) * tensor.strides()[axis];
    return offset;
}

/// Whether the free axes of more than one entry come in the order N, C, D, H, W.
bool comesInPlaneOrder(const Tensor& tensor, const Selection& selection)
{
    constexpr std::string_view order = "NCDHW";
    std::size_t last = 0;
    for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) {
        if (selection.fixed[axis] || tensor.shape()[axis] == 1)
            continue;
        const AxisRole role = selection.layout.roles[axis];
        const std::size_t place = order.find(static_cast<char>(role == AxisRole::tokens ? AxisRole::column : role));
        if (place < last)
            return false;
        last = place;
    }
    return true;
}

} // namespace

std::int64_t elementsOf(std::span<const StridedAxis> box)
{
    std::int64_t elements = 1;
    for (const StridedAxis& axis : box)
        elements *= axis.extent;
    return elements;
}

std::vector<CopyAxis> packedAxes(std::span<const StridedAxis> box)
{
    std::vector<CopyAxis> axes(box.size());
    std::int64_t step = 1;
    for (std::size_t i = box.size(); i-- > 0; step *= box[i].extent)
        axes[i] = {box[i].extent, box[i].stride, step};
    return axes;
}

StridedOrder::StridedOrder(const std::vector<StridedAxis>& axes)
{
    for (const StridedAxis& axis : axes) {
        m_elements *= axis.extent;
        if (axis.extent == 1)
            continue;
        if (!m_axes.empty() && m_axes.back().stride == axis.extent * axis.stride)
            m_axes.back() = {m_axes.back().extent * axis.extent, axis.stride};
        else
            m_axes.push_back(axis);
    }
    if (m_axes.empty())
        m_axes.push_back({1, 1});
}

StridedOrder StridedOrder::inMemoryOrder() const
{
    std::vector<StridedAxis> axes = m_axes;
    std::int64_t first = m_first;
    for (StridedAxis& axis : axes)
        if (axis.stride < 0) {
            first += (axis.extent - 1) * axis.stride;
            axis.stride = -axis.stride;
        }
    std::stable_sort(axes.begin(), axes.end(),
                     [](const StridedAxis& a, const StridedAxis& b) { return isOutside(a.stride, b.stride); });
    StridedOrder order(axes);
    order.m_first = first;
    return order;
}

StridedOrder StridedOrder::withoutRepeats() const
{
    std::vector<StridedAxis> axes = m_axes;
    std::erase_if(axes, [](const StridedAxis& axis) { return axis.stride == 0; });
    StridedOrder order(axes);
    order.m_first = m_first;
    return order;
}

bool StridedOrder::isOutside(std::int64_t stride, std::int64_t other)
{
    const auto rank = [](std::int64_t step) { return step == 0 ? std::numeric_limits<std::int64_t>::max() : std::abs(step); };
    return rank(stride) > rank(other);
}

std::int64_t StridedOrder::offsetOf(std::int64_t index) const
{
    std::int64_t offset = m_first;
    for (auto axis = m_axes.rbegin(); axis != m_axes.rend(); ++axis) {
        offset += index % axis->extent * axis->stride;
        index /= axis->extent;
    }
    return offset;
}

PlaneGrid::PlaneGrid(const Tensor& tensor, const Selection& selection)
    : dtype(tensor.dtype()), extents(extentsOf(tensor.shape(), selection)),
      base(tensor.data() + (tensor.elements() > 0 ? firstOffset(tensor, selection) * itemSize(tensor.dtype()) : 0)),
      batchStride(axisOf(tensor, selection, AxisRole::batch).stride),
      channelStride(axisOf(tensor, selection, AxisRole::channel).stride), planeAxes(planeAxesOf(tensor, selection)),
      plane({planeAxes.begin(), planeAxes.end()}), own(ownAxes(tensor, selection)),
      isOwnOrder(comesInPlaneOrder(tensor, selection))
{
}

void packElements(const std::byte* base, const StridedOrder& order, std::int64_t first, std::int64_t n, int itemSize,
                  std::byte* to)
{
    order.forBoxes(first, n, [&](std::int64_t offset, std::span<const StridedAxis> box) {
        copyBox(base + offset * itemSize, to, packedAxes(box), itemSize);
        to += elementsOf(box) * itemSize;
    });
}

Tensor planeView(const Tensor& tensor, const Selection& selection, std::int64_t batch, std::int64_t channel)
{
    const PlaneGrid grid(tensor, selection);
    Shape shape;
    Strides strides;
    for (const AxisRole role : planeRoles) {
        if (role == AxisRole::depth && !grid.extents.hasDepth)
            continue;
        const StridedAxis axis = axisOf(tensor, selection, role);
        shape.push_back(axis.extent);
        strides.push_back(axis.stride);
    }
    const std::int64_t offset = grid.planeBase(batch, channel) - tensor.storage().bytes.data();
    return Tensor(tensor.dtype(), std::move(shape), std::move(strides), tensor.storage(), offset);
}

Tensor thinnedPlanes(Tensor tensor, const Selection& selection, std::int64_t step)
{
    for (const AxisRole role : {AxisRole::row, AxisRole::column})
        if (const int axis = selection.layout.axis(role); axis >= 0 && !selection.fixed[static_cast<std::size_t>(axis)])
            tensor = tensor.stepped(axis, step);
    return tensor;
}

Tensor thinned(const Tensor& map, std::int64_t step)
{
    return step == 1 ? map : map.stepped(map.rank() - 2, step).stepped(map.rank() - 1, step);
}

} // namespace core
