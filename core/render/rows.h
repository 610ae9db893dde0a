// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <functional>
#include <span>
#include <vector>

namespace core {

/// Throws Error unless the tensor is a [H, W] map whose sides fit a picture.
void requireMap(const Tensor& map);

/// Row `y` of a [H, W] map of any dtype and strides, widened to float64 (exact but for 64-bit integers past 2^53); the absolute
/// value for complex dtypes. `out` holds W numbers.
void readRow(const Tensor& map, std::int64_t y, std::span<double> out);

/// The same where it lies if it is such numbers already, else in `room`; valid as long as both.
std::span<const double> rowOf(const Tensor& map, std::int64_t y, std::vector<double>& room);

/// What one look at a map tells.
struct MapFacts
{
    /// Least and greatest finite value; lo > hi when there is none.
    double lo = 1;
    double hi = 0;
    bool nan = false;
    bool positiveInf = false;
    bool negativeInf = false;

    bool hasFinite() const { return lo <= hi; }
    bool hasNegative() const { return hasFinite() && lo < 0; }
    void merge(const MapFacts& other);
};

/// Calls work(first, end) for parts of the rows of a picture, on several threads, in no order.
void forRows(int height, int width, const std::function<void(int, int)>& work);

/// Looks at every value of a [H, W] map, on all threads.
MapFacts inspect(const Tensor& map);

/// Appends the finite values of a [H, W] map.
void appendFinite(const Tensor& map, std::vector<double>& values);

} // namespace core
