// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor.h"

#include "core/engine/strided_copy.h"
#include "core/error.h"
#include "core/mapped_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>
#include <utility>

namespace core {

namespace {

constexpr std::size_t alignment = 64;

/// Lowest and highest element offset that shape and strides reach; only called when there are elements.
std::pair<std::int64_t, std::int64_t> reach(const Shape& shape, const Strides& strides)
{
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        std::int64_t step = 0;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
            __builtin_add_overflow(step < 0 ? low : high, step, step < 0 ? &low : &high))
            throw Error("the strides of a tensor reach past every possible storage");
    }
    return {low, high};
}

void checkSpan(const Tensor& tensor)
{
    const auto [low, high] = reach(tensor.shape(), tensor.strides());
    const __int128 size = itemSize(tensor.dtype());
    const __int128 first = tensor.byteOffset() + low * size;
    const __int128 last = tensor.byteOffset() + (static_cast<__int128>(high) + 1) * size;
    if (first < 0 || last > static_cast<__int128>(tensor.storage().bytes.size()))
        throw Error(fmt::format("a tensor of shape {} needs bytes past the end of its storage of {} bytes",
                                shapeText(tensor.shape()), tensor.storage().bytes.size()));
}

} // namespace

std::int64_t checkedProduct(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product))
        throw Error("a shape has a negative extent or more elements than any machine can address");
    return product;
}

std::int64_t elementCount(std::span<const std::int64_t> shape)
{
    // A zero extent makes the tensor empty, however large the others are.
    std::int64_t count = 1;
    bool empty = false;
    for (const std::int64_t extent : shape) {
        empty = empty || extent == 0;
        count = checkedProduct(count, std::max<std::int64_t>(extent, extent < 0 ? extent : 1));
    }
    return empty ? 0 : count;
}

Strides contiguousStrides(std::span<const std::int64_t> shape)
{
    Strides strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = checkedProduct(strides[i], std::max<std::int64_t>(shape[i], 1));
    return strides;
}

std::string shapeText(std::span<const std::int64_t> shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

Storage Storage::fromVector(std::vector<std::byte> bytes)
{
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    const std::span<const std::byte> view(*owner);
    return {view, std::move(owner), nullptr};
}

void Storage::verify() const
{
    if (file)
        file->verify();
}

Tensor::Tensor() : m_dtype(DType::f32), m_shape{0}, m_strides{1} {}

Tensor::Tensor(DType dtype, Shape shape, Strides strides, Storage storage, std::int64_t byteOffset)
    : m_dtype(dtype), m_shape(std::move(shape)), m_strides(std::move(strides)), m_storage(std::move(storage)),
      m_byteOffset(byteOffset), m_elements(elementCount(m_shape))
{
    if (m_shape.size() > maxRank)
        throw Error(fmt::format("a tensor has {} axes; at most {} are possible", m_shape.size(), maxRank));
    if (m_strides.size() != m_shape.size())
        throw Error(fmt::format("a tensor of {} axes has {} strides", m_shape.size(), m_strides.size()));
    if (byteOffset < 0)
        throw Error("a tensor begins before its storage");
    checkedProduct(m_elements, itemSize(dtype));
    if (m_elements == 0) {
        m_byteOffset = std::min(byteOffset, static_cast<std::int64_t>(m_storage.bytes.size()));
        return;
    }
    checkSpan(*this);
}

Tensor Tensor::contiguous(DType dtype, Shape shape, Storage storage, std::int64_t byteOffset)
{
    Strides strides = contiguousStrides(shape);
    return Tensor(dtype, std::move(shape), std::move(strides), std::move(storage), byteOffset);
}

bool Tensor::isContiguous() const
{
    std::int64_t expected = 1;
    for (std::size_t i = m_shape.size(); i-- > 0;) {
        if (m_shape[i] == 0)
            return true;
        if (m_shape[i] != 1 && m_strides[i] != expected)
            return false;
        expected *= m_shape[i];
    }
    return true;
}

Tensor Tensor::select(int axis, std::int64_t index) const
{
    const auto at = static_cast<std::size_t>(axis);
    if (axis < 0 || at >= m_shape.size() || index < 0 || index >= m_shape[at])
        throw Error(fmt::format("index {} of axis {} lies outside the shape {}", index, axis, shapeText(m_shape)));
    Tensor view = *this;
    if (m_elements > 0)
        view.m_byteOffset += index * m_strides[at] * itemSize(m_dtype);
    view.m_shape.erase(view.m_shape.begin() + axis);
    view.m_strides.erase(view.m_strides.begin() + axis);
    view.m_elements = elementCount(view.m_shape);
    return view;
}

Tensor Tensor::stepped(int axis, std::int64_t step) const
{
    const auto at = static_cast<std::size_t>(axis);
    if (axis < 0 || at >= m_shape.size() || step < 1)
        throw Error(fmt::format("step {} of axis {} does not fit the shape {}", step, axis, shapeText(m_shape)));
    Tensor view = *this;
    view.m_shape[at] = m_shape[at] / step + (m_shape[at] % step != 0);
    // Of one index the stride means nothing, and might grow too large.
    view.m_strides[at] = view.m_shape[at] > 1 ? m_strides[at] * step : m_strides[at];
    view.m_elements = elementCount(view.m_shape);
    return view;
}

void Tensor::copyTo(std::byte* to) const
{
    if (m_elements == 0)
        return;
    std::vector<CopyAxis> axes;
    const Strides packed = contiguousStrides(m_shape);
    for (std::size_t axis = 0; axis < packed.size(); ++axis)
        axes.push_back({m_shape[axis], m_strides[axis], packed[axis]});
    copyBox(data(), to, axes, itemSize(m_dtype));
}

Tensor Tensor::toContiguous() const
{
    if (isContiguous() && reinterpret_cast<std::uintptr_t>(data()) % alignment == 0)
        return *this;
    const auto size = static_cast<std::size_t>(bytes());
    const std::shared_ptr<std::byte[]> buffer(new (std::align_val_t{alignment}) std::byte[size + alignment],
                                              [](std::byte* p) { operator delete[](p, std::align_val_t{alignment}); });
    copyTo(buffer.get());
    return contiguous(m_dtype, m_shape, Storage{{buffer.get(), size}, buffer, nullptr});
}

std::string_view storageKindName(StorageKind kind)
{
    constexpr std::string_view names[] = {"strided", "coo", "csr", "csc", "bsr", "bsc"};
    return names[static_cast<std::size_t>(kind)];
}

} // namespace core
