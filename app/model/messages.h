// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/capture_arena.h"
#include "app/model/model.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace app {

/// The runner's messages (docs/runner-protocol.md) and what they stand for. Everything that arrives is checked: whatever is
/// not as the protocol says throws core::Error.
inline constexpr int runnerProtocol = 1;

/// A line as a message: an object with a "type".
nlohmann::json parseMessage(std::string_view line);

nlohmann::json openMessage(std::int64_t id, const std::string& name, const std::vector<std::string>& operators,
                           const std::string& device);
/// Puts the request's tensors into the arena; null for none.
nlohmann::json runMessage(std::int64_t id, const RunRequest& request, CaptureArena* arena);

ModelInfo readOpened(const nlohmann::json& message);
/// `captured` or `output`; tensors share the arena.
Capture readCapture(const nlohmann::json& message, const CaptureArena* arena);

/// The text of a member, or "" when it is null or absent.
std::string textOf(const nlohmann::json& message, const char* member);
/// The whole number of a member, not below 0.
std::int64_t countOf(const nlohmann::json& message, const char* member);
/// The texts of an array member.
std::vector<std::string> textsOf(const nlohmann::json& message, const char* member);

} // namespace app
