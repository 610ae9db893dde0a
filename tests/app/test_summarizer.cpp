// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/write.h"
#include "tests/app/window_bench.h"
#include "tests/support/fake_engine.h"
#include "tests/support/program.h"
#include "ui/contents_model.h"
#include "ui/number_text.h"

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QDir>

#include <array>
#include <atomic>
#include <thread>

namespace {

void untilStopped(const core::Job& job)
{
    while (!job.stop.stop_requested())
        std::this_thread::yield();
    job.check();
}

/// The real window on real files.
struct Bench : support::WindowBench
{
    using support::WindowBench::WindowBench;

    ui::ContentsModel* model() const { return window.findChild<ui::ContentsModel*>(); }
    const ui::EntrySummary* summary(const char* entry, int document = 1) const
    {
        const int node = model()->tree().find(document, QString::fromUtf8(entry));
        return node < 0 ? nullptr : model()->tree().summary(node);
    }
    void open(const QString& file)
    {
        frame.reset();
        Q_EMIT window.openRequested({file});
        QTRY_VERIFY(frame && isSettled());
        QTRY_VERIFY(controller.isSummarized());
    }
};

core::Tensor floats(const core::Shape& shape, std::vector<float> values)
{
    return core::Tensor::fromValues(core::DType::f32, shape, values);
}

void writeSample(const QString& file)
{
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    core::io::writeNpz(file.toStdString(), {{"first", floats({1, 2, 1, 2}, {1, 2, 3, 4})},
                                            {"dead", floats({2, 3, 1, 1}, {0, 1, 0, 0, 0, 0})},
                                            {"nan", floats({3}, {nan, -1, 1})}});
}

} // namespace

/// Summaries in Contents: computed behind the shown tensor's back, stopped with their document.
class TestSummarizer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void everyTensorIsSummarized()
    {
        Bench bench(core::makeCpuEngine());
        writeSample(bench.path("t.npz"));
        bench.open(bench.path("t.npz"));
        QVERIFY(bench.summary("first") && bench.summary("dead") && bench.summary("nan"));
        QCOMPARE(std::get<double>(*bench.summary("first")->statistics.max), 4.0);
        // Channel 0 is 0 in both batch items, channel 1 in one, channel 2 in both.
        QCOMPARE(bench.summary("dead")->deadChannels, std::int64_t{2});
        QCOMPARE(bench.summary("dead")->channels, std::int64_t{3});
        QCOMPARE(bench.summary("nan")->statistics.nan, std::int64_t{1});
    }

    /// Every fixture: sparse, quantized, images, parameters of models, damaged.
    void agreesWithAnalyzeAll_data()
    {
        QTest::addColumn<QString>("folder");
        for (const char* folder : {"cli", "files", "torch"})
            QTest::newRow(folder) << QStringLiteral(TEST_DATA "/") + QLatin1String(folder);
    }
    void agreesWithAnalyzeAll()
    {
        QFETCH(QString, folder);
        const auto outcome = support::runProgram({"analyze", folder, "--all", "--json", "--where", "finite"}, {});
        const auto rows = nlohmann::json::parse(outcome.out.toStdString())["tensors"];
        QVERIFY(rows.size() > 15);
        Bench bench(core::makeCpuEngine());
        Q_EMIT bench.window.openRequested({folder});
        QTRY_VERIFY(bench.model()->rowCount() == 1 && bench.controller.isIdle() && bench.controller.isSummarized());
        for (const auto& row : rows) {
            const auto name = row["name"].get<std::string>();
            const auto* summary = bench.summary(name.c_str());
            QVERIFY2(summary, name.c_str());
            if (!row["error"].is_null()) {
                QVERIFY2(summary->state == ui::SummaryState::failed, name.c_str());
                QVERIFY(!summary->problem.isEmpty());
                continue;
            }
            QVERIFY2(summary->state == ui::SummaryState::known, name.c_str());
            const auto& s = summary->statistics;
            QCOMPARE(s.elements, row["elements"].get<std::int64_t>());
            QCOMPARE(s.nan, row["nan"].get<std::int64_t>());
            QCOMPARE(s.positiveInf + s.negativeInf, row["posinf"].get<std::int64_t>() + row["neginf"].get<std::int64_t>());
            QCOMPARE(summary->deadChannels, row["dead_channels"].get<std::int64_t>());
            QCOMPARE(s.min.has_value() && s.ordered, !row["min"].is_null());
            if (s.min && s.ordered) {
                QCOMPARE(ui::toDouble(*s.min), row["min"].get<double>());
                QCOMPARE(ui::toDouble(*s.max), row["max"].get<double>());
            }
        }
    }

    void reloadingSummarizesAgain()
    {
        Bench bench(core::makeCpuEngine());
        const auto file = bench.path("t.npz");
        writeSample(file);
        bench.open(file);
        core::io::writeNpz(file.toStdString(), {{"first", floats({1}, {1})}, {"nan", floats({3}, {7, 7, 7})}});
        bench.trigger("Reload");
        QTRY_VERIFY(bench.model()->tree().tensors() == 2 && bench.controller.isIdle() && bench.controller.isSummarized());
        QCOMPARE(bench.summary("nan")->statistics.nan, std::int64_t{0});
        QCOMPARE(std::get<double>(*bench.summary("nan")->statistics.max), 7.0);
    }

    /// A summary that runs when its document is closed stops at once, and the program goes on.
    void closingStopsTheSummary()
    {
        support::FakeControl control;
        std::atomic<int> blocked = 0;
        control.at = [&](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) != "load")
                return;
            ++blocked;
            untilStopped(job);
        };
        Bench bench(core::makeCpuEngine(), std::make_unique<support::FakeEngine>(control));
        writeSample(bench.path("t.npz"));
        Q_EMIT bench.window.openRequested({bench.path("t.npz")});
        QTRY_VERIFY(blocked == 1 && bench.frame && bench.isSettled());
        QVERIFY(!bench.controller.isSummarized());
        QCOMPARE(bench.entry(), std::string("first"));
        bench.trigger("Close");
        QTRY_VERIFY(bench.controller.isSummarized());
        QCOMPARE(blocked.load(), 1);
        QCOMPARE(bench.model()->rowCount(), 0);
    }

    /// The shown tensor is answered while a summary runs, and is not summarized a second time.
    void theShownTensorDoesNotWait()
    {
        support::FakeControl control;
        std::atomic<bool> open = false;
        control.at = [&](const char*, const core::Query*, const core::Job& job) {
            while (!open && !job.stop.stop_requested())
                std::this_thread::yield();
            job.check();
        };
        Bench bench(core::makeCpuEngine(), std::make_unique<support::FakeEngine>(control));
        writeSample(bench.path("t.npz"));
        Q_EMIT bench.window.openRequested({bench.path("t.npz")});
        QTRY_VERIFY(control.loads == 1);
        for (const char* name : {"dead", "nan"}) {
            Q_EMIT bench.window.entryChosen(1, QString::fromUtf8(name));
            QTRY_VERIFY(bench.entry() == name && bench.isSettled());
            QVERIFY(bench.summary(name));
        }
        open = true;
        QTRY_VERIFY(bench.controller.isSummarized());
        QCOMPARE(control.loads.load(), 1);
    }

    /// Showing the tensor that is being summarized stops that summary: the next one starts.
    void showingATensorStopsItsSummary()
    {
        support::FakeControl control;
        std::atomic<int> blocked = 0;
        control.at = [&](const char*, const core::Query*, const core::Job& job) {
            ++blocked;
            untilStopped(job);
        };
        Bench bench(core::makeCpuEngine(), std::make_unique<support::FakeEngine>(control));
        writeSample(bench.path("t.npz"));
        Q_EMIT bench.window.openRequested({bench.path("t.npz")});
        QTRY_VERIFY(blocked == 1 && bench.entry() == "first" && bench.isSettled());
        // The smallest is the first to be summarized.
        Q_EMIT bench.window.entryChosen(1, QStringLiteral("nan"));
        QTRY_VERIFY(bench.entry() == "nan" && bench.isSettled());
        QTRY_COMPARE(blocked.load(), 2);
        QVERIFY(bench.summary("nan"));
        Q_EMIT bench.window.entryChosen(1, QStringLiteral("dead"));
        QTRY_VERIFY(bench.summary("dead") && bench.controller.isSummarized());
        QCOMPARE(blocked.load(), 2);
    }

    /// The window goes while summaries load, run, wait and are on their way.
    void quitsAtAnyMoment()
    {
        QTemporaryDir folder;
        const auto file = folder.filePath(QStringLiteral("t.npz"));
        writeSample(file);
        for (int i = 0; i < 60; ++i) {
            const bool blocks = i % 3 == 0;
            std::atomic<int> loads = 0;
            support::FakeControl control;
            control.at = [&](const char*, const core::Query*, const core::Job& job) {
                ++loads;
                if (blocks)
                    untilStopped(job);
            };
            Bench bench(core::makeCpuEngine(), std::make_unique<support::FakeEngine>(control));
            bench.controller.open({file});
            if (i % 2 == 0)
                QTRY_VERIFY(loads > 0);
        }
    }
};

int main(int argc, char** argv)
{
    const support::OwnSettings settings;
    QApplication application(argc, argv);
    TestSummarizer test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_summarizer.moc"
