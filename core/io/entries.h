// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"

#include <string>

namespace core::io {

/// An entry for a strided tensor; `load` is left to the caller. Throws Error when the size overflows.
Entry tensorEntry(std::string name, DType dtype, Shape shape, Strides strides);
/// An entry for something that is named but not read; `why` becomes its note.
Entry objectEntry(std::string name, std::string type, std::string why);
/// A dotted name as a path for a tree: "layer1.0.weight" has three segments. A name with an empty segment stays whole.
std::vector<std::string> dottedPath(const std::string& name);

} // namespace core::io
