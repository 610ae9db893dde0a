// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/memory_plan.h"

#include "core/engine/binning.h"
#include "core/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace core {
namespace {

std::int64_t megabytes(std::int64_t bytes)
{
    return (bytes + 999'999) / 1'000'000;
}

/// Bytes of the max map; 0 where it cannot be exact.
std::int64_t maxMapBytes(const PlaneGrid& grid)
{
    if (isComplex(grid.dtype))
        return 0;
    const std::int64_t item = withSeenType(grid.dtype, [](auto seen) -> std::int64_t {
        using Seen = decltype(seen);
        return std::is_integral_v<Seen> && sizeof(Seen) == 8 ? 0 : sizeof(KeptMax<Seen>);
    });
    // An expanded tensor may have absurd extents.
    constexpr std::int64_t most = std::int64_t{1} << 50;
    return std::min(grid.extents.batches * grid.extents.planeElements(), most) * item;
}

} // namespace

std::int64_t memoryLimit(const Tensor& tensor)
{
    constexpr std::int64_t spare = 24 << 20;
    // An expanded tensor has more elements than bytes.
    const std::int64_t held = std::min(tensor.bytes(), static_cast<std::int64_t>(tensor.storage().bytes.size()));
    return std::min(held / 2 + spare, machineBytes() / 4);
}

MemoryPlan planMemory(const PlaneGrid& grid, std::int64_t limitBytes)
{
    // Stops that a slider can do with.
    constexpr int fewBins = 512;
    MemoryPlan plan;
    const Extents& extents = grid.extents;
    std::int64_t left = limitBytes;
    const std::int64_t quarter = left / 4;
    const std::int64_t forSomeBins = std::min(histogramBytes(extents, fewBins), quarter);
    const std::int64_t forBins = std::min(histogramBytes(extents, maxBins), quarter);
    if (itemSize(grid.dtype) >= 2 && !isComplex(grid.dtype)) {
        plan.index.codes = extents.elements() <= left - forSomeBins;
        left -= plan.index.codes ? extents.elements() : 0;
        if (!plan.index.codes)
            plan.leftOut = fmt::format("codes ({} MB) do not fit beside the tensor: count maps read its values",
                                       megabytes(extents.elements()));
    }
    if (extents.planeElements() >= zoneElements) {
        const std::int64_t range =
            withSeenType(grid.dtype, [](auto seen) -> std::int64_t { return sizeof(ZoneRange<CompareOf<decltype(seen)>>); });
        const std::int64_t bytes = extents.planes() * ((extents.planeElements() + zoneElements - 1) / zoneElements) * range;
        plan.scan.zones = bytes <= std::min(quarter, left - forSomeBins);
        left -= plan.scan.zones ? bytes : 0;
    }
    if (const std::int64_t bytes = maxMapBytes(grid); bytes > 0) {
        plan.scan.maxMap = bytes <= left - forBins;
        left -= plan.scan.maxMap ? bytes : 0;
        // Of few channels the values are read as fast.
        constexpr std::int64_t few = 8;
        if (!plan.scan.maxMap && extents.channels >= few)
            plan.leftOut += fmt::format("{}the map of largest values ({} MB) does not fit beside the tensor: max maps read its "
                                        "values",
                                        plan.leftOut.empty() ? "" : "; ", megabytes(bytes));
    }
    plan.index.histogramBytes = left;
    return plan;
}

} // namespace core
