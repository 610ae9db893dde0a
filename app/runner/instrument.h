// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runner/site.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace torch::jit {
struct Graph;
struct Module;
} // namespace torch::jit

namespace runner {

struct InstrumentOptions
{
    /// Also after every operator with tensors in its output.
    bool operators = false;
    /// Device constants in the program ("cuda:0") become the CPU.
    bool onCpu = true;
    /// Calls are opened until the program has this many nodes; what is called then still runs, unseen inside.
    std::size_t nodeBudget = 50'000;
};

/// A copy of a model's program that tells the current session (session.h) of every layer.
struct Instrumented
{
    std::shared_ptr<torch::jit::Graph> graph;
    std::vector<Site> sites;
    /// The node budget was reached.
    bool truncated = false;
};

/// Copies the program of `forward`, with every call opened, and puts the operators of capture_operators.h around the calls that
/// an eager forward hook sees. The module and its methods stay as they are. Throws LibTorch's exceptions.
Instrumented instrument(const torch::jit::Module& module, const InstrumentOptions& options);

} // namespace runner
