// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/engine/naive.h"
#include "tests/support/shape_cases.h"

#include <fmt/format.h>

#include <string>

namespace naive {

/// One generated tensor under one selection, and the same by naive loops.
struct Case
{
    std::uint64_t seed = 0;
    core::Tensor tensor;
    Selection selection;
    std::string name;
    std::vector<Element> elements;
    core::Extents extents;

    std::size_t planeOf(const Element& e) const { return static_cast<std::size_t>(e.batch * extents.channels + e.channel); }
    std::size_t inPlane(const Element& e) const
    {
        return static_cast<std::size_t>((e.depth * extents.height + e.row) * extents.width + e.column);
    }
    std::size_t planes() const { return static_cast<std::size_t>(extents.planes()); }
    std::size_t planeElements() const { return static_cast<std::size_t>(extents.planeElements()); }
};

inline Case makeCase(std::uint64_t seed, DType dtype, support::Strides strides)
{
    support::Random random(seed);
    const auto& [shape, letters] = support::shapeCases[random() % std::size(support::shapeCases)];
    Case c;
    c.seed = seed;
    c.tensor = support::randomTensor(dtype, shape, strides, random);
    c.selection = core::Selection::all(core::Layout::parse(letters, static_cast<int>(shape.size())));
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > 0 && (c.selection.fixed[axis] || random() % 5 == 0))
            c.selection.fixed[axis] = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(shape[axis]));
    c.name =
        fmt::format("seed {}: {} {} {}", seed, core::dtypeName(dtype), core::shapeText(shape), support::stridesName(strides));
    c.elements = naive::elements(c.tensor, c.selection);
    c.extents = core::extentsOf(shape, c.selection);
    return c;
}

} // namespace naive
