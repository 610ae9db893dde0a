// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/vision_kernels.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <algorithm>
#include <array>
#include <c10/util/TypeCast.h>
#include <cfloat>
#include <cmath>
#include <limits>
#include <vector>

namespace runner {

namespace {

/// A bilinear sample: four places in a plane and their weights.
template <typename T>
struct Sample
{
    std::array<std::int64_t, 4> place{};
    std::array<T, 4> weight{};
};

/// A region in the plane's pixels, cut into bins.
template <typename T>
struct Grid
{
    T left, top, binWidth, binHeight;
    /// Samples per bin and axis; not positive where the region has no extent.
    std::int64_t across, down;
};

struct Plane
{
    std::int64_t height, width;
};

void check(const char* name, const at::Tensor& input, const at::Tensor& regions, std::int64_t binsDown, std::int64_t binsAcross)
{
    TORCH_CHECK(input.dim() == 4, name, ": input must be [N, C, H, W], not ", input.sizes());
    TORCH_CHECK(regions.dim() == 2 && regions.size(1) == 5, name, ": rois must be [K, 5], not ", regions.sizes());
    TORCH_CHECK(input.scalar_type() == regions.scalar_type(), name, ": input is ", input.scalar_type(), ", rois are ",
                regions.scalar_type());
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    TORCH_CHECK(binsDown >= 0 && binsAcross >= 0 && binsDown <= most && binsAcross <= most, name, ": no output of ", binsDown,
                " x ", binsAcross, " is possible");
}

/// The batch item that a region names; a fraction is cut off.
template <typename T>
std::int64_t batchOf(const T* region, const at::Tensor& input)
{
    const auto item = static_cast<double>(region[0]);
    TORCH_CHECK(item > -1 && item < static_cast<double>(input.size(0)), "a region names batch item ", item, " of ",
                input.size(0));
    return static_cast<std::int64_t>(item);
}

/// Samples along a bin; what is no number gives none.
template <typename T>
std::int64_t samplesPerBin(T extent, std::int64_t bins, std::int64_t wanted)
{
    if (wanted > 0)
        return wanted;
    const double count = std::ceil(static_cast<double>(c10::convert<T>(extent / c10::convert<T>(bins))));
    TORCH_CHECK(!(count > 1e6), "a region of ", extent, " pixels is too large to be sampled");
    return std::isnan(count) ? 0 : static_cast<std::int64_t>(std::max(count, -1e6));
}

template <typename T>
Grid<T> gridOf(const T* region, T scale, std::array<std::int64_t, 2> bins, std::int64_t sampling, bool aligned)
{
    const T shift = aligned ? T(0.5) : T(0.0);
    const T left = region[1] * scale - shift, top = region[2] * scale - shift;
    T width = region[3] * scale - shift - left, height = region[4] * scale - shift - top;
    if (!aligned) {
        width = std::max(width, T(1.));
        height = std::max(height, T(1.));
    }
    return {left,
            top,
            width / c10::convert<T>(bins[1]),
            height / c10::convert<T>(bins[0]),
            samplesPerBin(width, bins[1], sampling),
            samplesPerBin(height, bins[0], sampling)};
}

/// Cuts a coordinate to the plane: the pixel below, the one above and the way between them.
template <typename T>
std::array<std::int64_t, 2> neighbours(T& at, std::int64_t size)
{
    if (at <= 0)
        at = 0;
    const auto low = static_cast<std::int64_t>(at);
    if (low < size - 1)
        return {low, low + 1};
    at = c10::convert<T>(size - 1);
    return {size - 1, size - 1};
}

template <typename T>
Sample<T> sampleAt(T y, T x, const Plane& plane)
{
    // NaN is outside too.
    if (!(y >= -1.0 && y <= c10::convert<T>(plane.height) && x >= -1.0 && x <= c10::convert<T>(plane.width)))
        return {};
    const auto rows = neighbours(y, plane.height), columns = neighbours(x, plane.width);
    const T below = y - c10::convert<T>(rows[0]), right = x - c10::convert<T>(columns[0]);
    const T above = c10::convert<T>(1. - below), before = c10::convert<T>(1. - right);
    Sample<T> sample;
    for (std::size_t i = 0; i < 4; ++i)
        sample.place[i] = rows[i / 2] * plane.width + columns[i % 2];
    sample.weight = {above * before, above * right, below * before, below * right};
    return sample;
}

/// A coordinate in the middle of part `part` of `parts` of a bin that begins at `begin`.
template <typename T>
T middleOf(T begin, T bin, std::int64_t part, std::int64_t parts)
{
    return begin + c10::convert<T>(static_cast<float>(part) + .5f) * bin / c10::convert<T>(parts);
}

/// The samples of the bin that begins at row `top` and column `left`.
template <typename T>
std::vector<Sample<T>> samplesOf(const Grid<T>& grid, T top, T left, const Plane& plane)
{
    std::vector<Sample<T>> samples;
    if (grid.down <= 0 || grid.across <= 0)
        return samples;
    TORCH_CHECK(grid.down <= 1'000'000 && grid.across <= 10'000'000 / grid.down, "too many samples in a bin: ", grid.down,
                " x ", grid.across);
    samples.reserve(static_cast<std::size_t>(grid.down * grid.across));
    for (std::int64_t iy = 0; iy < grid.down; ++iy) {
        const T y = middleOf(top, grid.binHeight, iy, grid.down);
        for (std::int64_t ix = 0; ix < grid.across; ++ix)
            samples.push_back(sampleAt(y, middleOf(left, grid.binWidth, ix, grid.across), plane));
    }
    return samples;
}

template <typename T>
T sumOf(const std::vector<Sample<T>>& samples, const T* plane)
{
    T sum = 0;
    for (const auto& [place, weight] : samples)
        sum += weight[0] * plane[place[0]] + weight[1] * plane[place[1]] + weight[2] * plane[place[2]] +
               weight[3] * plane[place[3]];
    return sum;
}

/// Calls `bin(region index, row of bins, column of bins)` for each.
template <typename F>
void forEachBin(const at::Tensor& output, F bin)
{
    for (std::int64_t n = 0; n < output.size(0); ++n)
        for (std::int64_t row = 0; row < output.size(2); ++row)
            for (std::int64_t column = 0; column < output.size(3); ++column)
                bin(n, row, column);
}

/// First and last pixel row or column + 1 of bin `index`.
template <typename T>
std::array<std::int64_t, 2> pixelsOf(std::int64_t index, T bin, std::int64_t begin, std::int64_t size)
{
    const auto from = static_cast<std::int64_t>(std::floor(c10::convert<T>(index) * bin));
    const auto to = static_cast<std::int64_t>(std::ceil(c10::convert<T>(index + 1) * bin));
    return {std::clamp<std::int64_t>(from + begin, 0, size), std::clamp<std::int64_t>(to + begin, 0, size)};
}

/// The nearest pixel, halves away from zero; far outside coordinates stay far outside.
template <typename T>
std::int64_t pixelOf(T coordinate)
{
    const double rounded = std::round(static_cast<double>(coordinate));
    return std::isnan(rounded) ? -1'000'000'000 : static_cast<std::int64_t>(std::clamp(rounded, -1e9, 1e9));
}

/// The largest value in rows and columns of a plane and its place.
template <typename T>
std::pair<T, std::int32_t> largestOf(const T* plane, std::int64_t width, std::array<std::int64_t, 2> rows,
                                     std::array<std::int64_t, 2> columns)
{
    if (rows[0] >= rows[1] || columns[0] >= columns[1])
        return {T(0), -1};
    std::pair<T, std::int32_t> best{c10::convert<T>(-FLT_MAX), -1};
    for (std::int64_t y = rows[0]; y < rows[1]; ++y)
        for (std::int64_t x = columns[0]; x < columns[1]; ++x)
            if (plane[y * width + x] > best.first)
                best = {plane[y * width + x], static_cast<std::int32_t>(y * width + x)};
    return best;
}

} // namespace

at::Tensor roiAlign(const at::Tensor& input, const at::Tensor& regions, double scale, std::int64_t binsDown,
                    std::int64_t binsAcross, std::int64_t sampling, bool aligned)
{
    check("roi_align", input, regions, binsDown, binsAcross);
    const std::int64_t channels = input.size(1);
    const Plane plane{input.size(2), input.size(3)};
    at::Tensor output = at::zeros({regions.size(0), channels, binsDown, binsAcross}, input.options());
    if (output.numel() == 0 || input.numel() == 0)
        return output;
    const at::Tensor source = input.contiguous(), boxes = regions.contiguous();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "roi_align", [&] {
        auto* out = output.mutable_data_ptr<scalar_t>();
        forEachBin(output, [&](std::int64_t n, std::int64_t row, std::int64_t column) {
            const auto* region = boxes.const_data_ptr<scalar_t>() + n * 5;
            const auto* item =
                source.const_data_ptr<scalar_t>() + batchOf(region, input) * channels * plane.height * plane.width;
            const auto grid = gridOf(region, c10::convert<scalar_t>(scale), {binsDown, binsAcross}, sampling, aligned);
            const auto samples = samplesOf(grid, grid.top + c10::convert<scalar_t>(row) * grid.binHeight,
                                           grid.left + c10::convert<scalar_t>(column) * grid.binWidth, plane);
            const auto count = c10::convert<scalar_t>(std::max<std::int64_t>(grid.down * grid.across, 1));
            for (std::int64_t c = 0; c < channels; ++c)
                out[((n * channels + c) * binsDown + row) * binsAcross + column] =
                    sumOf(samples, item + c * plane.height * plane.width) / count;
        });
    });
    return output;
}

std::tuple<at::Tensor, at::Tensor> psRoiAlign(const at::Tensor& input, const at::Tensor& regions, double scale,
                                              std::int64_t binsDown, std::int64_t binsAcross, std::int64_t sampling)
{
    check("ps_roi_align", input, regions, binsDown, binsAcross);
    const std::int64_t bins = binsDown * binsAcross;
    TORCH_CHECK(bins > 0 && input.size(1) % bins == 0, "ps_roi_align: ", input.size(1), " channels are no multiple of ",
                binsDown, " x ", binsAcross, " bins");
    const std::int64_t channels = input.size(1) / bins;
    const Plane plane{input.size(2), input.size(3)};
    at::Tensor output = at::zeros({regions.size(0), channels, binsDown, binsAcross}, input.options());
    at::Tensor mapping = at::zeros(output.sizes(), input.options().dtype(at::kInt));
    if (output.numel() == 0 || input.numel() == 0)
        return {output, mapping};
    const at::Tensor source = input.contiguous(), boxes = regions.contiguous();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "ps_roi_align", [&] {
        forEachBin(output, [&](std::int64_t n, std::int64_t row, std::int64_t column) {
            const auto* region = boxes.const_data_ptr<scalar_t>() + n * 5;
            const auto* item =
                source.const_data_ptr<scalar_t>() + batchOf(region, input) * input.size(1) * plane.height * plane.width;
            const auto grid = gridOf(region, c10::convert<scalar_t>(scale), {binsDown, binsAcross}, sampling, true);
            const auto samples = samplesOf(grid, c10::convert<scalar_t>(row) * grid.binHeight + grid.top,
                                           c10::convert<scalar_t>(column) * grid.binWidth + grid.left, plane);
            for (std::int64_t c = 0; c < channels; ++c) {
                const std::int64_t from = c * bins + row * binsAcross + column, to = n * channels * bins + from;
                output.mutable_data_ptr<scalar_t>()[to] =
                    sumOf(samples, item + from * plane.height * plane.width) / c10::convert<scalar_t>(grid.down * grid.across);
                mapping.mutable_data_ptr<std::int32_t>()[to] = static_cast<std::int32_t>(from);
            }
        });
    });
    return {output, mapping};
}

std::tuple<at::Tensor, at::Tensor> roiPool(const at::Tensor& input, const at::Tensor& regions, double scale,
                                           std::int64_t binsDown, std::int64_t binsAcross)
{
    check("roi_pool", input, regions, binsDown, binsAcross);
    const std::int64_t channels = input.size(1), height = input.size(2), width = input.size(3);
    at::Tensor output = at::zeros({regions.size(0), channels, binsDown, binsAcross}, input.options());
    at::Tensor places = at::zeros(output.sizes(), input.options().dtype(at::kInt));
    if (output.numel() == 0)
        return {output, places};
    const at::Tensor source = input.contiguous(), boxes = regions.contiguous();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "roi_pool", [&] {
        forEachBin(output, [&](std::int64_t n, std::int64_t row, std::int64_t column) {
            const auto* region = boxes.const_data_ptr<scalar_t>() + n * 5;
            const auto* item = source.const_data_ptr<scalar_t>() + batchOf(region, input) * channels * height * width;
            std::array<std::int64_t, 4> corner{};
            for (std::size_t i = 0; i < 4; ++i)
                corner[i] = pixelOf(c10::convert<scalar_t>(region[i + 1] * c10::convert<scalar_t>(scale)));
            const auto extent = [&](std::size_t from) {
                return c10::convert<scalar_t>(std::max<std::int64_t>(corner[from + 2] - corner[from] + 1, 1));
            };
            const auto rows = pixelsOf(row, extent(1) / c10::convert<scalar_t>(binsDown), corner[1], height);
            const auto columns = pixelsOf(column, extent(0) / c10::convert<scalar_t>(binsAcross), corner[0], width);
            for (std::int64_t c = 0; c < channels; ++c) {
                const std::int64_t to = ((n * channels + c) * binsDown + row) * binsAcross + column;
                std::tie(output.mutable_data_ptr<scalar_t>()[to], places.mutable_data_ptr<std::int32_t>()[to]) =
                    largestOf(item + c * height * width, width, rows, columns);
            }
        });
    });
    return {output, places};
}

} // namespace runner
