// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout.h"

#include "core/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace core {

namespace {

constexpr std::string_view knownLetters = "NCDHWL-";

void checkRoles(const Layout& layout, std::string_view letters)
{
    for (const char letter : letters)
        if (letter != '-' && std::count(letters.begin(), letters.end(), letter) > 1)
            throw UsageError(fmt::format("layout \"{}\" names the axis {} twice; only '-' may repeat", letters, letter));
    const auto has = [&](AxisRole role) {
        return std::find(layout.roles.begin(), layout.roles.end(), role) != layout.roles.end();
    };
    if (has(AxisRole::tokens) && has(AxisRole::column))
        throw UsageError(
            fmt::format("layout \"{}\" has both L and W; tokens (L) are shown as the columns (W) of a row", letters));
}

/// Extent of an axis under a selection: 1 where it is absent or fixed.
std::int64_t extent(std::span<const std::int64_t> shape, const Selection& selection, int axis)
{
    if (axis < 0 || selection.fixed[static_cast<std::size_t>(axis)])
        return 1;
    return shape[static_cast<std::size_t>(axis)];
}

std::int64_t firstIndex(const Selection& selection, int axis)
{
    return axis < 0 ? 0 : selection.fixed[static_cast<std::size_t>(axis)].value_or(0);
}

} // namespace

Layout Layout::guess(int rank, bool isImage)
{
    constexpr std::string_view byRank[] = {"", "W", "HW", "CHW", "NCHW", "NCDHW"};
    if (isImage && rank == 3)
        return parse("HWC", rank);
    if (rank <= 5)
        return parse(byRank[rank], rank);
    return parse(std::string(static_cast<std::size_t>(rank - 5), '-') + "NCDHW", rank);
}

Layout Layout::parse(std::string_view letters, int rank)
{
    if (letters.size() != static_cast<std::size_t>(rank))
        throw UsageError(fmt::format("layout \"{}\" has {} letters, but the tensor has {} axes: give one letter per axis",
                                     letters, letters.size(), rank));
    Layout layout;
    for (const char letter : letters) {
        if (knownLetters.find(letter) == std::string_view::npos)
            throw UsageError(
                fmt::format("layout \"{}\": '{}' is no axis; use N (batch), C (channel), D (depth), H (row), W (column), "
                            "L (tokens) or - (held at one index)",
                            letters, letter));
        layout.roles.push_back(static_cast<AxisRole>(letter));
    }
    checkRoles(layout, letters);
    return layout;
}

std::string Layout::letters() const
{
    std::string text;
    for (const AxisRole role : roles)
        text += static_cast<char>(role);
    return text;
}

int Layout::axis(AxisRole role) const
{
    for (std::size_t i = 0; i < roles.size(); ++i)
        if (roles[i] == role || (role == AxisRole::column && roles[i] == AxisRole::tokens))
            return static_cast<int>(i);
    return -1;
}

Selection Selection::all(Layout layout)
{
    Selection selection;
    for (const AxisRole role : layout.roles)
        selection.fixed.push_back(role == AxisRole::held ? std::optional<std::int64_t>(0) : std::nullopt);
    selection.layout = std::move(layout);
    return selection;
}

void Selection::validate(std::span<const std::int64_t> shape) const
{
    if (layout.roles.size() != shape.size() || fixed.size() != shape.size())
        throw UsageError(fmt::format("layout \"{}\" has {} letters, but the tensor has {} axes: give one letter per axis",
                                     layout.letters(), layout.roles.size(), shape.size()));
    // A held axis without entries has no index to hold; the selection is then empty.
    const auto isEmptyHeld = [&](std::size_t axis) {
        return layout.roles[axis] == AxisRole::held && shape[axis] == 0 && fixed[axis] == 0;
    };
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (fixed[axis] && (*fixed[axis] < 0 || *fixed[axis] >= shape[axis]) && !isEmptyHeld(axis))
            throw Error(fmt::format("index {} lies outside axis {} ({}) of shape {}: it has {} entries, counted from 0",
                                    *fixed[axis], axis, static_cast<char>(layout.roles[axis]), shapeText(shape), shape[axis]));
}

Extents extentsOf(std::span<const std::int64_t> shape, const Selection& selection)
{
    const Layout& layout = selection.layout;
    const auto size = [&](AxisRole role) { return extent(shape, selection, layout.axis(role)); };
    const auto first = [&](AxisRole role) { return firstIndex(selection, layout.axis(role)); };
    Extents extents;
    extents.batches = size(AxisRole::batch);
    extents.channels = size(AxisRole::channel);
    extents.depth = size(AxisRole::depth);
    extents.height = size(AxisRole::row);
    extents.width = size(AxisRole::column);
    extents.firstBatch = first(AxisRole::batch);
    extents.firstChannel = first(AxisRole::channel);
    extents.firstDepth = first(AxisRole::depth);
    extents.hasDepth = layout.axis(AxisRole::depth) >= 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (selection.fixed[axis] && shape[axis] == 0)
            extents.width = 0;
    return extents;
}

} // namespace core
