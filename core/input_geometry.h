// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace core {

/// Where what a network got lies on the original picture: the centre of its pixel (column, row) is at
/// (left + (column + 0.5) * stepX - 0.5, top + (row + 0.5) * stepY - 0.5) of the original, pixels counted by their centres. A
/// plane of any size covers the whole of what the network got.
struct InputGeometry
{
    std::int64_t originalWidth = 0;
    std::int64_t originalHeight = 0;
    /// Size of what the network got.
    std::int64_t width = 0;
    std::int64_t height = 0;
    /// Edges of what it got, in pixels of the original from its edge; negative where more than the original was cut out.
    double left = 0;
    double top = 0;
    /// Pixels of the original for one that the network got.
    double stepX = 1;
    double stepY = 1;

    /// The network got the original's pixels, all of them.
    bool isWhole() const
    {
        return left == 0 && top == 0 && stepX == 1 && stepY == 1 && width == originalWidth && height == originalHeight;
    }
    bool operator==(const InputGeometry&) const = default;
};

} // namespace core
