// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/kernels.h"

namespace core {

/// A stretch of pixels seen through all channels of one batch item, and where their labels go.
template <class Stored>
struct LabelTile
{
    /// First pixel of the tile in channel 0; at least one channel.
    const std::byte* values = nullptr;
    std::int64_t channels = 0;
    /// Elements from one channel to the next.
    std::int64_t channelStride = 0;
    /// At most maxTilePixels.
    std::int64_t pixels = 0;
    /// [pixels]
    std::int32_t* labels = nullptr;
};

/// Whether a channel's value takes the place of the largest one of the channels before it: NaN is larger than any number, and
/// of equals the first stays.
template <class Compare>
constexpr bool isLarger(Compare value, Compare largest)
{
    return value > largest || (value != value && largest == largest);
}

/// The channel with the largest value at each pixel.
template <class Stored>
void labelPixels(const LabelTile<Stored>& tile);

/// Smallest and largest of some integers.
template <class Stored>
struct IdRange
{
    Stored min;
    Stored max;
};

/// Of n >= 1 integers.
template <class Stored>
IdRange<Stored> idRange(const std::byte* values, std::int64_t n);

} // namespace core
