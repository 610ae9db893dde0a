// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runner/options.h"
#include "app/runner/visible_gpu.h"
#include "core/error.h"

#include <QTest>

namespace {

runner::Options parse(std::vector<const char*> words)
{
    words.insert(words.begin(), "actiscope-runner");
    return runner::parseOptions(static_cast<int>(words.size()), words.data());
}

} // namespace

/// Which GPU a model is run on, as far as that can be told without one.
class TestRunnerOptions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void device()
    {
        QCOMPARE(parse({"--channel", "3"}).device, std::string("cpu"));
        QCOMPARE(parse({"--channel", "3", "--device", "cpu"}).device, std::string("cpu"));
        const runner::Options any = parse({"--channel", "3", "--device", "cuda"});
        QCOMPARE(any.device, std::string("cuda"));
        QVERIFY(!any.gpu);
        const runner::Options third = parse({"--channel", "3", "--device", "cuda:2"});
        QCOMPARE(third.device, std::string("cuda"));
        QCOMPARE(third.gpu.value_or(-1), 2);
        for (const char* wrong : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda1", "gpu", "cpu:0", "CUDA", ""})
            QVERIFY_THROWS_EXCEPTION(core::UsageError, parse({"--channel", "3", "--device", wrong}));
    }

    void visible()
    {
        using runner::visibleGpu;
        QCOMPARE(visibleGpu(0, nullptr), std::string("0"));
        QCOMPARE(visibleGpu(5, nullptr), std::string("5"));
        QCOMPARE(visibleGpu(0, "3,1"), std::string("3"));
        QCOMPARE(visibleGpu(1, "3,1"), std::string("1"));
        QCOMPARE(visibleGpu(1, "GPU-8932f937,MIG-12"), std::string("MIG-12"));
        for (const char* few : {"", "3", "3,1"})
            QVERIFY_THROWS_EXCEPTION(core::Error, (void)visibleGpu(2, few));
    }
};

QTEST_GUILESS_MAIN(TestRunnerOptions)
#include "test_runner_options.moc"
