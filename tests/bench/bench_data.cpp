// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/bench_data.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace bench {
namespace {

/// Sum of four uniform numbers, scaled to a standard deviation of about 1.
float bell(std::mt19937_64& random)
{
    const std::uint64_t bits = random();
    const auto part = [&](int i) { return static_cast<float>(bits >> (16 * i) & 0xffff); };
    return (part(0) + part(1) + part(2) + part(3) - 131070.0f) / 37837.0f;
}

/// Bilinear between the points of a grid 16 pixels apart.
void fillSmoothPlane(float* plane, const Extent& extent, std::mt19937_64& random)
{
    constexpr int step = 16;
    const std::int64_t columns = extent.width / step + 2;
    std::vector<float> grid(static_cast<std::size_t>((extent.height / step + 2) * columns));
    for (float& point : grid)
        point = bell(random);
    for (std::int64_t y = 0; y < extent.height; ++y)
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const float* corner = grid.data() + y / step * columns + x / step;
            const float dx = static_cast<float>(x % step) / step;
            const float dy = static_cast<float>(y % step) / step;
            const float top = corner[0] * (1 - dx) + corner[1] * dx;
            const float bottom = corner[columns] * (1 - dx) + corner[columns + 1] * dx;
            plane[y * extent.width + x] = std::max(0.0f, (top * (1 - dy) + bottom * dy) * 1.6f - 0.3f);
        }
}

} // namespace

std::string_view dataKindName(DataKind kind)
{
    constexpr std::string_view names[] = {"iid", "smooth", "sorted", "constant"};
    return names[static_cast<int>(kind)];
}

void fill(std::span<float> values, const Extent& extent, DataKind kind)
{
    std::mt19937_64 random(1);
    switch (kind) {
    case DataKind::iid:
        std::generate(values.begin(), values.end(), [&] { return bell(random); });
        break;
    case DataKind::smooth:
        for (std::int64_t plane = 0; plane < extent.planes(); ++plane)
            fillSmoothPlane(values.data() + plane * extent.pixels(), extent, random);
        break;
    case DataKind::sorted:
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(values.size()));
        break;
    case DataKind::constant:
        std::fill(values.begin(), values.end(), 0.75f);
    }
}

float thresholdFor(std::span<const float> values, double fraction)
{
    std::vector<float> sample;
    const std::size_t step = values.size() / 1000003 + 1;
    for (std::size_t i = 0; i < values.size(); i += step)
        sample.push_back(values[i]);
    const auto place = static_cast<std::ptrdiff_t>((1 - fraction) * static_cast<double>(sample.size() - 1));
    std::nth_element(sample.begin(), sample.begin() + place, sample.end());
    return sample[static_cast<std::size_t>(place)];
}

} // namespace bench
