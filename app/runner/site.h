// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace runner {

/// The operator whose output a site captures.
struct OperatorSource
{
    /// "aten::_convolution"
    std::string name;
    /// The value's name in the program.
    std::string value;
    /// "file.py:12", or empty.
    std::string line;
};

/// A place in the model's program where a value can be captured.
struct Site
{
    /// The layer's attribute path; empty for the model itself.
    std::string layer;
    /// Set when this is one operator's output inside the layer instead of the layer's own.
    std::optional<OperatorSource> op;
};

} // namespace runner
