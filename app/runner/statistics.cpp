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

constexpr std::int64_t pieceElements = 1 << 18;

struct Counts
{
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double mean = 0;
    double squares = 0;
    std::int64_t finite = 0;
    std::int64_t nan = 0;
    std::int64_t positive = 0;
    std::int64_t negative = 0;
    std::int64_t zeros = 0;

    void add(double value)
    {
        if (std::isnan(value)) {
            ++nan;
            return;
        }
        if (std::isinf(value)) {
            ++(value > 0 ? positive : negative);
            return;
        }
        ++finite;
        zeros += value == 0;
        min = std::min(min, value);
        max = std::max(max, value);
        // Welford's running mean and sum of squared deviations.
        const double away = value - mean;
        mean += away / static_cast<double>(finite);
        squares += away * (value - mean);
    }
};

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
    forEachPiece(tensor, [&](const double* values, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
            counts.add(values[i]);
    });
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
