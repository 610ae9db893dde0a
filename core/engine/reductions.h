// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/buffer_pool.h"
#include "core/engine/engine.h"

namespace core {

/// Which sums per pixel some heat maps are made from.
struct MapNeeds
{
    bool count = false;
    bool sum = false;
    bool absolute = false;
    bool square = false;
    bool max = false;
};
MapNeeds needsOf(const std::vector<HeatMapQuery>& queries);

/// Sums over the channels of some pixels; null where not needed. `max` is NaN where the count is 0.
template <class Max>
struct PixelSums
{
    const std::int32_t* count = nullptr;
    const double* sum = nullptr;
    const double* absolute = nullptr;
    const double* square = nullptr;
    const Max* max = nullptr;
};

/// Memory of the heat maps of a pass. Tiles may be written from several threads at once.
class MapOutputs
{
public:
    /// `pixels`: of each map. Max maps have the dtype `dtype`; float32 for 8-bit floats; float64 for integers, bool, complex.
    /// All pixels must be written where a pool lends the memory.
    MapOutputs(const std::vector<HeatMapQuery>& queries, DType dtype, std::int64_t pixels,
               const std::shared_ptr<BufferPool>& pool = nullptr);

    /// Writes pixels [first, first + n) of every map.
    template <class Max>
    void write(std::int64_t first, std::int64_t n, const PixelSums<Max>& sums);

    /// The maps, in the order asked.
    std::vector<Tensor> take(const Shape& shape);

private:
    struct Map
    {
        HeatMapQuery query;
        DType dtype;
        PooledStorage memory;
    };
    std::vector<Map> m_maps;
};

} // namespace core
