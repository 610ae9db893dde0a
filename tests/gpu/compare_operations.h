// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gpu/case_table.h"

namespace support {

/// What differs between two engines' labels, norms, updates, fusions and stops; empty when nothing does. A part of
/// compareEngines.
std::string compareOperations(const GpuCase& c, const core::Engine& cpuEngine, const core::Engine& gpuEngine,
                              const core::LoadedTensor& cpu, const core::LoadedTensor& gpu);

} // namespace support
