// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace app::cli {

/// What the command line asks of the window.
struct WindowOptions
{
    std::vector<std::string> files;
    /// Picture under masks (--image); empty for none.
    std::string image;
    /// What the model among the files gets (--input).
    std::vector<std::string> inputs;
    /// Libraries of operators that models need (--op-library).
    std::vector<std::string> operatorLibraries;
    /// --self-test: drive the window offscreen on the sample, then exit.
    bool selfTest = false;
    /// --bench-drag FILE: measure the window offscreen on a file, then exit; empty for no.
    std::string benchDrag;
};

/// Runs a command of the command line, or one of --help and --version, and returns the exit code: 0 done, 1 failed, 2 wrong
/// usage, 130 interrupted. Returns nothing when the window is wanted and some file is there (also for --self-test and
/// --bench-drag) and fills `window`. Needs no display and makes no QApplication. Call it first in main: signals are blocked
/// before other threads begin.
std::optional<int> runCommandLine(int argc, char** argv, WindowOptions& window);

} // namespace app::cli
