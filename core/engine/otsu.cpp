// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bins.h"
#include "core/engine/rules.h"

#include <algorithm>
#include <cmath>

namespace core {
namespace {

constexpr int floatBins = 256;
constexpr std::int64_t mostIntegerBins = 65536;

/// Rounds to the dtype in which NumPy computes on a tensor's values: float16, float32 or float64. bfloat16 and 8-bit floats,
/// which NumPy lacks, as float32.
double roundTo(DType dtype, double value)
{
    if (dtype == DType::f64 || !isFloating(dtype))
        return value;
    if (dtype == DType::f16)
        return static_cast<double>(toFloat(toHalf(static_cast<float>(value))));
    return static_cast<double>(static_cast<float>(value));
}

bool isIncreasing(const std::vector<double>& edges)
{
    return std::adjacent_find(edges.begin(), edges.end(), [](double a, double b) { return a >= b; }) == edges.end();
}

/// numpy.linspace in a dtype.
std::vector<double> edgesIn(DType dtype, double lo, double hi)
{
    std::vector<double> edges;
    const double delta = roundTo(dtype, hi - lo);
    const double step = roundTo(dtype, delta / floatBins);
    for (int i = 0; i < floatBins; ++i) {
        const double product =
            step == 0 ? roundTo(dtype, i / static_cast<double>(floatBins) * delta) : roundTo(dtype, i * step);
        edges.push_back(roundTo(dtype, product + lo));
    }
    edges.push_back(hi);
    return edges;
}

/// scikit-image's maximum of the variance between classes; Real is the type of NumPy's intermediate arrays, whose class
/// weights are float32.
template <class Real>
std::size_t bestSplit(const std::vector<std::int64_t>& counts, const std::vector<double>& centers)
{
    const std::size_t n = counts.size();
    std::vector<float> above(n);
    std::vector<Real> meanAbove(n);
    float weight = 0;
    Real sum = 0;
    for (std::size_t i = n; i-- > 0;) {
        weight += static_cast<float>(counts[i]);
        sum += static_cast<Real>(counts[i]) * static_cast<Real>(centers[i]);
        above[i] = weight;
        meanAbove[i] = sum / static_cast<Real>(weight);
    }
    weight = 0;
    sum = 0;
    std::size_t best = 0;
    Real largest = -1;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        weight += static_cast<float>(counts[i]);
        sum += static_cast<Real>(counts[i]) * static_cast<Real>(centers[i]);
        const Real apart = sum / static_cast<Real>(weight) - meanAbove[i + 1];
        const Real variance = static_cast<Real>(weight * above[i + 1]) * (apart * apart);
        // numpy.argmax takes a NaN for the maximum.
        if (std::isnan(variance))
            return i;
        if (variance > largest) {
            largest = variance;
            best = i;
        }
    }
    return best;
}

double splitIntegers(std::int64_t lo, std::int64_t bins, const ValueSet& values, const Job& job)
{
    std::vector<double> centers;
    for (std::int64_t i = 0; i < bins; ++i)
        centers.push_back(static_cast<double>(lo + i));
    return centers[bestSplit<double>(countIntegers(lo, bins, values, job), centers)];
}

/// Integer range of a set when each value may have its own bin.
std::optional<std::int64_t> integerBins(const Statistics& s)
{
    const auto asInteger = [](const Scalar& v) { return std::visit([](auto x) { return static_cast<__int128>(x); }, v); };
    const __int128 bins = asInteger(*s.max) - asInteger(*s.min) + 1;
    return bins <= mostIntegerBins ? std::optional(static_cast<std::int64_t>(bins)) : std::nullopt;
}

} // namespace

double otsuThreshold(const ValueSet& values, const Job& job)
{
    const DType dtype = values.dtype;
    const Statistics& s = values.statistics;
    const double lo = toDouble(*s.min);
    const double hi = toDouble(*s.max);
    if (lo == hi)
        return lo;
    if (isInteger(dtype))
        if (const auto bins = integerBins(s))
            return std::visit([&](auto v) { return splitIntegers(static_cast<std::int64_t>(v), *bins, values, job); }, *s.min);
    DType arithmetic = dtype;
    std::vector<double> edges = edgesIn(arithmetic, lo, hi);
    if (!isIncreasing(edges)) {
        // NumPy refuses bins narrower than the dtype resolves.
        arithmetic = DType::f64;
        edges = binEdges(lo, hi, floatBins);
    }
    std::vector<double> centers;
    for (std::size_t i = 0; i < floatBins; ++i)
        centers.push_back(roundTo(arithmetic, roundTo(arithmetic, edges[i] + edges[i + 1]) / 2));
    const std::vector<std::int64_t> counts = countBins(edges, values, job);
    const bool isDouble = arithmetic == DType::f64 || !isFloating(arithmetic);
    return centers[isDouble ? bestSplit<double>(counts, centers) : bestSplit<float>(counts, centers)];
}

} // namespace core
