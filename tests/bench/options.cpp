// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/options.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace bench {
namespace {

constexpr const char* usageText =
    R"(Usage: actiscope_bench [--only TEXT] [--json FILE] [--threads N] [--rounds N] [--shape B,C,H,W]
                       [--target NAME,...|all] [--python NAME]

Measures the engine's passes against LibTorch's, by turns in one process with the same threads, and prints medians.
  reads   ours in units of R, one pure read of the same bytes (four streams a thread) in the same rounds
  ratio   the fastest of LibTorch's ways / ours
  equal   whether the results are the same: counts, maps and coordinates exactly, sums within 1e-12 of the sum of magnitudes
Rounds whose read was slower than 1.3 times the fastest are repeated. OpenMP threads wait passively, so that only one pool of
threads is awake at a time. Ours sums in float64, LibTorch in float32. --target holds our kernels, and the read, to a lesser
vector target of this machine, such as avx2; of several, each gets rows of its own.
Rows of coords_memory are bytes per hot element, not ms; those of rows are the 95th percentile.
Rows that end in a word (bool_sum, plain, unique) compare with one slower way that is worth naming. At the end Python's
one-liners are timed where NAME (python3; "" for none) has numpy, and those of PyTorch and numba where it has them.
)";

int number(std::string_view text)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1)
        throw std::runtime_error(fmt::format("{} is not a positive number", text));
    return value;
}

Extent parseShape(std::string_view text)
{
    std::int64_t extents[4] = {};
    std::size_t next = 0;
    while (next < 4) {
        const std::size_t comma = text.find(',');
        extents[next++] = number(text.substr(0, comma));
        if (comma == std::string_view::npos)
            break;
        text.remove_prefix(comma + 1);
    }
    if (next != 4)
        throw std::runtime_error("--shape takes four extents: B,C,H,W");
    return {extents[0], extents[1], extents[2], extents[3]};
}

/// The vector targets that this machine can run, best first.
std::vector<std::int64_t> usableTargets()
{
    std::vector<std::int64_t> targets;
    // Highway numbers better targets lower.
    for (auto left = static_cast<std::uint64_t>(hwy::SupportedTargets() & HWY_TARGETS); left; left &= left - 1)
        targets.push_back(static_cast<std::int64_t>(left & -left));
    return targets;
}

std::int64_t targetNamed(std::string_view name)
{
    const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
    std::string known;
    for (const std::int64_t target : usableTargets()) {
        const std::string_view usable = hwy::TargetName(target);
        if (std::equal(name.begin(), name.end(), usable.begin(), usable.end(), same))
            return target;
        known += fmt::format(" {}", usable);
    }
    throw std::runtime_error(fmt::format("no such vector target on this machine: {}; there are{}", name, known));
}

std::vector<std::int64_t> parseTargets(std::string_view text)
{
    if (text == "all")
        return usableTargets();
    std::vector<std::int64_t> targets;
    for (;;) {
        const std::size_t comma = text.find(',');
        targets.push_back(targetNamed(text.substr(0, comma)));
        if (comma == std::string_view::npos)
            return targets;
        text.remove_prefix(comma + 1);
    }
}

} // namespace

const char* usage()
{
    return usageText;
}

void chooseTarget(std::int64_t target)
{
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
}

Options parseOptions(int argc, char** argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--help") {
            options.help = true;
            continue;
        }
        if (++i == argc)
            throw std::runtime_error(fmt::format("{} needs a value", name));
        const std::string_view value = argv[i];
        if (name == "--json")
            options.json = value;
        else if (name == "--only")
            options.only = value;
        else if (name == "--threads")
            options.threads = number(value);
        else if (name == "--rounds")
            options.rounds = number(value);
        else if (name == "--shape")
            options.extent = parseShape(value);
        else if (name == "--python")
            options.python = value;
        else if (name == "--target")
            options.targets = parseTargets(value);
        else
            throw std::runtime_error(fmt::format("no such option: {}", name));
    }
    return options;
}

} // namespace bench
