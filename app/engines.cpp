// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engines.h"

#include "core/error.h"
#include "gpu/gpu.h"

#include <fmt/format.h>

#include <cstdlib>

namespace app {

std::unique_ptr<core::Engine> makeEngine(std::string_view device)
{
    const char* forced = std::getenv("ACTISCOPE_DEVICE");
    if (device == "auto" && forced && *forced)
        device = forced;
    if (device == "cpu")
        return core::makeCpuEngine();
    if (device != "auto" && device != "cuda")
        throw core::UsageError(fmt::format("there is no device \"{}\": choose auto, cpu or cuda", device));
    auto found = gpu::findEngine();
    if (found.engine)
        return std::move(found.engine);
    if (device == "cuda")
        throw core::Error(fmt::format("the device cuda cannot be used: {}; choose --device cpu", found.reason));
    return core::makeCpuEngine();
}

} // namespace app
