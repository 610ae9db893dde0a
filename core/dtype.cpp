// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace core {

namespace {

enum class Family : std::uint8_t { boolean, signedInteger, unsignedInteger, floating, complex };

struct DTypeFacts
{
    std::string_view name;
    int size;
    Family family;
};

constexpr std::array<DTypeFacts, dtypeCount> facts{{
    {"bool", 1, Family::boolean},
    {"uint8", 1, Family::unsignedInteger},
    {"int8", 1, Family::signedInteger},
    {"uint16", 2, Family::unsignedInteger},
    {"int16", 2, Family::signedInteger},
    {"uint32", 4, Family::unsignedInteger},
    {"int32", 4, Family::signedInteger},
    {"uint64", 8, Family::unsignedInteger},
    {"int64", 8, Family::signedInteger},
    {"float8_e4m3fn", 1, Family::floating},
    {"float8_e5m2", 1, Family::floating},
    {"float8_e4m3fnuz", 1, Family::floating},
    {"float8_e5m2fnuz", 1, Family::floating},
    {"float16", 2, Family::floating},
    {"bfloat16", 2, Family::floating},
    {"float32", 4, Family::floating},
    {"float64", 8, Family::floating},
    {"complex64", 8, Family::complex},
    {"complex128", 16, Family::complex},
}};

const DTypeFacts& factsOf(DType dtype)
{
    return facts[static_cast<std::size_t>(dtype)];
}

struct Float8Format
{
    int mantissaBits;
    int bias;
    bool hasInf;
    /// fnuz kinds: the pattern of -0 is the only NaN.
    bool unsignedZero;
};

Float8Format float8Format(DType dtype)
{
    switch (dtype) {
    case DType::f8e5m2:
        return {2, 15, true, false};
    case DType::f8e4m3fnuz:
        return {3, 8, false, true};
    case DType::f8e5m2fnuz:
        return {2, 16, false, true};
    default:
        return {3, 7, false, false};
    }
}

} // namespace

int itemSize(DType dtype)
{
    return factsOf(dtype).size;
}

std::string_view dtypeName(DType dtype)
{
    return factsOf(dtype).name;
}

std::optional<DType> dtypeFromName(std::string_view name)
{
    for (std::size_t i = 0; i < facts.size(); ++i)
        if (facts[i].name == name)
            return static_cast<DType>(i);
    return std::nullopt;
}

bool isFloating(DType dtype)
{
    return factsOf(dtype).family == Family::floating;
}

bool isFloat8(DType dtype)
{
    return isFloating(dtype) && itemSize(dtype) == 1;
}

bool isInteger(DType dtype)
{
    return factsOf(dtype).family == Family::signedInteger || factsOf(dtype).family == Family::unsignedInteger;
}

bool isSigned(DType dtype)
{
    return factsOf(dtype).family != Family::boolean && factsOf(dtype).family != Family::unsignedInteger;
}

bool isComplex(DType dtype)
{
    return factsOf(dtype).family == Family::complex;
}

float toFloat(Half value)
{
    const std::uint32_t sign = (value.bits & 0x8000u) << 16;
    const std::uint32_t exponent = (value.bits >> 10) & 0x1fu;
    const std::uint32_t mantissa = value.bits & 0x3ffu;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    if (exponent == 0x1f)
        return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

float toFloat(BFloat16 value)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

float float8ToFloat(DType dtype, std::uint8_t bits)
{
    const Float8Format format = float8Format(dtype);
    const int exponentBits = 7 - format.mantissaBits;
    const bool negative = bits & 0x80u;
    const int exponent = (bits & 0x7f) >> format.mantissaBits;
    const int mantissa = bits & ((1 << format.mantissaBits) - 1);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const bool topExponent = exponent == (1 << exponentBits) - 1;
    if (format.unsignedZero && bits == 0x80u)
        return nan;
    if (format.hasInf && topExponent) {
        if (mantissa)
            return nan;
        return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
    }
    if (!format.unsignedZero && !format.hasInf && (bits & 0x7f) == 0x7f)
        return nan;
    const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), 1 - format.bias - format.mantissaBits)
                                          : std::ldexp(static_cast<float>(mantissa + (1 << format.mantissaBits)),
                                                       exponent - format.bias - format.mantissaBits);
    return negative ? -magnitude : magnitude;
}

Half toHalf(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return {static_cast<std::uint16_t>(sign | 0x7e00u)};
    // 65520 and above round to infinity.
    if (magnitude >= 0x477ff000u)
        return {static_cast<std::uint16_t>(sign | 0x7c00u)};
    if (magnitude < 0x38800000u) {
        // Subnormal: adding 0.5 aligns the mantissa so that the hardware rounds to nearest even.
        const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
        return {static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000u))};
    }
    const std::uint32_t odd = magnitude >> 13 & 1u;
    const std::uint32_t rounded = magnitude + 0xc8000fffu + odd;
    return {static_cast<std::uint16_t>(sign | rounded >> 13)};
}

BFloat16 toBFloat16(float value)
{
    if (std::isnan(value))
        return {0x7fc0};
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return {static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

std::uint8_t toFloat8(DType dtype, float value)
{
    const Float8Format format = float8Format(dtype);
    const unsigned sign = std::signbit(value) ? 0x80u : 0;
    const unsigned nan = format.unsignedZero ? 0x80u : sign | 0x7fu;
    const unsigned beyond = format.hasInf ? sign | 0x7cu : nan;
    if (std::isnan(value))
        return static_cast<std::uint8_t>(nan);
    if (std::isinf(value))
        return static_cast<std::uint8_t>(beyond);
    const int exponent = std::max(value == 0 ? 1 - format.bias : std::ilogb(value), 1 - format.bias);
    // In units of the last place; rounded up to a power of two it carries into the exponent.
    const float units = std::nearbyint(std::ldexp(std::abs(value), format.mantissaBits - exponent));
    const int code = (exponent + format.bias - 1) * (1 << format.mantissaBits) + static_cast<int>(units);
    const int largest = format.unsignedZero ? 0x7f : format.hasInf ? 0x7b : 0x7e;
    if (code > largest)
        return static_cast<std::uint8_t>(beyond);
    if (format.unsignedZero && code == 0)
        return 0;
    return static_cast<std::uint8_t>(sign | static_cast<unsigned>(code));
}

Half toHalf(double value)
{
    return toHalf(static_cast<float>(value));
}

} // namespace core
