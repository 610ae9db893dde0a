// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/bench/bench_data.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// The command line.
struct Options
{
    std::string json;
    /// Only names that contain this.
    std::string only;
    int threads = 2;
    int rounds = 5;
    Extent extent;
    /// Vector targets by turns; empty: the machine's best one.
    std::vector<std::int64_t> targets;
    /// The interpreter of the Python one-liners; empty: none.
    std::string python = "python3";
    bool help = false;
};

/// Throws std::runtime_error that says what is wrong.
Options parseOptions(int argc, char** argv);
const char* usage();

/// Holds the kernels to one vector target.
void chooseTarget(std::int64_t target);

} // namespace bench
