// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/capture_rows.h"
#include "tests/bench/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

/// Starts the program again with passive OpenMP threads: they would spin after a LibTorch call and take our cores.
void waitPassively(char** argv)
{
    if (std::getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
}

/// Keeps freed memory in the heap: neither side pays for fresh pages when it allocates again.
void keepFreedMemory()
{
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_TOP_PAD, 64 << 20);
}

/// numpy, PyTorch's Python and numba, for the record.
void runOneLiners(const Options& options)
{
    if (options.python.empty())
        return;
    const Extent& extent = options.extent;
    const std::string threads = std::to_string(options.threads);
    const std::string rounds = std::to_string(options.rounds);
    const std::string shape = fmt::format("{},{},{},{}", extent.batches, extent.channels, extent.height, extent.width);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execlp(options.python.c_str(), options.python.c_str(), ONE_LINERS, threads.c_str(), rounds.c_str(), shape.c_str(),
               options.only.c_str(), nullptr);
        fmt::print("no Python one-liners: {} does not start\n", options.python);
        std::fflush(stdout);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, nullptr, 0);
}

int run(const Options& options)
{
    if (options.help) {
        fmt::print("{}", usage());
        return 0;
    }
    if (options.targets.size() == 1)
        chooseTarget(options.targets.front());
    std::string reason;
    const auto peers = makePeers(options.threads, reason);
    const Extent& extent = options.extent;
    fmt::print("float32 [{}, {}, {}, {}], {} threads, vectors {}\n", extent.batches, extent.channels, extent.height,
               extent.width, options.threads, core::vectorTarget());
    if (peers)
        fmt::print("{}; OpenMP waits passively\n", peers->description());
    else
        fmt::print("no LibTorch: not compared, because {}\n", reason);
    printHeader();
    Suite suite(options, peers.get());
    addFloatRows(suite);
    addTypeRows(suite);
    addOperationRows(suite);
    addLabelCountRows(suite);
    addIndexRows(suite);
    std::vector<Row> rows = suite.takeRows();
    const auto isWanted = [&](const std::string& name) { return suite.wants(name); };
    std::ranges::move(captureRows(options.threads, options.rounds, isWanted), std::back_inserter(rows));
    runOneLiners(options);
    if (!options.json.empty())
        writeJson(rows, options.json);
    return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.equal.value_or(true); }) ? 0 : 1;
}

} // namespace
} // namespace bench

int main(int argc, char** argv)
{
    bench::waitPassively(argv);
    bench::keepFreedMemory();
    try {
        return bench::run(bench::parseOptions(argc, argv));
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 2;
    }
}
