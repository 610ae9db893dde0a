// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/chunks.h"

#include <algorithm>
#include <cstring>

namespace core::io {

namespace {

constexpr std::int64_t chunkElements = 1 << 20;
/// Of a strided tensor more is taken at once: elements of many rows share the lines of memory.
constexpr std::int64_t stridedBytes = 32 << 20;

/// Hands over one tensor piece by piece.
class Chunks
{
public:
    using Sink = std::function<void(std::span<const std::byte>)>;

    Chunks(const Tensor& tensor, const Sink& sink, DType dtype)
        : m_isWidened(dtype != tensor.dtype()), m_isStrided(!tensor.isContiguous()),
          m_most(m_isStrided ? stridedBytes / itemSize(tensor.dtype()) : chunkElements), m_sink(sink)
    {
    }

    void handOver(const Tensor& tensor)
    {
        if ((!m_isStrided && !m_isWidened) || tensor.elements() <= m_most)
            return emit(tensor);
        const auto inner = tensor.elements() / tensor.shape()[0];
        if (inner > m_most) {
            for (std::int64_t i = 0; i < tensor.shape()[0]; ++i)
                handOver(tensor.select(0, i));
            return;
        }
        const auto step = std::max<std::int64_t>(1, m_most / inner);
        for (std::int64_t i = 0; i < tensor.shape()[0]; i += step)
            emit(narrow(tensor, i, std::min(step, tensor.shape()[0] - i)));
    }

private:
    /// Indices [first, first + count) of axis 0.
    static Tensor narrow(const Tensor& tensor, std::int64_t first, std::int64_t count)
    {
        auto shape = tensor.shape();
        shape[0] = count;
        return {tensor.dtype(), std::move(shape), tensor.strides(), tensor.storage(),
                tensor.byteOffset() + first * tensor.strides()[0] * itemSize(tensor.dtype())};
    }

    void emit(const Tensor& tensor)
    {
        const std::byte* const values = tensor.isContiguous() ? tensor.data() : packed(tensor);
        if (!m_isWidened)
            return m_sink({values, static_cast<std::size_t>(tensor.bytes())});
        for (std::int64_t i = 0; i < tensor.elements(); i += chunkElements)
            m_sink(
                widened(tensor.dtype(), values + i * itemSize(tensor.dtype()), std::min(chunkElements, tensor.elements() - i)));
    }

    const std::byte* packed(const Tensor& tensor)
    {
        m_packed.resize(std::max(m_packed.size(), static_cast<std::size_t>(tensor.bytes())));
        tensor.copyTo(m_packed.data());
        return m_packed.data();
    }

    std::span<const std::byte> widened(DType dtype, const std::byte* values, std::int64_t n)
    {
        m_wide.resize(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i)
            if (dtype == DType::bf16) {
                BFloat16 stored{};
                std::memcpy(&stored, values + i * 2, 2);
                m_wide[static_cast<std::size_t>(i)] = toFloat(stored);
            } else {
                m_wide[static_cast<std::size_t>(i)] = float8ToFloat(dtype, std::to_integer<std::uint8_t>(values[i]));
            }
        return std::as_bytes(std::span(m_wide));
    }

    bool m_isWidened;
    bool m_isStrided;
    /// Elements of a piece.
    std::int64_t m_most;
    const Sink& m_sink;
    std::vector<std::byte> m_packed;
    std::vector<float> m_wide;
};

} // namespace

DType npyDType(DType dtype)
{
    return dtype == DType::bf16 || isFloat8(dtype) ? DType::f32 : dtype;
}

void forEachChunk(const Tensor& tensor, const std::function<void(std::span<const std::byte>)>& sink)
{
    if (tensor.elements() > 0)
        Chunks(tensor, sink, npyDType(tensor.dtype())).handOver(tensor);
}

void forEachStoredChunk(const Tensor& tensor, const std::function<void(std::span<const std::byte>)>& sink)
{
    if (tensor.elements() > 0)
        Chunks(tensor, sink, tensor.dtype()).handOver(tensor);
}

} // namespace core::io
