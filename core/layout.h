// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// What an axis means. `held` ('-') shows one index at a time; `tokens` ('L') is shown as a row, like a column axis.
enum class AxisRole : char { batch = 'N', channel = 'C', depth = 'D', row = 'H', column = 'W', tokens = 'L', held = '-' };

/// One role per axis, in the tensor's own order.
struct Layout
{
    std::vector<AxisRole> roles;

    /// 0-1 axes `W`; 2 `HW`; 3 `CHW` (`HWC` for image files); 4 `NCHW`; 5 `NCDHW`; more: leading `-`. Rank 0 is "".
    static Layout guess(int rank, bool isImage = false);
    /// From letters. Throws UsageError: unknown letter, wrong count for `rank`, a role twice, both L and W.
    static Layout parse(std::string_view letters, int rank);
    std::string letters() const;
    /// The axis with this role, or -1. `column` also finds a tokens axis.
    int axis(AxisRole role) const;

    bool operator==(const Layout&) const = default;
};

/// The part of a tensor that is analysed: a layout, and axes restricted to one index.
/// Restrictions hold for everything: counts, rules, elements, rows, coordinates (which keep full indices).
struct Selection
{
    Layout layout;
    /// One per axis: the only index taken, or nothing for all. Always set for held axes.
    std::vector<std::optional<std::int64_t>> fixed;

    /// Everything under a layout; held axes at 0.
    static Selection all(Layout layout);
    /// Throws Error (which axis, which index, what range) when a fixed index lies outside the shape.
    void validate(std::span<const std::int64_t> shape) const;

    bool operator==(const Selection&) const = default;
};

/// The selected part as seen by people: planes of depth x height x width. Axes that a tensor lacks, and fixed ones, have
/// extent 1.
struct Extents
{
    std::int64_t batches = 1;
    std::int64_t channels = 1;
    std::int64_t depth = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
    /// Index in the file of the first selected batch item, channel and depth slice (not 0 only where restricted).
    std::int64_t firstBatch = 0;
    std::int64_t firstChannel = 0;
    std::int64_t firstDepth = 0;
    /// Whether the layout has a depth axis (maps and masks then keep it).
    bool hasDepth = false;

    std::int64_t planes() const { return batches * channels; }
    std::int64_t planeElements() const { return depth * height * width; }
    std::int64_t elements() const { return planes() * planeElements(); }

    bool operator==(const Extents&) const = default;
};

/// Extents of a selection of a shape.
Extents extentsOf(std::span<const std::int64_t> shape, const Selection& selection);

} // namespace core
