// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/model/runner_process.h"
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

/// "2.11.0", or why models cannot be run.
std::string torchText()
{
    if (std::string_view(ACTISCOPE_LIBTORCH).empty())
        return "none (actiscope-runner was not built: models cannot be run)";
    return findRunner({}) ? ACTISCOPE_LIBTORCH : "none (actiscope-runner is not beside this program: models cannot be run)";
}

} // namespace

std::string versionText()
{
    const auto gpu = gpu::findEngine();
    const auto devices = gpu.devices.empty() ? std::string("none") : gpu.devices;
    return fmt::format("actiscope {}\n"
                       "vector width: {}\n"
                       "GPU: {}\n"
                       "LibTorch: {}\n",
                       ACTISCOPE_VERSION, vectorText(), gpu.engine ? devices : fmt::format("{} ({})", devices, gpu.reason),
                       torchText());
}

} // namespace app::cli
