// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/jit_type_base.h>
#include <nlohmann/json_fwd.hpp>

namespace c10 {
struct IValue;
} // namespace c10

namespace runner {

class Arena;

/// Makes one value of a `run` message (docs/runner-protocol.md). Lists, dicts and tuples take their element types from `type`,
/// the type that the model asks for. Throws core::Error, nlohmann::json::exception, or what LibTorch throws for values of a
/// wrong type.
c10::IValue readValue(const nlohmann::json& value, const c10::TypePtr& type, const Arena& arena);

} // namespace runner
