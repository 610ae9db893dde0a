// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/operand.h"

#include "core/error.h"

#include <fmt/format.h>

namespace core {
namespace {

/// "float32 [8 batch items, 3 channels, 1 x 5 x 7]"
std::string partText(const LoadedTensor& tensor)
{
    const Extents& e = tensor.extents();
    return fmt::format("{} with {} batch items, {} channels and planes of {} x {} x {}", dtypeName(tensor.dtype()), e.batches,
                       e.channels, e.depth, e.height, e.width);
}

bool haveSameExtents(const Extents& a, const Extents& b)
{
    return a.batches == b.batches && a.channels == b.channels && a.depth == b.depth && a.height == b.height &&
           a.width == b.width;
}

} // namespace

PlaneGrid operandGrid(const LoadedTensor& tensor, const LoadedTensor* operand)
{
    if (!operand)
        throw Error("this needs a second tensor: give one of the same dtype and extents");
    if (!operand->dense())
        throw Error(fmt::format("the second tensor of shape {} is sparse: make it dense first", shapeText(operand->shape())));
    if (operand->dtype() != tensor.dtype() || !haveSameExtents(operand->extents(), tensor.extents()))
        throw Error(fmt::format("the second tensor is {}, not {}: give one of the same dtype and extents", partText(*operand),
                                partText(tensor)));
    return PlaneGrid(*operand->dense(), operand->selection());
}

} // namespace core
