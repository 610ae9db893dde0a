// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace c10 {
struct FunctionSchema;
struct IValue;
} // namespace c10

namespace runner {

class Arena;

/// The values of a `run` message in the order of the schema, after `self`; those not given take their defaults. Tensors
/// are copied out of the arena. Random ones are drawn after seeding with `seed`, in the order of the arguments.
/// Throws core::Error naming the argument that is missing, unknown or malformed.
std::vector<c10::IValue> readArguments(const nlohmann::json& given, const c10::FunctionSchema& schema, const Arena& arena,
                                       std::uint64_t seed);
/// The `arguments` of an `opened` message.
nlohmann::json describeArguments(const c10::FunctionSchema& schema);

} // namespace runner
