// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/plane_check.h"

#include "core/error.h"

#include <fmt/format.h>

namespace core {
namespace {

[[noreturn]] void refuse(const LoadedTensor& tensor, PlaneIndex plane)
{
    const Extents& extents = tensor.extents();
    throw Error(fmt::format("batch {}, channel {} lies outside the selected part of shape {}: it has {} batch items and {} "
                            "channels, counted from 0",
                            plane.batch, plane.channel, shapeText(tensor.shape()), extents.batches, extents.channels));
}

} // namespace

void checkPlane(const LoadedTensor& tensor, PlaneIndex plane)
{
    const Extents& extents = tensor.extents();
    if (plane.batch < 0 || plane.batch >= extents.batches || plane.channel < 0 || plane.channel >= extents.channels)
        refuse(tensor, plane);
}

void checkBatch(const LoadedTensor& tensor, std::int64_t batch)
{
    if (batch < 0 || batch >= tensor.extents().batches)
        refuse(tensor, {batch, 0});
}

void checkLabels(DType dtype, const Extents& extents)
{
    if (isComplex(dtype))
        throw Error(fmt::format("labels have no meaning for {}, which has no order: convert the tensor to real numbers first",
                                dtypeName(dtype)));
    if (extents.channels == 0)
        throw Error("labels have no meaning without channels: choose a layout whose channel axis C is not empty");
}

} // namespace core
