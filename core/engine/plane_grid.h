// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout.h"
#include "core/tensor.h"

#include <algorithm>
#include <vector>

namespace core {

/// One step of a strided walk. Strides are in elements.
struct StridedAxis
{
    std::int64_t extent = 1;
    std::int64_t stride = 0;
};

/// Elements in row-major order over some axes, as runs of constant stride. Axes that continue each other are merged.
class StridedOrder
{
public:
    /// Outermost axis first. Without axes: one element.
    explicit StridedOrder(const std::vector<StridedAxis>& axes);

    std::int64_t elements() const { return m_elements; }
    /// Stride of the innermost merged axis; the whole order is one run when isOneRun().
    std::int64_t innerStride() const { return m_axes.back().stride; }
    bool isOneRun() const { return m_axes.size() == 1; }

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

    /// Offset in elements of element `index`.
    std::int64_t offsetOf(std::int64_t index) const;

private:
    std::vector<StridedAxis> m_axes;
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

/// A plane as a view of the tensor: [H, W], or [D, H, W] when the layout has a depth axis.
Tensor planeView(const Tensor& tensor, const Selection& selection, std::int64_t batch, std::int64_t channel);

} // namespace core
