// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/pickle_value.h"

#include <optional>
#include <string>

namespace core::io {

/// A float as Python writes it: "1.0", "1e-05", "inf", "nan".
std::string pythonFloat(double value);

/// The text of a plain value as Python's str() gives it: None, True, 1, 0.5, text as it is, a complex, slice, device or dtype
/// of PyTorch; bytes only by their size. Nothing for containers and objects.
std::optional<std::string> plainText(const PickleValue& value);

/// A dict key that is no text and no integer, as Python's repr() gives it ("(1, 2)", "0.5"); shortened when long or deep.
std::string keyText(const PickleValue& value);

} // namespace core::io
