// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/bench/bench_run.h"

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// What capturing costs: a ResNet-18 at 224x224, run by actiscope-runner (messages and shared memory included) and, as the
/// peer, as it is by LibTorch in this process with the same threads. Each row's run follows another one whose captures nobody
/// holds any more. Only names that `isWanted` accepts; prints each row, and why there are none without LibTorch.
std::vector<Row> captureRows(int threads, int rounds, const std::function<bool(const std::string&)>& isWanted);

} // namespace bench
