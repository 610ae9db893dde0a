// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pixel_value.h"

#include <cmath>
#include <complex>
#include <cstring>

namespace ui {
namespace {

template <class T>
T read(const std::byte* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

} // namespace

core::Scalar pixelValue(const core::Tensor& map, std::int64_t y, std::int64_t x)
{
    const auto& strides = map.strides();
    const std::byte* at = map.data() + (y * strides[0] + x * strides[1]) * core::itemSize(map.dtype());
    const auto integer = [](auto value) { return core::Scalar(static_cast<std::int64_t>(value)); };
    switch (map.dtype()) {
    case core::DType::boolean:
        return integer(read<std::uint8_t>(at) != 0);
    case core::DType::u8:
        return integer(read<std::uint8_t>(at));
    case core::DType::i8:
        return integer(read<std::int8_t>(at));
    case core::DType::u16:
        return integer(read<std::uint16_t>(at));
    case core::DType::i16:
        return integer(read<std::int16_t>(at));
    case core::DType::u32:
        return integer(read<std::uint32_t>(at));
    case core::DType::i32:
        return integer(read<std::int32_t>(at));
    case core::DType::u64:
        return read<std::uint64_t>(at);
    case core::DType::i64:
        return read<std::int64_t>(at);
    case core::DType::f16:
        return static_cast<double>(core::toFloat(read<core::Half>(at)));
    case core::DType::bf16:
        return static_cast<double>(core::toFloat(read<core::BFloat16>(at)));
    case core::DType::f32:
        return static_cast<double>(read<float>(at));
    case core::DType::f64:
        return read<double>(at);
    case core::DType::c64:
        return static_cast<double>(std::abs(read<std::complex<float>>(at)));
    case core::DType::c128:
        return std::abs(read<std::complex<double>>(at));
    default:
        return static_cast<double>(core::float8ToFloat(map.dtype(), read<std::uint8_t>(at)));
    }
}

} // namespace ui
