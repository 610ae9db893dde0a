// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/kernels_select.h"

/// Kernels for elements of many planes that take turns in memory: rows of columns, each column of one plane.
namespace core {

/// What such kernels compare a stored type as: itself, or the keys of 16-bit floats (keyPredicate).
template <class Stored>
using ColumnLane = std::conditional_t<std::is_same_v<Stored, CompareOf<Stored>>, Stored, std::int16_t>;

/// Arrays of a column each may be read, and counted in, so many entries past their end.
inline constexpr std::int64_t columnRoom = 64;

/// Predicates that differ in their bounds only.
template <class Stored>
struct ColumnBounds
{
    const ColumnLane<Stored>* lo = nullptr;
    const ColumnLane<Stored>* hi = nullptr;
    bool invert = false;
    bool nanHot = false;
};

/// A run of elements whose column is their place modulo `columns`; `to` is not `values`.
struct ColumnRun
{
    UpdateRun run;
    std::int64_t columns = 0;
    /// For the kernels: columns + columnRoom entries of 8 bytes each.
    std::byte* counters[2] = {nullptr, nullptr};
    /// Hot elements of each column, to which those of the run are added: `columns` entries.
    std::uint32_t* before = nullptr;
    /// The same after; not counted for Update::set.
    std::uint32_t* after = nullptr;
};

/// Copies the run, its hot elements updated. Returns false where there is no kernel for the type and update, or without
/// vectors: nothing is done then.
template <class Stored>
bool updateColumns(const ColumnRun& run, const ColumnBounds<Stored>& bounds, const ElementUpdate<CompareOf<Stored>>& update);

/// Copies bytes past the caches, until endStreams(): byte i from `second` where mask[i % columns] is 0xff, from `first` where
/// it is 0. The mask may be read columnRoom bytes past its end.
void streamChosen(const std::byte* first, const std::byte* second, const std::uint8_t* mask, std::int64_t columns,
                  std::int64_t bytes, std::byte* to);

} // namespace core
