// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/gpu_engine.h"

#include "tests/gpu/case_table.h"
#include "tests/gpu/host_device.h"
#include "tests/gpu/late_device.h"
#include "tests/gpu/thread_blocks.h"
#include "tests/gpu/watched_device.h"

#include <QTest>

using namespace core;
using namespace support;

namespace {

/// The GPU engine on a device of loops, watched.
std::unique_ptr<Engine> makeEngine(Watch& watch, gpu::Tell tell = {}, Turns turns = Turns::ascending)
{
    return gpu::makeGpuEngine(
        [&watch, turns] { return std::make_unique<WatchedDevice>(std::make_unique<HostDevice>(turns), watch); }, "loops",
        std::move(tell));
}

} // namespace

/// The whole engine, its kernels as loops on the CPU, against the CPU engine.
class TestGpuEngine : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void caseTable_data()
    {
        QTest::addColumn<int>("dtype");
        for (const DType dtype : allDTypes)
            QTest::newRow(std::string(dtypeName(dtype)).c_str()) << static_cast<int>(dtype);
    }
    void caseTable()
    {
        QFETCH(int, dtype);
        const auto cpu = makeCpuEngine(2);
        for (std::uint64_t number = 0; number < gpuCases; ++number) {
            Watch watch;
            const auto gpu = makeEngine(watch, {}, allTurns[number % std::size(allTurns)]);
            const GpuCase c = makeGpuCase(static_cast<DType>(dtype), number);
            const std::string difference = compareEngines(c, *cpu, *gpu);
            QVERIFY2(difference.empty(), difference.c_str());
            QVERIFY2(watch.damage.empty(), watch.damage.c_str());
            QCOMPARE(watch.open, std::int64_t{0});
            QCOMPARE(watch.calls > 0, c.tensor.elements() > 0 && !isComplex(c.tensor.dtype()));
        }
    }

    /// A queue that does all as late as it may.
    void late_data() { caseTable_data(); }
    void late()
    {
        QFETCH(int, dtype);
        const auto cpu = makeCpuEngine(2);
        for (std::uint64_t number = 7; number < gpuCases; number += 8) {
            const auto gpu = gpu::makeGpuEngine([] { return std::make_unique<LateDevice>(std::make_unique<HostDevice>()); },
                                                "late loops", {});
            const std::string difference = compareEngines(makeGpuCase(static_cast<DType>(dtype), number), *cpu, *gpu);
            QVERIFY2(difference.empty(), difference.c_str());
        }
    }

    /// Threads that are not in step: cases of few elements.
    void threads_data() { caseTable_data(); }
    void threads()
    {
        QFETCH(int, dtype);
        const auto cpu = makeCpuEngine(1);
        int done = 0;
        for (std::uint64_t number = static_cast<std::uint64_t>(dtype); number < gpuCases && done < 6; number += 7) {
            const GpuCase c = makeGpuCase(static_cast<DType>(dtype), number);
            if (c.tensor.elements() > 40000)
                continue;
            std::string told;
            const auto gpu =
                gpu::makeGpuEngine([&] { return std::make_unique<ThreadDevice>(allTurns[number % std::size(allTurns)]); },
                                   "threads", [&told](const std::string& text) { told = text; });
            const std::string difference = compareEngines(c, *cpu, *gpu);
            QVERIFY2(difference.empty(), difference.c_str());
            QVERIFY2(told.empty(), told.c_str());
            ++done;
        }
        QVERIFY(done > 3);
    }

    /// What is asked together comes from one pass where planes are not small; the numbers are those of the CPU engine.
    void onePass_data()
    {
        QTest::addColumn<Shape>("shape");
        QTest::addColumn<int>("batch");
        QTest::addColumn<int>("sums");
        QTest::addColumn<bool>("counts");
        QTest::addColumn<int>("passes");
        const Shape wide{3, 5, 256, 320};
        QTest::newRow("slider") << wide << 0 << 1 << true << 1;
        QTest::newRow("slider, last batch item") << wide << 2 << 1 << true << 1;
        QTest::newRow("all batch items") << wide << -1 << 1 << true << 1;
        QTest::newRow("a second sum") << wide << 1 << 2 << true << 2;
        QTest::newRow("no maps") << wide << 1 << -1 << true << 1;
        QTest::newRow("maps without sums") << wide << 1 << 0 << true << 1;
        QTest::newRow("more channels than a block counts") << Shape{3, 70, 20, 17} << 1 << 1 << true << 1;
        QTest::newRow("small planes: counts, map, rows") << Shape{3, 5, 7, 7} << 1 << 1 << true << 3;
        QTest::newRow("without counts: map, rows") << wide << 1 << 1 << false << 2;
        QTest::newRow("more pixels than come back at once") << Shape{2, 2, 1030, 1024} << -1 << 1 << true << 4;
    }
    void onePass()
    {
        QFETCH(Shape, shape);
        QFETCH(int, batch);
        QFETCH(int, sums);
        QFETCH(bool, counts);
        QFETCH(int, passes);
        Random random(7);
        const Tensor tensor = randomTensor(DType::f32, shape, support::Strides::contiguous, random, false);
        const auto selection = Selection::all(Layout::parse("NCHW", 4));
        Query query;
        query.where = Where::parse("> 0.5");
        query.counts = counts;
        query.rows = RowWindow{100, 60};
        std::vector<Reduction> reductions{Reduction::count, Reduction::max};
        if (sums > 0)
            reductions.push_back(Reduction::mean);
        if (sums > 1)
            reductions.push_back(Reduction::l2);
        for (const Reduction reduction : reductions)
            if (sums >= 0)
                query.heatMaps.push_back({reduction, false, batch < 0 ? std::nullopt : std::optional<std::int64_t>(batch)});
        const Result expected = makeCpuEngine(2)->load(tensor, selection)->run(query);
        Watch watch;
        const auto loaded = makeEngine(watch, {}, Turns::mixed)->load(tensor, selection);
        watch.passes = 0;
        const std::string difference = compareResults(query, expected, loaded->run(query));
        QVERIFY2(difference.empty(), difference.c_str());
        QCOMPARE(watch.passes, std::int64_t{passes});
    }
};

QTEST_GUILESS_MAIN(TestGpuEngine)
#include "test_gpu_engine.moc"
