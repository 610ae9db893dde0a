// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.h"
#include "tests/support/random_tensor.h"

#include <array>
#include <cmath>
#include <functional>
#include <optional>

/// The engine's answers by plain loops over indices, written from the contract.
namespace naive {

using core::DType;
using core::Selection;
using core::Tensor;

/// One selected element.
struct Element
{
    std::vector<std::int64_t> indices;
    /// Positions in the selected part.
    std::int64_t batch, channel, depth, row, column;
    long double re, im;

    long double magnitude(DType dtype) const
    {
        if (!core::isComplex(dtype))
            return re;
        const double m = dtype == DType::c64 ? static_cast<double>(std::hypot(static_cast<float>(re), static_cast<float>(im)))
                                             : std::hypot(static_cast<double>(re), static_cast<double>(im));
        return m;
    }
};

inline std::int64_t positionOf(const Selection& selection, const std::vector<std::int64_t>& indices, core::AxisRole role)
{
    const int axis = selection.layout.axis(role);
    if (axis < 0 || selection.fixed[static_cast<std::size_t>(axis)])
        return 0;
    return indices[static_cast<std::size_t>(axis)];
}

/// Selected elements in the order of the tensor's own axes.
inline std::vector<Element> elements(const Tensor& tensor, const Selection& selection)
{
    std::vector<Element> out;
    support::forIndices(tensor.shape(), [&](const std::vector<std::int64_t>& indices) {
        for (std::size_t axis = 0; axis < indices.size(); ++axis)
            if (selection.fixed[axis] && *selection.fixed[axis] != indices[axis])
                return;
        const std::byte* at = support::elementAt(tensor, indices);
        out.push_back(
            {indices, positionOf(selection, indices, core::AxisRole::batch),
             positionOf(selection, indices, core::AxisRole::channel), positionOf(selection, indices, core::AxisRole::depth),
             positionOf(selection, indices, core::AxisRole::row), positionOf(selection, indices, core::AxisRole::column),
             support::realPart(tensor.dtype(), at), support::imaginaryPart(tensor.dtype(), at)});
    });
    return out;
}

/// Whether an element meets a condition text under the exact comparison (thresholds of the tests are float64 without rounding).
inline std::function<bool(const Element&)> test(const std::string& text, DType dtype)
{
    const core::Condition condition = core::Where::parse(text).condition;
    const long double a = condition.a.isInteger ? static_cast<long double>(condition.a.integer) : condition.a.real;
    const long double b = condition.b.isInteger ? static_cast<long double>(condition.b.integer) : condition.b.real;
    return [=](const Element& e) {
        const long double v = e.re;
        const long double m = core::isComplex(dtype) ? e.magnitude(dtype) : std::abs(v);
        switch (condition.kind) {
        case core::ConditionKind::gt:
            return v > a;
        case core::ConditionKind::ge:
            return v >= a;
        case core::ConditionKind::lt:
            return v < a;
        case core::ConditionKind::le:
            return v <= a;
        case core::ConditionKind::eq:
            return v == a && e.im == 0;
        case core::ConditionKind::ne:
            return !(v == a && e.im == 0);
        case core::ConditionKind::between:
            return a <= v && v <= b;
        case core::ConditionKind::outside:
            return v < a || v > b;
        case core::ConditionKind::absGt:
            return m > a;
        case core::ConditionKind::absGe:
            return m >= a;
        case core::ConditionKind::nan:
            return std::isnan(v) || std::isnan(e.im);
        case core::ConditionKind::inf:
            return std::isinf(v) || std::isinf(e.im);
        default:
            return std::isfinite(v) && std::isfinite(e.im);
        }
    };
}

/// The sum of a plane's values as lane_sum.h words it: `values` in plane order, what is left out as 0.
inline double laneSum(const std::vector<double>& values)
{
    double sum = 0;
    for (std::size_t first = 0; first < values.size(); first += 4096) {
        std::array<double, 16> l{};
        for (std::size_t i = first; i < std::min(first + 4096, values.size()); ++i)
            l[(i - first) % 16] += values[i];
        const double even = ((l[0] + l[8]) + (l[4] + l[12])) + ((l[2] + l[10]) + (l[6] + l[14]));
        const double odd = ((l[1] + l[9]) + (l[5] + l[13])) + ((l[3] + l[11]) + (l[7] + l[15]));
        sum += even + odd;
    }
    return sum;
}

} // namespace naive
