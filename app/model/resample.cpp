// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/resample.h"

#include <algorithm>
#include <cmath>

namespace app {

namespace {

/// The source pixels that make one target pixel.
struct Taps
{
    std::int64_t first = 0;
    std::vector<float> weights;
};

std::vector<Taps> makeTaps(std::int64_t from, std::int64_t to)
{
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double support = std::max(scale, 1.0);
    std::vector<Taps> all(static_cast<std::size_t>(to));
    for (std::int64_t i = 0; i < to; ++i) {
        auto& taps = all[static_cast<std::size_t>(i)];
        const double center = scale * (static_cast<double>(i) + 0.5);
        taps.first = std::max<std::int64_t>(static_cast<std::int64_t>(center - support + 0.5), 0);
        const auto last = std::min(static_cast<std::int64_t>(center + support + 0.5), from);
        double total = 0;
        for (auto j = taps.first; j < last; ++j) {
            const double distance = std::abs((static_cast<double>(j) - center + 0.5) / support);
            const double weight = std::max(0.0, 1.0 - distance);
            taps.weights.push_back(static_cast<float>(weight));
            total += weight;
        }
        for (auto& weight : taps.weights)
            weight = static_cast<float>(weight / total);
    }
    return all;
}

float level(double value, bool whole)
{
    // Half up, as the fixed-point kernels for 8-bit values do.
    return static_cast<float>(whole ? std::floor(value + 0.5) : value);
}

Planes resampleColumns(const Planes& planes, std::int64_t width, bool whole)
{
    const auto taps = makeTaps(planes.width, width);
    Planes result{planes.count, planes.height, width, {}};
    result.values.resize(static_cast<std::size_t>(planes.count * planes.height * width));
    for (std::int64_t row = 0; row < planes.count * planes.height; ++row)
        for (std::int64_t x = 0; x < width; ++x) {
            const auto& tap = taps[static_cast<std::size_t>(x)];
            const float* from = planes.row(0, row) + tap.first;
            double sum = 0;
            for (std::size_t i = 0; i < tap.weights.size(); ++i)
                sum += from[i] * tap.weights[i];
            result.row(0, row)[x] = level(sum, whole);
        }
    return result;
}

Planes resampleRows(const Planes& planes, std::int64_t height, bool whole)
{
    const auto taps = makeTaps(planes.height, height);
    Planes result{planes.count, height, planes.width, {}};
    result.values.resize(static_cast<std::size_t>(planes.count * height * planes.width));
    std::vector<double> sums(static_cast<std::size_t>(planes.width));
    for (std::int64_t plane = 0; plane < planes.count; ++plane)
        for (std::int64_t y = 0; y < height; ++y) {
            const auto& tap = taps[static_cast<std::size_t>(y)];
            std::ranges::fill(sums, 0.0);
            for (std::size_t i = 0; i < tap.weights.size(); ++i) {
                const float* from = planes.row(plane, tap.first + static_cast<std::int64_t>(i));
                for (std::size_t x = 0; x < sums.size(); ++x)
                    sums[x] += from[x] * tap.weights[i];
            }
            float* to = result.row(plane, y);
            for (std::size_t x = 0; x < sums.size(); ++x)
                to[x] = level(sums[x], whole);
        }
    return result;
}

/// Python's round(): halves to even.
std::int64_t roundedHalf(std::int64_t twice)
{
    return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(twice) / 2));
}

/// Where the crop begins along one axis of `size`.
std::int64_t cropStart(std::int64_t size, std::int64_t crop)
{
    return crop > size ? -((crop - size) / 2) : roundedHalf(size - crop);
}

} // namespace

Planes resample(const Planes& planes, std::int64_t width, std::int64_t height, bool whole)
{
    if (width == planes.width && height == planes.height)
        return planes;
    auto result = width == planes.width ? planes : resampleColumns(planes, width, whole);
    return height == planes.height ? result : resampleRows(result, height, whole);
}

Planes cropCenter(const Planes& planes, std::int64_t width, std::int64_t height, std::int64_t& left, std::int64_t& top)
{
    left = cropStart(planes.width, width);
    top = cropStart(planes.height, height);
    Planes result{planes.count, height, width, {}};
    result.values.assign(static_cast<std::size_t>(planes.count * height * width), 0.0f);
    const auto firstX = std::max<std::int64_t>(0, -left);
    const auto lastX = std::min(width, planes.width - left);
    for (std::int64_t plane = 0; plane < planes.count; ++plane)
        for (std::int64_t y = 0; y < height; ++y)
            if (y + top >= 0 && y + top < planes.height && firstX < lastX)
                std::copy_n(planes.row(plane, y + top) + firstX + left, lastX - firstX, result.row(plane, y) + firstX);
    return result;
}

} // namespace app
