// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/strided_copy.h"
#include "core/layout.h"
#include "core/tensor.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace core {

/// One step of a strided walk. Strides are in elements.
struct StridedAxis
{
    std::int64_t extent = 1;
    std::int64_t stride = 0;
};

/// Elements of a box.
std::int64_t elementsOf(std::span<const StridedAxis> box);
/// The axes of a copy of a box whose elements then follow each other.
std::vector<CopyAxis> packedAxes(std::span<const StridedAxis> box);

/// Elements in row-major order over some axes, as runs of constant stride. Axes that continue each other are merged.
class StridedOrder
{
public:
    /// Outermost axis first. Without axes: one element.
    explicit StridedOrder(const std::vector<StridedAxis>& axes);

    std::int64_t elements() const { return m_elements; }
    /// The merged axes, outermost first; at least one.
    std::span<const StridedAxis> axes() const { return m_axes; }
    /// Stride of the innermost merged axis; the whole order is one run when isOneRun().
    std::int64_t innerStride() const { return m_axes.back().stride; }
    bool isOneRun() const { return m_axes.size() == 1; }
    /// Whether all elements follow each other.
    bool isContiguous() const { return isOneRun() && innerStride() == 1; }

    /// The same elements as they come in memory: larger strides outside, axes that are walked backwards turned round, repeated
    /// ones outermost.
    StridedOrder inMemoryOrder() const;
    /// Each of those that an axis of stride 0 repeats once.
    StridedOrder withoutRepeats() const;
    /// Whether an axis of one stride lies outside one of another there.
    static bool isOutside(std::int64_t stride, std::int64_t other);

    /// Calls run(offset, length, stride) for the pieces of elements [first, first + n), in order; offset in elements.
    template <class Run>
    void forRuns(std::int64_t first, std::int64_t n, Run run) const
    {
        while (n > 0) {
            const std::int64_t inner = m_axes.back().extent;
            const std::int64_t skip = first % inner;
            const std::int64_t length = std::min(n, inner - skip);
            run(offsetOf(first), length, m_axes.back().stride);
            first += length;
            n -= length;
        }
    }

    /// Calls use(offset, axes) for the boxes that elements [first, first + n) make up, in order: whole rows together. Axes
    /// outermost first, extents as cut.
    template <class Use>
    void forBoxes(std::int64_t first, std::int64_t n, Use use) const
    {
        std::vector<StridedAxis> box(m_axes.begin(), m_axes.end());
        if (n > 0)
            cutBoxes(m_axes.size() - 1, 1, first, n, box, use);
    }

    /// Offset in elements of element `index`.
    std::int64_t offsetOf(std::int64_t index) const;

private:
    /// The same for rows of `inner` elements, of which [first, first + n) are wanted; the axes within a row are whole.
    template <class Use>
    void cutBoxes(std::size_t axis, std::int64_t inner, std::int64_t first, std::int64_t n, std::vector<StridedAxis>& box,
                  Use& use) const
    {
        const std::int64_t extent = m_axes[axis].extent;
        const auto part = [&](std::int64_t length) {
            box[axis].extent = length;
            use(offsetOf(first * inner), std::span<const StridedAxis>(box).subspan(axis));
            box[axis].extent = extent;
            first += length;
            n -= length;
        };
        if (axis == 0)
            return part(n);
        if (first % extent || n < extent)
            part(std::min(n, extent - first % extent));
        if (n >= extent) {
            cutBoxes(axis - 1, inner * extent, first / extent, n / extent, box, use);
            first += n / extent * extent;
            n %= extent;
        }
        if (n > 0)
            part(n);
    }

    std::vector<StridedAxis> m_axes;
    /// Offset of the first element.
    std::int64_t m_first = 0;
    std::int64_t m_elements = 1;
};

/// The selected part of a strided tensor as planes: batch x channel, each depth x height x width.
struct PlaneGrid
{
    PlaneGrid(const Tensor& tensor, const Selection& selection);

    DType dtype;
    Extents extents;
    /// Address of the first selected element.
    const std::byte* base;
    /// Elements from one batch item, channel to the next; 0 where there is no such axis.
    std::int64_t batchStride;
    std::int64_t channelStride;
    /// Depth, height and width; extent 1 and stride 0 where there is no such axis.
    std::array<StridedAxis, 3> planeAxes;
    /// Elements of one plane.
    StridedOrder plane;
    /// All selected elements in the tensor's own axes.
    StridedOrder own;
    /// Whether plane after plane, batch-major, is also the order of the tensor's own axes.
    bool isOwnOrder;

    const std::byte* planeBase(std::int64_t batch, std::int64_t channel) const
    {
        return base + (batch * batchStride + channel * channelStride) * itemSize(dtype);
    }
};

/// Copies elements [first, first + n) of an order, of `itemSize` bytes each, from `base` on, one after the other.
void packElements(const std::byte* base, const StridedOrder& order, std::int64_t first, std::int64_t n, int itemSize,
                  std::byte* to);

/// A plane as a view of the tensor: [H, W], or [D, H, W] when the layout has a depth axis.
Tensor planeView(const Tensor& tensor, const Selection& selection, std::int64_t batch, std::int64_t channel);
/// Every step-th row and column of all planes, from the first, as a view of the tensor with the same axes.
Tensor thinnedPlanes(Tensor tensor, const Selection& selection, std::int64_t step);
/// The same of a map or mask [..., H, W].
Tensor thinned(const Tensor& map, std::int64_t step);

} // namespace core
