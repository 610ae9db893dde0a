// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace core {

/// Which pixels of an image make the pixels of a row: each takes `columns` of every one of `rows` rows.
struct Samples
{
    static constexpr int most = 4;

    int rows = 1;
    int columns = 1;
    std::array<const std::uint32_t*, most> row{};
    std::array<unsigned, most> rowWeight{1, 1, 1, 1};
    /// For sample i, the column of each pixel.
    std::array<const std::int32_t*, most> column{};
    /// Two columns only: how much of 256 the second one counts, the first one for the rest. Null: each counts 1.
    const std::int32_t* second = nullptr;
};

/// Weight of a sample from the weights of its row and column: both of 256, or 1 and any.
constexpr unsigned sampleWeight(unsigned row, unsigned column)
{
    return (row * column + 15) / 16;
}

/// Pixels [0, count) of the row: averages of 8-bit RGBA, not premultiplied, weighted with alpha, so that transparent pixels
/// lend no colour. A sum s of parts with weights that make w gives (s + w / 2) / w in integers.
void averageSamples(const Samples& samples, int count, std::uint32_t* out);

} // namespace core
