// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/quantized.h"

#include "core/io/buffer.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace core::io {

namespace {

constexpr std::int64_t elementsBetweenChecks = std::int64_t{1} << 18;

std::string listText(const std::vector<double>& values)
{
    constexpr std::size_t shown = 8;
    const std::vector<double> first(values.begin(),
                                    values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), shown)));
    return fmt::format("{}{}", fmt::join(first, " "), values.size() > shown ? " ..." : "");
}

template <class T>
T elementAt(const Tensor& tensor, std::int64_t at)
{
    T value;
    std::memcpy(&value, tensor.data() + at * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
}

/// One value as PyTorch computes it: the difference as a 32-bit integer (wrapping), then one float32 product
/// (ATen/native/quantized/AffineQuantizerBase.cpp); with float zero points value * scale + zero point.
template <class T>
float dequantized(T value, const Quantizer& quantizer, std::size_t channel)
{
    const auto scale = static_cast<float>(quantizer.scales[channel]);
    if (quantizer.scheme == Quantizer::Scheme::perChannelFloat)
        return static_cast<float>(value) * scale + static_cast<float>(quantizer.zeroPoints[channel]);
    const auto zero = static_cast<std::uint32_t>(static_cast<std::int64_t>(quantizer.zeroPoints[channel]));
    const auto difference = static_cast<std::int32_t>(static_cast<std::uint32_t>(std::int32_t{value}) - zero);
    return scale * static_cast<float>(difference);
}

template <class T>
void convert(const Tensor& from, const Quantizer& quantizer, std::span<std::byte> to, const Job& job)
{
    const bool isPerChannel = quantizer.scheme != Quantizer::Scheme::perTensor;
    const std::int64_t channels = isPerChannel ? from.shape()[quantizer.axis] : 1;
    std::int64_t inner = 1;
    for (std::size_t axis = quantizer.axis + 1; isPerChannel && axis < from.shape().size(); ++axis)
        inner *= from.shape()[axis];
    for (std::int64_t i = 0; i < from.elements(); ++i) {
        if (i % elementsBetweenChecks == 0)
            job.report(static_cast<double>(i) / static_cast<double>(from.elements()));
        const auto channel = isPerChannel ? static_cast<std::size_t>(i / inner % channels) : 0;
        const float value = dequantized(elementAt<T>(from, i), quantizer, channel);
        std::memcpy(to.data() + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
    }
}

} // namespace

std::string Quantizer::note() const
{
    if (scheme == Scheme::perTensor)
        return fmt::format("quantized {}, scale {}, zero point {}", quantizedName(kind), listText(scales),
                           listText(zeroPoints));
    return fmt::format("quantized {} per channel of axis {}, scales {}, zero points {}", quantizedName(kind), axis,
                       listText(scales), listText(zeroPoints));
}

Tensor dequantize(const StridedSource& source, const Quantizer& quantizer, const Job& job)
{
    const std::int64_t bytes = checkedProduct(elementCount(source.shape), sizeof(float));
    if (bytes > source.budgetBytes)
        throw Error(fmt::format("{}: dequantizing its tensor takes {} bytes, more than the {} that one entry may take",
                                source.record.subject(), bytes, source.budgetBytes));
    const Tensor integers = source.load(job).toContiguous();
    const Buffer buffer(static_cast<std::size_t>(bytes), source.record.subject());
    switch (quantizer.kind) {
    case QuantizedKind::quint8:
        convert<std::uint8_t>(integers, quantizer, buffer.bytes(), job);
        break;
    case QuantizedKind::qint8:
        convert<std::int8_t>(integers, quantizer, buffer.bytes(), job);
        break;
    case QuantizedKind::qint32:
        convert<std::int32_t>(integers, quantizer, buffer.bytes(), job);
        break;
    }
    integers.storage().verify();
    return Tensor::contiguous(DType::f32, source.shape, buffer.storage());
}

} // namespace core::io
