// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace runner {

/// What CUDA_VISIBLE_DEVICES has to be so that a process sees one GPU alone, which is then its first: programs traced on any
/// machine name that one. `number` counts from 0 among those that are visible; `visible` is the variable as it was, or null.
/// Throws core::Error when it names fewer.
std::string visibleGpu(int number, const char* visible);

} // namespace runner
