// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/plane_grid.h"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// Turns positions in the selected part, in the order of the tensor's own axes, into full indices.
class IndexWriter
{
public:
    IndexWriter(const Shape& shape, const Selection& selection);

    int rank() const { return static_cast<int>(m_axes.size()); }
    /// Appends a row of indices for each position `base + offset`, offsets ascending.
    void write(std::int64_t base, std::span<const std::uint32_t> offsets, std::int64_t* rows) const;
    /// Indices of one position.
    void write(std::int64_t position, std::int64_t* row) const;
    /// Position of full indices that lie in the selected part.
    std::int64_t position(std::span<const std::int64_t> indices) const;

private:
    struct Axis
    {
        std::int64_t extent;
        std::int64_t first;
    };
    std::vector<Axis> m_axes;
};

} // namespace core
