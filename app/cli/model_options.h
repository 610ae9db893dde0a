// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/arguments.h"
#include "app/model/runner_process.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace app::cli {

/// Options that give a model its input and say how it is run, as typed.
struct ModelOptions
{
    /// The positional INPUT; the same as one --input.
    std::string input;
    std::vector<std::string> inputs;
    std::vector<std::string> random;
    std::vector<std::string> ones;
    std::vector<std::string> arguments;
    std::string seed;
    std::string resize;
    std::string crop;
    std::string preset;
    std::string mean;
    std::string std;
    std::string layoutIn;
    std::string dtype;
    std::string budget;
    std::string timeLimit;
    std::vector<std::string> operatorLibraries;
    bool trust = false;

    /// Whether any of them was given.
    bool isGiven() const;
};
/// Adds INPUT and the options. `options` must outlive the parsing.
void addModel(CLI::App& app, ModelOptions& options);

/// What the options stand for. Throws core::UsageError.
ModelInput makeInput(const ModelOptions& options);
RunnerSettings makeSettings(const ModelOptions& options, std::string_view device);
std::int64_t seedOf(const ModelOptions& options);
/// Bytes that captures may take: --budget, or a quarter of the memory.
std::int64_t budgetOf(const ModelOptions& options);

/// "512M", "2G", "100000": bytes, with K, M, G, T as powers of 1024. Throws core::UsageError that names the option.
std::int64_t parseBytes(std::string_view text, std::string_view option);

} // namespace app::cli
