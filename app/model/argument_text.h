// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/model.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace app {

/// A TorchScript type as far as inputs care.
struct ArgumentType
{
    enum class Kind { tensor, integer, real, boolean, text, number, list, tuple, dict, other };

    Kind kind = Kind::other;
    /// Optional[...]: None will do.
    bool isOptional = false;
    /// As the model writes it.
    std::string text;
    /// What a list, tuple or dict holds (a dict: its values; a tuple: one text for each member).
    std::vector<std::string> inner;

    static ArgumentType parse(std::string_view text);
    /// Tensors, or lists, tuples and dicts of them.
    bool holdsTensors() const;
    /// How many inputs it takes of `left` that there are.
    std::size_t members(std::size_t left) const;
};

/// A value written as text: "3", "0.5", "true", "none", "1,2,3" for a list. Throws core::UsageError with what would fit.
ModelValue parseArgument(const ArgumentType& type, std::string_view text, std::string_view name);

/// The number in a tensor of one element, for an argument that is no tensor. Throws core::UsageError.
ModelValue numberOf(const ArgumentType& type, const ModelValue& tensor, std::string_view name);

} // namespace app
