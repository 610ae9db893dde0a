// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/gpu_engine.h"

#include "tests/gpu/case_table.h"
#include "tests/gpu/host_device.h"
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
};

QTEST_GUILESS_MAIN(TestGpuEngine)
#include "test_gpu_engine.moc"
