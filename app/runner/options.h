// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace runner {

/// The command line of actiscope-runner.
struct Options
{
    int channel = -1;
    int threads = 0;
    /// Limit of the address space in bytes; 0 is none.
    std::uint64_t memory = 0;
    /// "cpu" or "cuda"; the GPU of a number, or the first.
    std::string device = "cpu";
    std::optional<int> gpu;
    std::vector<std::string> operatorLibraries;
    /// The sandbox is left out.
    bool trust = false;
    bool version = false;
};

/// Throws core::UsageError naming the argument that is wrong.
Options parseOptions(int count, const char* const* arguments);

} // namespace runner
