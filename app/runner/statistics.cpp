// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/statistics.h"

#include "app/runner/dtypes.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace runner {
namespace {

constexpr std::int64_t pieceElements = 1 << 16;

struct Counts
{
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double mean = 0;
    /// Sum of the squared deviations from the mean.
    double squares = 0;
    std::int64_t finite = 0;
    std::int64_t nan = 0;
    std::int64_t positive = 0;
    std::int64_t negative = 0;
    std::int64_t zeros = 0;

    /// Joins the values of a piece (Chan, Golub, LeVeque 1979: updating formulae for variances).
    void add(const Counts& piece)
    {
        min = std::min(min, piece.min);
        max = std::max(max, piece.max);
        nan += piece.nan;
        positive += piece.positive;
        negative += piece.negative;
        zeros += piece.zeros;
        if (piece.finite == 0)
            return;
        const auto before = static_cast<double>(finite);
        const auto added = static_cast<double>(piece.finite);
        const double away = piece.mean - mean;
        finite += piece.finite;
        mean += away * added / (before + added);
        squares += piece.squares + away * away * before * added / (before + added);
    }
};

/// Two passes without branches over a piece that lies in the cache.
Counts countPiece(const double* values, std::int64_t count)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Counts piece;
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double value = values[i];
        const bool isFinite = std::abs(value) < infinity;
        piece.finite += isFinite;
        piece.nan += value != value;
        piece.positive += value == infinity;
        piece.negative += value == -infinity;
        piece.zeros += value == 0;
        piece.min = std::min(piece.min, isFinite ? value : infinity);
        piece.max = std::max(piece.max, isFinite ? value : -infinity);
        sum += isFinite ? value : 0;
    }
    piece.mean = piece.finite > 0 ? sum / static_cast<double>(piece.finite) : 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double away = std::abs(values[i]) < infinity ? values[i] - piece.mean : 0;
        piece.squares += away * away;
    }
    return piece;
}

/// JSON has no infinities; sums of large finite values may reach them.
nlohmann::json number(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

/// Calls work(values, count) on float64 copies of pieces of the tensor, in no particular order.
template <class Work>
void forEachPiece(const at::Tensor& tensor, const Work& work)
{
    if (tensor.numel() <= pieceElements) {
        const at::Tensor piece = tensor.to(at::kCPU, at::kDouble).contiguous();
        work(piece.const_data_ptr<double>(), piece.numel());
        return;
    }
    std::int64_t axis = 0;
    while (tensor.size(axis) < 2)
        ++axis;
    const std::int64_t half = tensor.size(axis) / 2;
    forEachPiece(tensor.narrow(axis, 0, half), work);
    forEachPiece(tensor.narrow(axis, half, tensor.size(axis) - half), work);
}

/// The tensor with repeated (stride 0) axes taken once: an expanded view may stand for more elements than anyone can count.
at::Tensor withoutRepeats(at::Tensor tensor)
{
    for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) {
        if (tensor.stride(axis) == 0 && tensor.size(axis) > 1)
            tensor = tensor.narrow(axis, 0, 1);
    }
    return tensor;
}

Counts countReal(const at::Tensor& tensor)
{
    Counts counts;
    forEachPiece(tensor, [&](const double* values, std::int64_t count) { counts.add(countPiece(values, count)); });
    return counts;
}

/// A complex value is NaN when either part is, zero when both are.
Counts countComplex(const at::Tensor& tensor)
{
    Counts counts;
    counts.nan = at::isnan(tensor).sum().item<std::int64_t>();
    counts.zeros = tensor.eq(0).sum().item<std::int64_t>();
    counts.positive = at::isinf(tensor).logical_and(at::isnan(tensor).logical_not()).sum().item<std::int64_t>();
    return counts;
}

} // namespace

nlohmann::json statistics(const at::Tensor& tensor)
{
    const nlohmann::json none;
    nlohmann::json out{{"dtype", dtypeName(tensor.scalar_type())},
                       {"shape", tensor.sizes().vec()},
                       {"elements", tensor.numel()},
                       {"min", none},
                       {"max", none},
                       {"mean", none},
                       {"std", none}};
    const at::Tensor distinct = withoutRepeats(tensor);
    const std::int64_t repeats = distinct.numel() == 0 ? 1 : tensor.numel() / distinct.numel();
    const Counts counts = tensor.is_complex() ? countComplex(distinct) : countReal(distinct);
    if (counts.finite > 0) {
        out["min"] = counts.min;
        out["max"] = counts.max;
        out["mean"] = number(counts.mean);
        out["std"] = number(std::sqrt(counts.squares / static_cast<double>(counts.finite)));
    }
    out["nan"] = counts.nan * repeats;
    out["posinf"] = counts.positive * repeats;
    out["neginf"] = counts.negative * repeats;
    out["zeros"] = counts.zeros * repeats;
    return out;
}

} // namespace runner
