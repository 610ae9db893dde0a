// SPDX-License-Identifier: GPL-3.0-or-later
// Proves the GPU engine on the machine it runs on, and times it: see README.md.
#include "gpu/cuda_device.h"
#include "gpu/gpu_engine.h"
#include "tests/gpu/case_table.h"
#include "tests/gpu/check_large.h"
#include "tests/gpu/check_speed.h"
#include "tests/gpu/host_device.h"
#include "tests/gpu/watched_device.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstring>

using namespace support;

namespace {

constexpr int exitSkipped = 77;

struct Options
{
    bool onLoops = false;
    bool withSpeed = true;
    bool withLarge = true;
    std::uint64_t cases = gpuCases;
    int device = 0;
    std::string json;
};

constexpr const char* usage =
    "usage: gpucheck [--cases N] [--device N] [--no-large] [--no-speed] [--json FILE] [--loops]\n"
    "  --loops   the case table and small tensors with the kernels as loops on the CPU: needs no GPU\n";

std::optional<Options> read(int count, char** arguments)
{
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = arguments[i];
        const auto number = [&](auto& to) {
            const char* const text = ++i < count ? arguments[i] : "";
            return std::from_chars(text, text + std::strlen(text), to).ec == std::errc();
        };
        if (word == "--loops")
            options.onLoops = true;
        else if (word == "--no-speed")
            options.withSpeed = false;
        else if (word == "--no-large")
            options.withLarge = false;
        else if (word == "--json" && i + 1 < count)
            options.json = arguments[++i];
        else if ((word != "--cases" || !number(options.cases)) && (word != "--device" || !number(options.device)))
            return std::nullopt;
    }
    return options;
}

/// Cases of all dtypes; the number of those that differ.
int checkCases(const gpu::OpenDevice& open, std::uint64_t cases)
{
    const auto cpu = core::makeCpuEngine();
    int bad = 0;
    std::uint64_t done = 0;
    for (const core::DType dtype : allDTypes)
        for (std::uint64_t number = 0; number < cases; ++number, ++done) {
            Watch watch;
            std::string told;
            const auto engine = gpu::makeGpuEngine([&] { return std::make_unique<WatchedDevice>(open(), watch); }, "the GPU",
                                                   [&told](const std::string& text) { told = text; });
            std::string difference = compareEngines(makeGpuCase(dtype, number), *cpu, *engine);
            if (difference.empty())
                difference = !watch.damage.empty() ? watch.damage : told;
            if (difference.empty())
                continue;
            ++bad;
            std::printf("FAIL %s\n", difference.c_str());
            if (!told.empty())
                return bad;
        }
    std::printf("%llu cases, %d differ from the CPU engine\n", static_cast<unsigned long long>(done), bad);
    return bad;
}

int checkLoops(const Options& options)
{
    const gpu::OpenDevice open = [] { return std::make_unique<HostDevice>(Turns::mixed); };
    int bad = checkCases(open, options.cases);
    if (options.withSpeed && bad == 0)
        bad = checkSpeed(*gpu::makeGpuEngine(open, "loops", {}), open, SpeedSize::small, options.json);
    return bad > 0 ? 1 : 0;
}

int check(const Options& options)
{
    if (options.onLoops)
        return checkLoops(options);
    std::string told;
    const auto found = gpu::findEngine(options.device, [&told](const std::string& text) {
        told = text;
        std::printf("FAIL %s\n", text.c_str());
    });
    if (!found.engine) {
        std::printf("skipped: %s\n", found.reason.c_str());
        return exitSkipped;
    }
    std::printf("%s\n", found.devices.c_str());
    const gpu::OpenDevice open = [&options] { return gpu::openCudaDevice(options.device); };
    int bad = checkCases(open, options.cases);
    if (options.withLarge)
        bad += checkLarge(*found.engine);
    if (options.withSpeed && bad == 0)
        bad += checkSpeed(*found.engine, open, SpeedSize::bench, options.json);
    return bad > 0 || !told.empty() ? 1 : 0;
}

} // namespace

int main(int count, char** arguments)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const auto options = read(count, arguments);
    if (!options) {
        std::fputs(usage, stderr);
        return 2;
    }
    try {
        return check(*options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
