// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "tests/bench/bench_run.h"
#include "tests/bench/capture_rows.h"
#include "tests/bench/passes.h"
#include "tests/bench/read_speed.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <malloc.h>
#include <unistd.h>

namespace bench {
namespace {

struct Options
{
    std::string json;
    /// Only names that contain this.
    std::string only;
    int threads = 2;
    int rounds = 5;
    Extent extent;
    /// Vector targets by turns; empty: the machine's best one.
    std::vector<std::int64_t> targets;
    bool help = false;
};

constexpr const char* usage = R"(Usage: actiscope_bench [--only TEXT] [--json FILE] [--threads N] [--rounds N] [--shape B,C,H,W]
                       [--target NAME,...|all]

Measures the engine's passes against LibTorch's, by turns in one process with the same threads, and prints medians.
  reads   ours in units of R, one pure read of the same bytes (four streams a thread) in the same rounds
  ratio   the fastest of LibTorch's ways / ours
  equal   whether the results are the same: counts, maps and coordinates exactly, sums within 1e-12 of the sum of magnitudes
Rounds whose read was slower than 1.3 times the fastest are repeated. OpenMP threads wait passively, so that only one pool of
threads is awake at a time. Ours sums in float64, LibTorch in float32. --target holds our kernels, and the read, to a lesser
vector target of this machine, such as avx2; of several, each gets rows of its own.
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

void chooseTarget(std::int64_t target)
{
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
}

Options parse(int argc, char** argv)
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
        else if (name == "--target")
            options.targets = parseTargets(value);
        else
            throw std::runtime_error(fmt::format("no such option: {}", name));
    }
    return options;
}

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

/// `> threshold` on floats.
core::Predicate<float> above(float threshold)
{
    return {std::nextafter(threshold, INFINITY), INFINITY};
}

std::string percent(double fraction)
{
    return fmt::format("{:g}%", fraction * 100);
}

/// All rows of the table.
class Bench
{
public:
    Bench(const Options& options, Peers* peers) : m_options(options), m_peers(peers), m_workers(options.threads) {}

    std::vector<Row> run()
    {
        const auto values = m_pool.take(static_cast<std::size_t>(m_options.extent.elements()) * sizeof(float));
        const auto floats = values.as<float>(static_cast<std::size_t>(m_options.extent.elements()));
        for (const DataKind kind : {DataKind::iid, DataKind::smooth, DataKind::sorted, DataKind::constant}) {
            fill(floats, m_options.extent, kind);
            eachTarget([&] { kindRows(floats, kind); });
        }
        return std::move(m_rows);
    }

private:
    /// `rows` for every vector target asked for, whose names then end in it.
    void eachTarget(const std::function<void()>& rows)
    {
        if (m_options.targets.size() < 2)
            return rows();
        for (const std::int64_t target : m_options.targets) {
            chooseTarget(target);
            m_ending = fmt::format("/{}", hwy::TargetName(target));
            rows();
        }
    }

    void kindRows(std::span<const float> floats, DataKind kind)
    {
        if (kind != DataKind::iid)
            return floatRows(floats, kind == DataKind::constant ? 0.75f : thresholdFor(floats, 0.1),
                             std::string(dataKindName(kind)));
        for (const double fraction : {0.00002, 0.008, 0.1, 0.5})
            floatRows(floats, thresholdFor(floats, fraction), percent(fraction));
        otherTypes(floats);
    }

    bool isWanted(const std::string& name) const { return name.find(m_options.only) != std::string::npos; }

    void add(const std::string& name, std::function<void()> ours, std::vector<Peer> peers, std::optional<bool> equal,
             std::span<const std::byte> bytes)
    {
        if (!isWanted(name))
            return;
        m_rows.push_back(
            measure({name + m_ending, std::move(ours), std::move(peers), [&] { readOnce(bytes, m_workers); }, equal},
                    m_options.rounds));
        print(m_rows.back());
    }

    void floatRows(std::span<const float> values, float threshold, const std::string& variant)
    {
        const std::string names[] = {"counts/" + variant, "fused/" + variant, "all_u32/" + variant, "coords_int64/" + variant,
                                     "coords_u32/" + variant};
        if (std::none_of(std::begin(names), std::end(names), [&](const std::string& name) { return isWanted(name); }))
            return;
        const auto bytes = std::as_bytes(values);
        const auto predicate = above(threshold);
        Passes<float> ours(values, m_options.extent, m_workers);
        ours.mark(predicate);
        ours.reserve(ours.hot());
        if (m_peers)
            m_peers->look(values.data(), core::DType::f32, m_options.extent, threshold);
        const auto equal = [&](auto compare) { return m_peers ? std::optional<bool>(compare()) : std::nullopt; };
        const auto peers = [&](auto make) { return m_peers ? make() : std::vector<Peer>(); };

        ours.count(predicate);
        add(
            names[0], [&] { ours.count(predicate); }, peers([&] { return m_peers->counts(); }),
            equal([&] { return m_peers->equalCounts(ours.counts().data()); }), bytes);
        ours.reduce(predicate);
        const auto sameMaps = [&] {
            return m_peers->equalCounts(ours.counts().data()) &&
                   m_peers->equalMaps(ours.countMap().data(), ours.sumMap().data(), ours.maxMap().data());
        };
        add(
            names[1], [&] { ours.reduce(predicate); }, {}, equal(sameMaps), bytes);
        ours.listOffsets();
        const auto sameOffsets = [&] { return ours.hot() == m_peers->hot() && m_peers->equalOffsets(ours.offsets().data()); };
        const auto all = [&] {
            ours.reduce(predicate);
            ours.listOffsets();
        };
        add(names[2], all, peers([&] { return m_peers->everything(); }), equal([&] { return sameMaps() && sameOffsets(); }),
            bytes);
        ours.listRows();
        const auto rows = [&] {
            ours.mark(predicate);
            ours.listRows();
        };
        add(names[3], rows, peers([&] { return m_peers->rows(); }),
            equal([&] { return ours.hot() == m_peers->hot() && m_peers->equalRows(ours.rows().data()); }), bytes);
        const auto offsets = [&] {
            ours.mark(predicate);
            ours.listOffsets();
        };
        add(names[4], offsets, peers([&] { return m_peers->offsets(); }), equal(sameOffsets), bytes);
    }

    void otherTypes(std::span<const float> values)
    {
        constexpr float threshold = 1.28f;
        if (isWanted("counts/float16")) {
            const auto loan = m_pool.take(values.size() * sizeof(core::Half));
            const auto halves = loan.as<core::Half>(values.size());
            std::transform(values.begin(), values.end(), halves.begin(), [](float value) { return core::toHalf(value); });
            countRow<core::Half>("counts/float16", halves, core::DType::f16, threshold,
                                 above(core::toFloat(core::toHalf(threshold))));
        }
        if (isWanted("counts/bool")) {
            const auto loan = m_pool.take(values.size());
            const auto bools = loan.as<std::uint8_t>(values.size());
            std::transform(values.begin(), values.end(), bools.begin(),
                           [](float value) { return static_cast<std::uint8_t>(value > threshold); });
            countRow<std::uint8_t>("counts/bool", bools, core::DType::boolean, 0, {1, 255});
        }
    }

    template <class Stored>
    void countRow(const std::string& name, std::span<const Stored> values, core::DType dtype, double threshold,
                  const core::Predicate<core::CompareOf<Stored>>& predicate)
    {
        Passes<Stored> ours(values, m_options.extent, m_workers);
        ours.count(predicate);
        std::vector<Peer> peers;
        std::optional<bool> equal;
        if (m_peers) {
            m_peers->look(values.data(), dtype, m_options.extent, threshold);
            peers = m_peers->counts();
            equal = m_peers->equalCounts(ours.counts().data());
        }
        add(
            name, [&] { ours.count(predicate); }, peers, equal, std::as_bytes(values));
    }

    const Options& m_options;
    Peers* m_peers;
    core::Workers m_workers;
    core::BufferPool m_pool;
    std::vector<Row> m_rows;
    std::string m_ending;
};

int run(const Options& options)
{
    if (options.help) {
        fmt::print("{}", usage);
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
    std::vector<Row> rows = Bench(options, peers.get()).run();
    const auto isWanted = [&](const std::string& name) { return name.find(options.only) != std::string::npos; };
    std::ranges::move(captureRows(options.threads, options.rounds, isWanted), std::back_inserter(rows));
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
        return bench::run(bench::parse(argc, argv));
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 2;
    }
}
