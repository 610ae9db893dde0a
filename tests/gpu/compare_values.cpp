// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gpu/compare_values.h"

#include "tests/support/random_tensor.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

using namespace core;

namespace support {

bool same(double a, double b)
{
    return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

bool same(const Scalar& a, const Scalar& b)
{
    if (a.index() != b.index())
        return false;
    const double* real = std::get_if<double>(&a);
    return real ? same(*real, std::get<double>(b)) : a == b;
}

bool same(const Sum& a, const Sum& b)
{
    return a.isInteger == b.isInteger && a.integer == b.integer && same(a.real, b.real);
}

bool same(const Statistics& a, const Statistics& b)
{
    return a.elements == b.elements && a.finite == b.finite && a.zeros == b.zeros && a.nan == b.nan &&
           a.positiveInf == b.positiveInf && a.negativeInf == b.negativeInf && same(a.min, b.min) && same(a.max, b.max) &&
           same(a.mean, b.mean) && same(a.std, b.std) && same(a.sum, b.sum) && a.ordered == b.ordered;
}

namespace {

/// An element as float64 where that tells NaN, or its bits.
bool sameElement(DType dtype, const std::byte* a, const std::byte* b, bool exactly)
{
    if (std::memcmp(a, b, static_cast<std::size_t>(itemSize(dtype))) == 0)
        return true;
    return !exactly && isFloating(dtype) && std::isnan(realPart(dtype, a)) && std::isnan(realPart(dtype, b));
}

} // namespace

std::string compareTensors(const std::string& what, const Tensor& expected, const Tensor& actual, bool exactly)
{
    if (expected.dtype() != actual.dtype() || expected.shape() != actual.shape())
        return fmt::format("{}: {} {} instead of {} {}", what, dtypeName(actual.dtype()), shapeText(actual.shape()),
                           dtypeName(expected.dtype()), shapeText(expected.shape()));
    const int size = itemSize(expected.dtype());
    // Engines may order the memory of their answers as they like.
    const Tensor right = expected.toContiguous();
    const Tensor found = actual.toContiguous();
    for (std::int64_t i = 0; i < right.elements(); ++i)
        if (!sameElement(right.dtype(), right.data() + i * size, found.data() + i * size, exactly))
            return fmt::format("{}: element {} is {}, not {}", what, i,
                               static_cast<double>(realPart(right.dtype(), found.data() + i * size)),
                               static_cast<double>(realPart(right.dtype(), right.data() + i * size)));
    return {};
}

} // namespace support
