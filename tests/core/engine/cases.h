// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/engine/naive.h"

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
    static const std::pair<core::Shape, const char*> shapes[] = {{{}, ""},
                                                                 {{70}, "W"},
                                                                 {{1}, "C"},
                                                                 {{5, 130}, "HW"},
                                                                 {{40, 6}, "NC"},
                                                                 {{3, 17, 20}, "CHW"},
                                                                 {{9, 11, 3}, "HWC"},
                                                                 {{2, 40, 5}, "NLC"},
                                                                 {{2, 5, 9, 67}, "NCHW"},
                                                                 {{2, 3, 4, 5, 6}, "NCDHW"},
                                                                 {{4, 3, 2, 5}, "WHDN"},
                                                                 {{2, 3, 4, 5}, "N-HW"},
                                                                 {{3, 2, 2, 3, 4, 5}, "-NCDHW"},
                                                                 {{2, 0, 4, 4}, "NCHW"},
                                                                 {{0, 3, 4, 4}, "NCHW"},
                                                                 {{2, 3, 0}, "CHW"},
                                                                 {{1, 2, 90, 100}, "NCHW"},
                                                                 {{2, 70, 3, 3}, "NCHW"}};
    support::Random random(seed);
    const auto& [shape, letters] = shapes[random() % std::size(shapes)];
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
