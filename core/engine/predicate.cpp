// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/predicate.h"

#include "core/engine/decimal.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace core {
namespace {

/// Integers are cut in a wider type, so that thresholds and their neighbours may lie outside the dtype.
template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, T, __int128>;

/// Where a threshold t cuts the ordered values of a type. Past the infinities there is NaN, which bounds an empty interval.
template <class W>
struct Cut
{
    W below;   ///< largest value < t
    W atMost;  ///< largest value <= t
    W atLeast; ///< smallest value >= t
    W above;   ///< smallest value > t
};

constexpr __int128 farInteger = static_cast<__int128>(1) << 100;

template <class F>
F next(F value)
{
    constexpr F inf = std::numeric_limits<F>::infinity();
    return value == inf ? std::numeric_limits<F>::quiet_NaN() : std::nextafter(value, inf);
}
template <class F>
F previous(F value)
{
    return -next(-value);
}

/// A threshold that is itself a value of the type.
template <class F>
Cut<F> cutAtFloat(F t)
{
    return {previous(t), t, t, next(t)};
}
Cut<__int128> cutAtInteger(__int128 t)
{
    return {t - 1, t, t, t + 1};
}

/// A threshold taken as a real number, among floats.
template <class F>
Cut<F> cutExactFloat(const Number& number)
{
    F t = static_cast<F>(number.real);
    const Decimal exact = Decimal::of(number);
    while (compare(Decimal::of(static_cast<double>(t)), exact) > 0)
        t = previous(t);
    while (t != std::numeric_limits<F>::infinity() && compare(Decimal::of(static_cast<double>(next(t))), exact) <= 0)
        t = next(t);
    if (compare(Decimal::of(static_cast<double>(t)), exact) == 0)
        return cutAtFloat(t);
    return {t, t, next(t), next(t)};
}

/// A threshold taken as a real number, among integers.
Cut<__int128> cutExactInteger(const Number& number)
{
    const Decimal exact = Decimal::of(number);
    const __int128 t = exact.floor();
    return exact.isInteger() ? cutAtInteger(t) : Cut<__int128>{t, t, t + 1, t + 1};
}

/// First integer in [-2^65, 2^65] that `reached` holds for; it must hold for all integers above one that it holds for.
template <class Reached>
__int128 firstInteger(Reached reached)
{
    __int128 low = -(static_cast<__int128>(1) << 65);
    __int128 high = -low;
    while (low < high) {
        const __int128 middle = low + (high - low) / 2;
        if (reached(static_cast<float>(middle)))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/// PyTorch compares integers with a real number as float32: rounding is monotonic, so the hot integers are an interval too.
Cut<__int128> cutThroughFloat(float t)
{
    const __int128 atLeast = firstInteger([t](float x) { return x >= t; });
    const __int128 above = firstInteger([t](float x) { return x > t; });
    return {atLeast - 1, above - 1, atLeast, above};
}

__int128 wrap(__int128 value, DType dtype)
{
    const int bits = 8 * itemSize(dtype);
    const __int128 modulus = static_cast<__int128>(1) << bits;
    const __int128 low = isSigned(dtype) ? -(modulus / 2) : 0;
    const __int128 offset = (value - low) % modulus;
    return low + (offset < 0 ? offset + modulus : offset);
}

/// A Python number as PyTorch 2.11 converts it to a floating dtype: float64 and integers go to float16, bfloat16 through
/// float32.
double roundToDType(const Number& number, DType dtype)
{
    if (dtype == DType::f64)
        return number.isInteger ? static_cast<double>(number.integer) : number.real;
    const float t = number.isInteger ? static_cast<float>(number.integer) : static_cast<float>(number.real);
    if (dtype == DType::f16)
        return static_cast<double>(toFloat(toHalf(t)));
    if (dtype == DType::bf16)
        return static_cast<double>(toFloat(toBFloat16(t)));
    return static_cast<double>(t);
}

template <class T>
Cut<Wide<T>> cutOf(const Number& number, DType dtype, Comparison comparison)
{
    if constexpr (std::is_floating_point_v<T>) {
        return comparison == Comparison::exact ? cutExactFloat<T>(number)
                                               : cutAtFloat<T>(static_cast<T>(roundToDType(number, dtype)));
    } else {
        if (comparison == Comparison::exact)
            return cutExactInteger(number);
        if (!number.isInteger)
            return cutThroughFloat(static_cast<float>(number.real));
        return cutAtInteger(dtype == DType::boolean ? number.integer : wrap(number.integer, dtype));
    }
}

/// An interval of the wide type as a predicate of the narrow one.
template <class T>
Predicate<T> interval(Wide<T> lo, Wide<T> hi, bool invert = false)
{
    if constexpr (!std::is_floating_point_v<T>) {
        lo = std::max<__int128>(lo, std::numeric_limits<T>::min());
        hi = std::min<__int128>(hi, std::numeric_limits<T>::max());
    }
    if (!(lo <= hi))
        return {T{1}, T{0}, invert, false};
    return {static_cast<T>(lo), static_cast<T>(hi), invert, false};
}

/// Ends of the ordered values.
template <class T>
constexpr Wide<T> top()
{
    if constexpr (std::is_floating_point_v<T>)
        return std::numeric_limits<T>::infinity();
    else
        return farInteger;
}

template <class T>
Predicate<T> classPredicate(ConditionKind kind)
{
    Predicate<T> nothing{T{1}, T{0}, false, false};
    if (kind == ConditionKind::nan)
        nothing.nanHot = true;
    if (kind == ConditionKind::finite)
        return {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), false, false};
    if (kind == ConditionKind::inf && std::is_floating_point_v<T>)
        return {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), true, false};
    return nothing;
}

/// |v| > t and |v| >= t as "outside [-largest cold value, largest cold value]". NaN: every value passes.
template <class T>
Predicate<T> magnitudePredicate(Wide<T> largestCold)
{
    return interval<T>(-largestCold, largestCold, true);
}

template <class T>
Predicate<T> comparisonPredicate(ConditionKind kind, const Cut<Wide<T>>& a, const Cut<Wide<T>>& b)
{
    switch (kind) {
    case ConditionKind::gt:
        return interval<T>(a.above, top<T>());
    case ConditionKind::ge:
        return interval<T>(a.atLeast, top<T>());
    case ConditionKind::lt:
        return interval<T>(-top<T>(), a.below);
    case ConditionKind::le:
        return interval<T>(-top<T>(), a.atMost);
    case ConditionKind::eq:
        return interval<T>(a.atLeast, a.atMost);
    case ConditionKind::between:
        return interval<T>(a.atLeast, b.atMost);
    case ConditionKind::outside:
        return interval<T>(a.atLeast, b.atMost, true);
    case ConditionKind::absGt:
        return magnitudePredicate<T>(a.atMost);
    case ConditionKind::absGe:
        return magnitudePredicate<T>(a.below);
    default:
        Predicate<T> different = interval<T>(a.atLeast, a.atMost, true);
        different.nanHot = true;
        return different;
    }
}

bool isClass(ConditionKind kind)
{
    return kind == ConditionKind::nan || kind == ConditionKind::inf || kind == ConditionKind::finite;
}
bool hasTwoBounds(ConditionKind kind)
{
    return kind == ConditionKind::between || kind == ConditionKind::outside;
}

template <class T>
bool fits(DType dtype)
{
    if (isFloating(dtype))
        return dtype == DType::f64 ? std::is_same_v<T, double> : std::is_same_v<T, float>;
    return !std::is_floating_point_v<T> && sizeof(T) == static_cast<std::size_t>(itemSize(dtype)) &&
           std::is_signed_v<T> == (isInteger(dtype) && isSigned(dtype));
}

/// One threshold as it is compared; `integer` when it is compared as an integer.
struct ComparedNumber
{
    double real;
    std::optional<__int128> integer;
};

ComparedNumber comparedNumber(const Number& number, DType dtype, Comparison comparison)
{
    if (comparison == Comparison::exact)
        return {number.real, number.isInteger ? std::optional(number.integer) : std::nullopt};
    if (isFloating(dtype) || isComplex(dtype)) {
        const DType part = dtype == DType::c64 ? DType::f32 : dtype == DType::c128 ? DType::f64 : dtype;
        return {roundToDType(number, part), std::nullopt};
    }
    if (!number.isInteger)
        return {static_cast<double>(static_cast<float>(number.real)), std::nullopt};
    const __int128 t = dtype == DType::boolean ? number.integer : wrap(number.integer, dtype);
    return {static_cast<double>(t), t};
}

} // namespace

template <class T>
Predicate<T> makePredicate(const Condition& condition, DType dtype, Comparison comparison)
{
    if (!fits<T>(dtype))
        throw Error(
            fmt::format("the condition has no order on {} values; use ==, !=, abs, nan, inf or finite", dtypeName(dtype)));
    if (isClass(condition.kind))
        return classPredicate<T>(condition.kind);
    if (std::isnan(condition.a.real) || std::isnan(condition.b.real)) {
        const bool all = condition.kind == ConditionKind::ne;
        return {T{1}, T{0}, all, all};
    }
    const Cut<Wide<T>> a = cutOf<T>(condition.a, dtype, comparison);
    const Cut<Wide<T>> b = hasTwoBounds(condition.kind) ? cutOf<T>(condition.b, dtype, comparison) : a;
    return comparisonPredicate<T>(condition.kind, a, b);
}

template Predicate<std::uint8_t> makePredicate(const Condition&, DType, Comparison);
template Predicate<std::int8_t> makePredicate(const Condition&, DType, Comparison);
template Predicate<std::uint16_t> makePredicate(const Condition&, DType, Comparison);
template Predicate<std::int16_t> makePredicate(const Condition&, DType, Comparison);
template Predicate<std::uint32_t> makePredicate(const Condition&, DType, Comparison);
template Predicate<std::int32_t> makePredicate(const Condition&, DType, Comparison);
template Predicate<std::uint64_t> makePredicate(const Condition&, DType, Comparison);
template Predicate<std::int64_t> makePredicate(const Condition&, DType, Comparison);
template Predicate<float> makePredicate(const Condition&, DType, Comparison);
template Predicate<double> makePredicate(const Condition&, DType, Comparison);

Threshold comparedThreshold(const Condition& condition, DType dtype, Comparison comparison)
{
    Threshold threshold;
    if (isClass(condition.kind))
        return threshold;
    const ComparedNumber a = comparedNumber(condition.a, dtype, comparison);
    threshold.a = a.real;
    threshold.integerA = a.integer;
    if (hasTwoBounds(condition.kind)) {
        const ComparedNumber b = comparedNumber(condition.b, dtype, comparison);
        threshold.b = b.real;
        threshold.integerB = b.integer;
    }
    return threshold;
}

} // namespace core
