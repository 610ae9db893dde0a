// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace runner {

/// "2.11.0"
std::string libtorchVersion();
/// Sets how many threads operators use; 0 leaves LibTorch's choice.
void setThreads(int count);
/// Loads a library of custom operators; what it needs of LibTorch's CUDA part is loaded only for a run on CUDA. Throws
/// core::Error naming the file.
void loadOperators(const std::string& file, bool cuda);
/// The GPU that was asked for, or why there is none.
struct Cuda
{
    std::string name;
    std::string reason = "the runner was started for the CPU: start it with --device cuda";
    bool isThere() const { return !name.empty(); }
};
/// Loads LibTorch's CUDA part. `gpu` is the number of the GPU asked for, for the reason.
Cuda startCuda(std::optional<int> gpu);
/// Runs the operators that open files, start threads or find out about the machine when first used, so that later they need
/// not.
void warmUp(bool cuda);

} // namespace runner
