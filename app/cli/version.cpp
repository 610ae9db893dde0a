// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "core/engine/engine.h"
#include "gpu/gpu.h"

#include <fmt/format.h>

namespace app::cli {

namespace {

/// "512 bits (AVX3)"
std::string vectorText()
{
    const auto target = core::vectorTarget();
    const int bits = target.starts_with("AVX3") ? 512 : target.starts_with("AVX2") ? 256 : 128;
    return fmt::format("{} bits ({})", bits, target);
}

} // namespace

std::string versionText()
{
    const auto gpu = gpu::findEngine();
    const auto devices = gpu.devices.empty() ? std::string("none") : gpu.devices;
    return fmt::format("actiscope {}\n"
                       "vector width: {}\n"
                       "GPU: {}\n"
                       "LibTorch: not used; this version opens saved tensors, it does not run models\n",
                       ACTISCOPE_VERSION, vectorText(), gpu.engine ? devices : fmt::format("{} ({})", devices, gpu.reason));
}

} // namespace app::cli
