// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/element_value.h"

#include "core/engine/statistics.h"
#include "core/error.h"

#include <fmt/format.h>

namespace core {

template <class Seen>
Scalar scalarOf(Seen value)
{
    return toScalar(toCompare(value));
}

template Scalar scalarOf(std::uint8_t);
template Scalar scalarOf(std::int8_t);
template Scalar scalarOf(std::uint16_t);
template Scalar scalarOf(std::int16_t);
template Scalar scalarOf(std::uint32_t);
template Scalar scalarOf(std::int32_t);
template Scalar scalarOf(std::uint64_t);
template Scalar scalarOf(std::int64_t);
template Scalar scalarOf(Half);
template Scalar scalarOf(BFloat16);
template Scalar scalarOf(float);
template Scalar scalarOf(double);
Scalar valueAt(DType dtype, const std::byte* element)
{
    if (isComplex(dtype))
        return ComplexView{}.see(dtype, element);
    if (isFloat8(dtype))
        return static_cast<double>(float8ToFloat(dtype, std::to_integer<std::uint8_t>(*element)));
    return withSeenType(dtype, [&](auto seen) { return scalarOf(loadSeen<decltype(seen)>(element, 0)); });
}

Scalar valueAt(const Tensor& tensor, std::span<const std::int64_t> indices)
{
    bool isInside = indices.size() == tensor.shape().size();
    for (std::size_t axis = 0; isInside && axis < indices.size(); ++axis)
        isInside = indices[axis] >= 0 && indices[axis] < tensor.shape()[axis];
    if (!isInside)
        throw Error(fmt::format("indices {} lie outside shape {}", shapeText(indices), shapeText(tensor.shape())));
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < indices.size(); ++axis)
        offset += indices[axis] * tensor.strides()[axis];
    return valueAt(tensor.dtype(), tensor.data() + offset * itemSize(tensor.dtype()));
}

} // namespace core
