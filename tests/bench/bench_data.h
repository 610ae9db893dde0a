// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bench {

/// Extents of a batch of images, contiguous.
struct Extent
{
    std::int64_t batches = 8;
    std::int64_t channels = 256;
    std::int64_t height = 112;
    std::int64_t width = 112;

    std::int64_t pixels() const { return height * width; }
    std::int64_t planes() const { return batches * channels; }
    std::int64_t elements() const { return planes() * pixels(); }
};

/// iid: a bell curve around 0, every element on its own. smooth: blobs of 16 pixels after a ReLU, most of them 0. sorted:
/// ascending. constant: all equal.
enum class DataKind { iid, smooth, sorted, constant };
std::string_view dataKindName(DataKind kind);

/// Seeded values.
void fill(std::span<float> values, const Extent& extent, DataKind kind);

/// A threshold that about `fraction` of the values lie above.
float thresholdFor(std::span<const float> values, double fraction);

} // namespace bench
