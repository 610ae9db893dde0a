// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engines.h"

#include "core/error.h"
#include "gpu/gpu.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>

namespace app {

namespace {

/// 0 for "cuda", N for "cuda:N"; nothing for another word.
std::optional<int> gpuNumber(std::string_view device)
{
    constexpr std::string_view prefix = "cuda:";
    if (device == "cuda")
        return 0;
    if (!device.starts_with(prefix))
        return std::nullopt;
    device.remove_prefix(prefix.size());
    int number = 0;
    const auto [end, error] = std::from_chars(device.data(), device.data() + device.size(), number);
    return error == std::errc() && end == device.data() + device.size() && number >= 0 ? std::optional(number) : std::nullopt;
}

} // namespace

std::unique_ptr<core::Engine> makeEngine(std::string_view device, std::function<void(const std::string&)> tell)
{
    const char* forced = std::getenv("ACTISCOPE_DEVICE");
    if (device == "auto" && forced && *forced)
        device = forced;
    if (device == "cpu")
        return core::makeCpuEngine();
    const auto number = gpuNumber(device);
    if (device != "auto" && !number)
        throw core::UsageError(
            fmt::format("there is no device \"{}\": choose auto, cpu, cuda or cuda:N (the N-th GPU, counted from 0)", device));
    auto found = gpu::findEngine(number, std::move(tell));
    if (found.engine)
        return std::move(found.engine);
    if (number)
        throw core::Error(fmt::format("the device {} cannot be used: {}; choose --device cpu", device, found.reason));
    return core::makeCpuEngine();
}

} // namespace app
