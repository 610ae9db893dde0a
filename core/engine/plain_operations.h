// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/kernels_labels.h"
#include "core/engine/kernels_norms.h"
#include "core/engine/kernels_plain.h"
#include "core/engine/kernels_select.h"

/// The kernels of labels, select and norms element by element: what vector code falls back on, and what it must equal.
namespace core::plain {

template <class Stored>
void labelPixels(const LabelTile<Stored>& tile)
{
    for (std::int64_t i = 0; i < tile.pixels; ++i) {
        auto largest = load<Stored>(tile.values, i);
        tile.labels[i] = 0;
        for (std::int64_t c = 1; c < tile.channels; ++c)
            if (const auto value = load<Stored>(tile.values, c * tile.channelStride + i); isLarger(value, largest)) {
                largest = value;
                tile.labels[i] = static_cast<std::int32_t>(c);
            }
    }
}

template <class Stored>
IdRange<Stored> idRange(const std::byte* values, std::int64_t n)
{
    IdRange<Stored> range = {load<Stored>(values, 0), load<Stored>(values, 0)};
    for (std::int64_t i = 1; i < n; ++i) {
        const Stored value = load<Stored>(values, i);
        range.min = value < range.min ? value : range.min;
        range.max = value > range.max ? value : range.max;
    }
    return range;
}

/// A value of the compare type as stored, rounded to nearest.
template <class Stored>
Stored narrow(CompareOf<Stored> value)
{
    if constexpr (std::is_same_v<Stored, Half>)
        return toHalf(value);
    else if constexpr (std::is_same_v<Stored, BFloat16>)
        return toBFloat16(value);
    else
        return value;
}

template <class Stored>
HitCounts updateHot(const UpdateRun& run, const Predicate<CompareOf<Stored>>& predicate,
                    const ElementUpdate<CompareOf<Stored>>& update)
{
    constexpr auto size = static_cast<std::int64_t>(sizeof(Stored));
    HitCounts hits;
    if (run.to != run.values)
        std::memcpy(run.to, run.values, static_cast<std::size_t>(run.elements * size));
    for (std::int64_t i = 0; i < run.elements; ++i) {
        const auto value = load<Stored>(run.values, i);
        if (!predicate(value))
            continue;
        ++hits.before;
        auto other = CompareOf<Stored>{};
        if (run.other) {
            // As stored, so that a NaN keeps its bits.
            std::memcpy(run.to + i * size, run.other + i * size, size);
            other = load<Stored>(run.other, i);
            hits.after += predicate(other);
            continue;
        }
        const auto next = updated(value, update, other);
        // NaN stays as stored, too.
        if (value == value || update.kind == Update::set) {
            const Stored stored = narrow<Stored>(next);
            std::memcpy(run.to + i * size, &stored, size);
            hits.after += predicate(load<Stored>(run.to, i));
        } else {
            hits.after += predicate(value);
        }
    }
    return hits;
}

template <class Stored>
double normTile(const std::byte* values, std::int64_t n, NormPart part)
{
    const auto magnitude = [&](std::int64_t i) { return std::abs(static_cast<double>(load<Stored>(values, i))); };
    if (part == NormPart::absolute)
        return laneTileSum(n, magnitude);
    if (part == NormPart::squares)
        return laneTileSum(n, [&](std::int64_t i) { return magnitude(i) * magnitude(i); });
    double result = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const double value = magnitude(i);
        if (part == NormPart::nonzero)
            result += value != 0;
        else if (isLarger(value, result))
            result = value;
    }
    return result;
}

} // namespace core::plain
