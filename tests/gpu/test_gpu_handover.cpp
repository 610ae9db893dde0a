// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "gpu/gpu_engine.h"

#include "tests/gpu/case_table.h"
#include "tests/gpu/host_device.h"
#include "tests/gpu/watched_device.h"

#include <QTest>

#include <thread>

using namespace core;
using namespace support;

namespace {

struct Bench
{
    Watch watch;
    std::vector<std::string> told;
    std::unique_ptr<Engine> cpu = makeCpuEngine(1);
    std::unique_ptr<Engine> gpu =
        gpu::makeGpuEngine([this] { return std::make_unique<WatchedDevice>(std::make_unique<HostDevice>(), watch); }, "loops",
                           [this](const std::string& text) { told.push_back(text); });
};

GpuCase smallCase()
{
    // Channels-last, per channel rules, maps, masks, rows.
    GpuCase c = makeGpuCase(DType::f32, 10);
    c.queries[0].where = Where::parse("percentile 60");
    c.queries[0].where.perChannel = true;
    return c;
}

/// A tensor with many hot elements: their rows come in several lists.
Tensor ones(std::int64_t elements)
{
    return Tensor::fromValues(DType::u8, {4, elements / 4}, std::vector<std::uint8_t>(static_cast<std::size_t>(elements), 1));
}

std::vector<std::int64_t> rowsOf(const LoadedTensor& tensor)
{
    std::vector<std::int64_t> rows;
    tensor.coordinates(Where::parse("> 0"), true, [&](const RowBlock& block) {
        rows.insert(rows.end(), block.indices.begin(), block.indices.end());
        return block.values.size() == static_cast<std::size_t>(block.rows);
    });
    return rows;
}

} // namespace

/// A device that fails, at any call, changes no answer: the CPU engine takes over and one sentence says so.
class TestGpuHandover : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anyCall_data()
    {
        QTest::addColumn<bool>("isMemory");
        QTest::newRow("memory") << true;
        QTest::newRow("lost") << false;
    }
    void anyCall()
    {
        QFETCH(bool, isMemory);
        const GpuCase c = smallCase();
        std::int64_t failAt = 1;
        for (;; ++failAt) {
            Bench bench;
            bench.watch.failAt = failAt;
            bench.watch.failsForMemory = isMemory;
            const std::string difference = compareEngines(c, *bench.cpu, *bench.gpu);
            QVERIFY2(difference.empty(), difference.c_str());
            QVERIFY2(bench.watch.damage.empty() || !isMemory, bench.watch.damage.c_str());
            if (bench.watch.calls < failAt)
                break;
            // Memory that others kept for later is given up first: the second attempt succeeds.
            QVERIFY(bench.told.size() == 1 || (isMemory && bench.told.empty()));
            if (!bench.told.empty())
                QVERIFY2(bench.told.front().find("loops") != std::string::npos &&
                             bench.told.front().find("the CPU answers") != std::string::npos,
                         bench.told.front().c_str());
        }
        // The scenario is long enough to mean something.
        QVERIFY(failAt > 100);
    }

    void rowsGoOnWhereTheyWere()
    {
        constexpr std::int64_t elements = 1 << 20;
        const auto selection = Selection::all(Layout::parse("HW", 2));
        const Tensor tensor = ones(elements);
        const auto expected = rowsOf(*makeCpuEngine(1)->load(tensor, selection));
        QCOMPARE(std::ssize(expected), 2 * elements);
        for (std::int64_t more = 1; more < 30; ++more) {
            Bench bench;
            const auto loaded = bench.gpu->load(tensor, selection);
            QCOMPARE(loaded->engine(), std::string("cuda"));
            bench.watch.failAt = bench.watch.calls + more;
            QVERIFY(rowsOf(*loaded) == expected);
            if (bench.told.empty()) {
                // Fewer calls than that.
                QVERIFY(more > 15);
                return;
            }
            QCOMPARE(loaded->engine(), std::string("cpu"));
        }
    }

    void lostDeviceIsLeftAlone()
    {
        Bench bench;
        bench.watch.failAt = 1;
        const auto selection = Selection::all(Layout::parse("HW", 2));
        QCOMPARE(bench.gpu->load(ones(64), selection)->engine(), std::string("cpu"));
        const std::int64_t calls = bench.watch.calls;
        QCOMPARE(bench.gpu->load(ones(64), selection)->engine(), std::string("cpu"));
        QCOMPARE(bench.watch.calls, calls);
        QCOMPARE(bench.told.size(), std::size_t{1});
    }

    void lackOfMemoryIsOfOneTensor()
    {
        Bench bench;
        bench.watch.failsForMemory = true;
        const auto selection = Selection::all(Layout::parse("HW", 2));
        bench.watch.failAt = 1;
        auto loaded = bench.gpu->load(ones(64), selection);
        // The memory for the values was asked for twice: once more after all that could be given back was.
        QCOMPARE(loaded->engine(), std::string("cuda"));
        const GpuCase c = smallCase();
        QVERIFY(compareEngines(c, *bench.cpu, *bench.gpu).empty());
    }

    void stopAndProgress()
    {
        Bench bench;
        const auto selection = Selection::all(Layout::parse("HW", 2));
        const Tensor tensor = ones(64 << 20);
        std::vector<double> parts;
        const auto loaded = bench.gpu->load(tensor, selection, {{}, [&](double done) { parts.push_back(done); }});
        QVERIFY(parts.size() > 4 && std::is_sorted(parts.begin(), parts.end()) && parts.back() == 1);
        std::stop_source stop;
        bool isCancelled = false;
        try {
            (void)bench.gpu->load(tensor, selection, {stop.get_token(), [&](double) { stop.request_stop(); }});
        } catch (const Cancelled&) {
            isCancelled = true;
        }
        QVERIFY(isCancelled);
        QVERIFY(bench.told.empty());
        isCancelled = false;
        try {
            (void)loaded->run({}, {stop.get_token(), {}});
        } catch (const Cancelled&) {
            isCancelled = true;
        }
        QVERIFY(isCancelled);
    }

    void severalThreads()
    {
        Bench bench;
        const GpuCase c = makeGpuCase(DType::f32, 21);
        const auto cpu = bench.cpu->load(c.tensor, c.selection);
        const auto gpu = bench.gpu->load(c.tensor, c.selection);
        std::vector<Result> expected;
        for (const Query& query : c.queries)
            expected.push_back(cpu->run(query));
        std::atomic<int> bad = 0;
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 4; ++t)
                threads.emplace_back([&, t] {
                    for (std::size_t i = 0; i < 6; ++i) {
                        const std::size_t k = (i + static_cast<std::size_t>(t)) % c.queries.size();
                        bad += !compareResults(c.queries[k], expected[k], gpu->run(c.queries[k])).empty();
                    }
                });
        }
        QCOMPARE(bad.load(), 0);
    }
};

QTEST_GUILESS_MAIN(TestGpuHandover)
#include "test_gpu_handover.moc"
