// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <torch/headeronly/core/ScalarType.h>

namespace runner {

/// PyTorch's name without "torch." ("float32"); for types that the protocol has no name for, LibTorch's own ("QInt8").
std::string dtypeName(c10::ScalarType type);
/// Whether a tensor of this type can be handed over as it is.
bool isPlain(c10::ScalarType type);
/// The type of a protocol's dtype name, if there is one.
std::optional<c10::ScalarType> dtypeFromName(std::string_view name);

} // namespace runner
