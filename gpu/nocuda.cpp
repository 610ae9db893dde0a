// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/gpu.h"

namespace gpu {

Availability findEngine(std::optional<int>, Tell)
{
    return {nullptr, "the program was built without CUDA because " ACTISCOPE_NO_CUDA_REASON, {}};
}

} // namespace gpu
