// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace runner {

/// What went wrong, for people.
struct Failure
{
    /// One line, without C++ frames.
    std::string message;
    /// The traceback in the model's own code, or empty.
    std::string detail;
    /// Operators that the model names and nobody has.
    std::vector<std::string> missing;
};

/// Tells LibTorch's, the standard library's and our own exceptions in a line.
Failure explain(const std::exception& error);
/// The `failed` message: `stage` is "start", "open" or "run", `layer` the one that was being run.
nlohmann::json failedMessage(std::int64_t id, const std::string& stage, const std::string& layer, const Failure& failure);

} // namespace runner
