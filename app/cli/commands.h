// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>
#include <string>

namespace CLI {
class App;
}

namespace app::cli {

class Session;

/// What is left to do once the options of a command are read. Throws core::UsageError, core::Error, core::Cancelled.
using Action = std::function<void(Session&)>;

/// One command of the command line.
struct Command
{
    const char* name;
    /// One line for the list of commands.
    const char* description;
    /// Adds the command's options to a parser and returns what runs after parsing.
    Action (*prepare)(CLI::App& app);
};
/// All commands, in the order in which --help lists them.
std::span<const Command> commands();

Action prepareInfo(CLI::App& app);
Action prepareAnalyze(CLI::App& app);
Action prepareCoords(CLI::App& app);
Action prepareRender(CLI::App& app);
Action prepareCapture(CLI::App& app);

/// What --version prints: the program, its vector width, GPU and LibTorch.
std::string versionText();

} // namespace app::cli
