// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/parallel.h"
#include "core/engine/plane_grid.h"

namespace core {

/// A grid whose planes are walked as they lie in memory, for passes that take pixels in any order: a transposed plane is then
/// as good as any. What such a pass says of the pixels comes in that order, and is brought back.
class MemoryOrder
{
public:
    /// What an expanded axis repeats is walked as often as it is seen, or once.
    enum class Repeats { all, once };

    explicit MemoryOrder(const PlaneGrid& grid, Repeats repeats = Repeats::all);

    /// The same planes, their elements in memory order. extents are those of the planes as they are seen; where elements are
    /// left out, one row of those that are there.
    const PlaneGrid& grid() const { return m_grid; }
    /// How often each element of grid() is seen.
    std::int64_t repeats() const { return m_repeats; }
    /// A map [maps, elements of a plane of grid()], in the planes' own order and shape; memory from `pool` (may be null).
    Tensor restored(Tensor map, const std::shared_ptr<BufferPool>& pool, const Workers& workers, const Job& job) const;

private:
    PlaneGrid m_grid;
    bool m_isSame;
    /// How one plane's map is brought back, outermost own axis first, and where its first pixel is.
    std::vector<CopyAxis> m_back;
    std::int64_t m_first = 0;
    std::int64_t m_repeats = 1;
    Shape m_shape;
};

} // namespace core
