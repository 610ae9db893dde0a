// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engines.h"

#include "core/error.h"
#include "gpu/gpu.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace app {

std::optional<int> gpuNumber(std::string_view device)
{
    if (device == "auto" || device == "cpu")
        return std::nullopt;
    if (device == "cuda")
        return 0;
    constexpr std::string_view prefix = "cuda:";
    int number = -1;
    if (device.starts_with(prefix)) {
        const char* const last = device.data() + device.size();
        const auto [end, error] = std::from_chars(device.data() + prefix.size(), last, number);
        if (error != std::errc() || end != last)
            number = -1;
    }
    if (number < 0)
        throw core::UsageError(
            fmt::format("there is no device \"{}\": choose auto, cpu, cuda or cuda:N (the N-th GPU, counted from 0)", device));
    return number;
}

std::unique_ptr<core::Engine> makeEngine(std::string_view device, std::function<void(const std::string&)> tell)
{
    const char* forced = std::getenv("ACTISCOPE_DEVICE");
    if (device == "auto" && forced && *forced)
        device = forced;
    if (device == "cpu")
        return core::makeCpuEngine();
    const auto number = gpuNumber(device);
    auto found = gpu::findEngine(number, std::move(tell));
    if (found.engine)
        return std::move(found.engine);
    if (number)
        throw core::Error(fmt::format("the device {} cannot be used: {}; choose --device cpu", device, found.reason));
    return core::makeCpuEngine();
}

} // namespace app
