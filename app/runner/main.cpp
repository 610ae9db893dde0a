// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/failure.h"
#include "app/runner/libtorch.h"
#include "app/runner/options.h"
#include "app/runner/sandbox.h"
#include "app/runner/server.h"
#include "app/runner/visible_gpu.h"
#include "app/runner/vision_ops.h"
#include "core/error.h"

#include <cstdio>
#include <cstdlib>
#include <malloc.h>

namespace {

constexpr int protocolVersion = 1;

/// What a start made of this process, as `hello` tells it.
struct Start
{
    runner::Cuda cuda;
    runner::Sandbox sandbox;
};

/// Keeps what a layer frees for the next one: pages that the system makes anew cost as much time as some layers take to fill
/// them.
void keepFreedMemory()
{
    constexpr int mappedFrom = 32 << 20; // the largest that glibc takes
    constexpr int kept = 256 << 20;
    ::mallopt(M_MMAP_THRESHOLD, mappedFrom);
    ::mallopt(M_TRIM_THRESHOLD, kept);
}

/// The order matters: what needs files comes before the sandbox closes, and no model is read before.
Start prepare(const runner::Options& options)
{
    Start start;
    keepFreedMemory();
    runner::setThreads(options.threads);
    // Before CUDA looks.
    if (options.gpu)
        ::setenv("CUDA_VISIBLE_DEVICES", runner::visibleGpu(*options.gpu, std::getenv("CUDA_VISIBLE_DEVICES")).c_str(), 1);
    for (const std::string& file : options.operatorLibraries)
        runner::loadOperators(file, options.device == "cuda");
    runner::registerVisionOps();
    if (options.device == "cuda")
        start.cuda = runner::startCuda(options.gpu);
    runner::warmUp(start.cuda.isThere());
    // CUDA reserves address space for all its memory.
    runner::limit(start.cuda.isThere() ? 0 : options.memory);
    if (!options.trust)
        start.sandbox = runner::closeSandbox(start.cuda.isThere());
    return start;
}

nlohmann::json hello(const Start& start)
{
    return {{"type", "hello"},
            {"protocol", protocolVersion},
            {"libtorch", runner::libtorchVersion()},
            {"sandbox", {{"landlock", start.sandbox.landlock}, {"seccomp", start.sandbox.seccomp}}},
            {"cuda", start.cuda.isThere() ? nlohmann::json(start.cuda.name) : nlohmann::json()}};
}

int serve(const runner::Options& options)
{
    runner::isolate(options.channel);
    // What a model printed before it crashed or was ended is told too.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    runner::Channel channel{runner::Descriptor(options.channel)};
    Start start;
    try {
        start = prepare(options);
    } catch (const std::exception& error) {
        channel.send(runner::failedMessage(0, "start", "", runner::explain(error)));
        return 1;
    }
    runner::Server(channel, start.cuda.reason).serve(hello(start));
    return 0;
}

} // namespace

int main(int count, char** arguments)
{
    try {
        const runner::Options options = runner::parseOptions(count, arguments);
        if (options.version) {
            std::printf("actiscope-runner %s, LibTorch %s\n", ACTISCOPE_VERSION, runner::libtorchVersion().c_str());
            return 0;
        }
        return serve(options);
    } catch (const core::UsageError& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
