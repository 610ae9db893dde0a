// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tensor.h"

namespace support {

/// A shape and the letters of its layout.
struct ShapeCase
{
    core::Shape shape;
    const char* letters;
};

/// No axis to six, every kind of layout, held axes, planes and channels without elements, and tails of blocks.
inline const ShapeCase shapeCases[] = {
    {{}, ""},
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
    {{2, 70, 3, 3}, "NCHW"},
};

} // namespace support
