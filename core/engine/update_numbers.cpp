// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/update_numbers.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace core {
namespace {

std::string_view updateName(Update update)
{
    constexpr std::array<std::string_view, 6> names = {"set", "abs", "negate", "clamp", "scale", "replace"};
    return names[static_cast<std::size_t>(update)];
}

std::string textOf(const Number& number)
{
    if (!number.text.empty())
        return number.text;
    return number.isInteger ? fmt::format("{}", number.integer) : fmt::format("{}", number.real);
}

[[noreturn]] void refuseRange(const Number& number, DType dtype)
{
    throw Error(fmt::format("{} lies outside what {} holds: give a number that it holds", textOf(number), dtypeName(dtype)));
}

/// The largest finite number of a float dtype.
double largestOf(DType dtype)
{
    if (isFloat8(dtype))
        return dtype == DType::f8e4m3fn ? 448 : dtype == DType::f8e4m3fnuz ? 240 : 57344;
    switch (dtype) {
    case DType::f16:
        return 65504;
    case DType::bf16:
        return 0x1.fep127;
    case DType::f32:
    case DType::c64:
        return std::numeric_limits<float>::max();
    default:
        return std::numeric_limits<double>::max();
    }
}

/// A number in the type that computes, rounded once from the integer or from float64, as c10 does.
template <class Work>
Work realWork(const Number& number)
{
    if (!number.isInteger)
        return static_cast<Work>(number.real);
    return number.integer < 0 ? static_cast<Work>(static_cast<std::int64_t>(number.integer))
                              : static_cast<Work>(static_cast<std::uint64_t>(number.integer));
}

/// As stored: rounded further to the dtype.
template <class Work>
Work roundTo(DType dtype, Work value)
{
    if constexpr (std::is_same_v<Work, float>) {
        if (dtype == DType::f16)
            return toFloat(toHalf(value));
        if (dtype == DType::bf16)
            return toFloat(toBFloat16(value));
        if (isFloat8(dtype))
            return float8ToFloat(dtype, toFloat8(dtype, value));
    }
    return value;
}

/// What c10::Scalar::to makes of an integer.
template <class Work>
Work fromInteger(const Number& number, DType dtype)
{
    using Limits = std::numeric_limits<Work>;
    const __int128 value = number.integer;
    // -1 is the largest value of an unsigned dtype, and so on down.
    const __int128 least = Limits::is_signed ? __int128{Limits::min()} : -__int128{Limits::max()};
    if (value < least || value > __int128{Limits::max()})
        refuseRange(number, dtype);
    return static_cast<Work>(value);
}

/// The same of a real, whose fraction is dropped.
template <class Work>
Work fromReal(const Number& number, DType dtype)
{
    using Limits = std::numeric_limits<Work>;
    // A power of two, so that it is exact; all values from it on lie outside.
    const double end = std::ldexp(1.0, Limits::digits);
    const bool isInside = number.real >= static_cast<double>(Limits::min()) && number.real < end;
    // PyTorch compares with the largest value as float64, which for 64 bits is the end itself.
    if (!isInside || (Limits::digits < 53 && number.real > static_cast<double>(Limits::max())))
        refuseRange(number, dtype);
    return static_cast<Work>(number.real);
}

/// What takes a hot element's place, or bounds it.
template <class Work>
Work storedNumber(const Number& number, DType dtype)
{
    if (dtype == DType::boolean)
        return static_cast<Work>(number.isInteger ? number.integer != 0 : number.real != 0);
    if constexpr (std::is_integral_v<Work>) {
        return number.isInteger ? fromInteger<Work>(number, dtype) : fromReal<Work>(number, dtype);
    } else {
        if (std::isfinite(number.real) && std::abs(number.real) > largestOf(dtype))
            refuseRange(number, dtype);
        return roundTo(dtype, realWork<Work>(number));
    }
}

void checkDType(const SelectQuery& query, DType dtype)
{
    const Update update = query.update;
    const bool isAny = update == Update::set || update == Update::replace;
    const bool needsOrder = update == Update::absolute || update == Update::clamp;
    if ((dtype == DType::boolean && !isAny) || (isComplex(dtype) && needsOrder))
        throw Error(fmt::format("{} has no meaning for {} that keeps the dtype: convert the tensor first", updateName(update),
                                dtypeName(dtype)));
    const bool needsValue = update == Update::set || update == Update::scale;
    if ((needsValue && !query.value) || (update == Update::clamp && !query.lower && !query.upper))
        throw Error(fmt::format("the update {} takes {}: give it", updateName(update),
                                needsValue ? "a value" : "a lower or an upper bound"));
}

/// Integers keep their dtype only under integers.
void checkWhole(const std::optional<Number>& number, const SelectQuery& query, DType dtype)
{
    if (number && !number->isInteger && isInteger(dtype))
        throw Error(fmt::format("{} by {} would make float32 of {}: give an integer, or convert the tensor first",
                                updateName(query.update), textOf(*number), dtypeName(dtype)));
}

template <class Work>
ElementUpdate<Work> clampUpdate(const SelectQuery& query, DType dtype)
{
    ElementUpdate<Work> update{Update::clamp};
    const Work nan = std::numeric_limits<Work>::quiet_NaN();
    const Work lower = query.lower ? storedNumber<Work>(*query.lower, dtype) : update.lower;
    const Work upper = query.upper ? storedNumber<Work>(*query.upper, dtype) : update.upper;
    // PyTorch makes NaN of all with one of two bounds NaN; a NaN alone bounds nothing.
    if (query.lower && query.upper && (lower != lower || upper != upper))
        return {Update::set, nan};
    update.lower = lower == lower ? lower : update.lower;
    update.upper = upper == upper ? upper : update.upper;
    return update;
}

} // namespace

template <class Work>
ElementUpdate<Work> elementUpdate(const SelectQuery& query, DType dtype)
{
    checkDType(query, dtype);
    switch (query.update) {
    case Update::set:
        return {Update::set, storedNumber<Work>(*query.value, dtype)};
    case Update::clamp:
        checkWhole(query.lower, query, dtype);
        checkWhole(query.upper, query, dtype);
        return clampUpdate<Work>(query, dtype);
    case Update::scale:
        checkWhole(query.value, query, dtype);
        if constexpr (std::is_integral_v<Work>)
            return {Update::scale, static_cast<Work>(query.value->integer)};
        else
            return {Update::scale, realWork<Work>(*query.value)};
    default:
        return {query.update};
    }
}

template ElementUpdate<std::uint8_t> elementUpdate(const SelectQuery&, DType);
template ElementUpdate<std::int8_t> elementUpdate(const SelectQuery&, DType);
template ElementUpdate<std::uint16_t> elementUpdate(const SelectQuery&, DType);
template ElementUpdate<std::int16_t> elementUpdate(const SelectQuery&, DType);
template ElementUpdate<std::uint32_t> elementUpdate(const SelectQuery&, DType);
template ElementUpdate<std::int32_t> elementUpdate(const SelectQuery&, DType);
template ElementUpdate<std::uint64_t> elementUpdate(const SelectQuery&, DType);
template ElementUpdate<std::int64_t> elementUpdate(const SelectQuery&, DType);
template ElementUpdate<float> elementUpdate(const SelectQuery&, DType);
template ElementUpdate<double> elementUpdate(const SelectQuery&, DType);

} // namespace core
