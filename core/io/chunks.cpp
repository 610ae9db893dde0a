// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/chunks.h"

#include <algorithm>
#include <cstring>

namespace core::io {

namespace {

constexpr std::int64_t chunkElements = 1 << 20;

std::vector<std::byte> widened(const Tensor& tensor)
{
    std::vector<std::byte> wide(static_cast<std::size_t>(tensor.elements()) * sizeof(float));
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        float value = 0;
        if (tensor.dtype() == DType::bf16) {
            BFloat16 stored{};
            std::memcpy(&stored, tensor.data() + i * 2, 2);
            value = toFloat(stored);
        } else {
            value = float8ToFloat(tensor.dtype(), std::to_integer<std::uint8_t>(tensor.data()[i]));
        }
        std::memcpy(wide.data() + i * sizeof(float), &value, sizeof(float));
    }
    return wide;
}

void emit(const Tensor& tensor, const std::function<void(std::span<const std::byte>)>& sink)
{
    const auto dense = tensor.isContiguous() ? tensor : tensor.toContiguous();
    if (npyDType(dense.dtype()) != dense.dtype())
        sink(widened(dense));
    else
        sink({dense.data(), static_cast<std::size_t>(dense.bytes())});
}

/// Indices [first, first + count) of axis 0.
Tensor narrow(const Tensor& tensor, std::int64_t first, std::int64_t count)
{
    auto shape = tensor.shape();
    shape[0] = count;
    return {tensor.dtype(), std::move(shape), tensor.strides(), tensor.storage(),
            tensor.byteOffset() + first * tensor.strides()[0] * itemSize(tensor.dtype())};
}

} // namespace

DType npyDType(DType dtype)
{
    return dtype == DType::bf16 || isFloat8(dtype) ? DType::f32 : dtype;
}

void forEachChunk(const Tensor& tensor, const std::function<void(std::span<const std::byte>)>& sink)
{
    if (tensor.elements() == 0)
        return;
    const bool asStored = tensor.isContiguous() && npyDType(tensor.dtype()) == tensor.dtype();
    if (asStored || tensor.elements() <= chunkElements)
        return emit(tensor, sink);
    const auto inner = tensor.elements() / tensor.shape()[0];
    if (inner > chunkElements) {
        for (std::int64_t i = 0; i < tensor.shape()[0]; ++i)
            forEachChunk(tensor.select(0, i), sink);
        return;
    }
    const auto step = std::max<std::int64_t>(1, chunkElements / inner);
    for (std::int64_t i = 0; i < tensor.shape()[0]; i += step)
        emit(narrow(tensor, i, std::min(step, tensor.shape()[0] - i)), sink);
}

} // namespace core::io
