// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torch_quantizer.h"

#include "core/io/names.h"

#include <cstring>
#include <fmt/format.h>

namespace core::io {

namespace {

/// Scales of a quantized tensor that are read when the file is opened.
constexpr std::int64_t mostChannels = std::int64_t{1} << 20;

double numberAt(const Tensor& flat, std::int64_t index)
{
    const Tensor one = flat.select(0, index);
    const auto read = [&]<class T>(T value) {
        std::memcpy(&value, one.data(), sizeof value);
        return static_cast<double>(value);
    };
    switch (one.dtype()) {
    case DType::f64:
        return read(0.0);
    case DType::f32:
        return read(0.0F);
    case DType::i64:
        return read(std::int64_t{0});
    case DType::i32:
        return read(std::int32_t{0});
    default:
        throw Error("unexpected dtype " + std::string(dtypeName(one.dtype())));
    }
}

std::vector<double> numbersOf(const PickleValue& value, const TorchViews& views)
{
    std::vector<double> numbers;
    if (value.is(PickleKind::call)) {
        const StridedSource source = views.partOf(value);
        if (source.shape.size() != 1 || source.shape[0] > mostChannels || isComplex(source.dtype))
            views.fail("a quantized tensor whose scales are no row of numbers");
        const Tensor tensor = source.load({});
        for (std::int64_t i = 0; i < tensor.elements(); ++i)
            numbers.push_back(numberAt(tensor, i));
        return numbers;
    }
    for (const PickleValue& item : value.items()) {
        if (!item.number())
            views.fail("a quantized tensor whose scales are no numbers");
        numbers.push_back(*item.number());
    }
    return numbers;
}

} // namespace

Quantizer quantizerOf(const PickleValue& parameters, const TorchView& view, const TorchViews& views)
{
    Quantizer quantizer;
    quantizer.kind = *view.type->quantized;
    const auto items = parameters.items();
    const auto scheme = argument(items, 0).text();
    if (scheme == "torch.per_tensor_affine") {
        const auto scale = argument(items, 1).number();
        const auto zero = argument(items, 2).integer();
        if (!scale || !zero)
            views.fail("a quantized tensor without scale and zero point");
        quantizer.scales = {*scale};
        quantizer.zeroPoints = {static_cast<double>(*zero)};
        return quantizer;
    }
    const bool isFloat = scheme == "torch.per_channel_affine_float_qparams";
    const auto axis = argument(items, 3).integer();
    if ((!isFloat && scheme != "torch.per_channel_affine") || !axis || *axis < 0 ||
        static_cast<std::size_t>(*axis) >= view.source.shape.size())
        views.fail(fmt::format("a quantized tensor of scheme {}", repairUtf8(scheme)));
    quantizer.scheme = isFloat ? Quantizer::Scheme::perChannelFloat : Quantizer::Scheme::perChannel;
    quantizer.axis = static_cast<std::size_t>(*axis);
    quantizer.scales = numbersOf(argument(items, 1), views);
    quantizer.zeroPoints = numbersOf(argument(items, 2), views);
    const auto channels = static_cast<std::size_t>(view.source.shape[quantizer.axis]);
    if (quantizer.scales.size() != channels || quantizer.zeroPoints.size() != channels)
        views.fail(fmt::format("a quantized tensor of {} channels with {} scales and {} zero points", channels,
                               quantizer.scales.size(), quantizer.zeroPoints.size()));
    return quantizer;
}

} // namespace core::io
