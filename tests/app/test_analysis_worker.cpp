// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analysis_worker.h"
#include "tests/support/fake_engine.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <numeric>

using app::AnalysisWorker;

namespace {

core::Request above(double t, bool dragging = false)
{
    core::Request request;
    request.where.condition.kind = core::ConditionKind::gt;
    request.where.condition.a.real = t;
    request.dragging = dragging;
    return request;
}

/// Blocks until the job is told to stop, then throws Cancelled.
void untilStopped(const core::Job& job)
{
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait(lock, job.stop, [] { return false; });
    job.check();
}

/// A gate that a job waits at, whatever its stop token says, until the test opens it.
class Gate
{
public:
    void pass()
    {
        std::unique_lock lock(m_mutex);
        ++m_waiting;
        m_wake.wait(lock, [this] { return m_open; });
    }
    void open()
    {
        const std::lock_guard lock(m_mutex);
        m_open = true;
        m_wake.notify_all();
    }
    bool isWaiting() const
    {
        const std::lock_guard lock(m_mutex);
        return m_waiting > 0;
    }

private:
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_open = false;
    int m_waiting = 0;
};

/// A document of float32 tensors [1, 2, 3, 4] called a, b, c.
std::shared_ptr<const core::Document> makeDocument()
{
    auto document = std::make_shared<core::Document>();
    document->file = "fake.npy";
    for (const char* name : {"a", "b", "c"}) {
        core::Entry entry;
        entry.name = name;
        entry.path = {name};
        entry.shape = {1, 2, 3, 4};
        entry.load = [](const core::Job&) -> core::Content {
            std::vector<float> values(24);
            std::iota(values.begin(), values.end(), 0.F);
            return core::Tensor::fromValues(core::DType::f32, {1, 2, 3, 4}, values);
        };
        document->entries.push_back(entry);
    }
    return document;
}

app::TensorChoice choose(const std::shared_ptr<const core::Document>& document, const char* name)
{
    return {1, document, document->find(name), core::Selection::all(core::Layout::guess(4))};
}

/// A worker on a fake engine, and what it said.
struct Bench
{
    support::FakeControl control;
    std::shared_ptr<const core::Document> document = makeDocument();
    AnalysisWorker worker{std::make_unique<support::FakeEngine>(control)};
    QSignalSpy taken{&worker, &AnalysisWorker::taken};
    QSignalSpy answered{&worker, &AnalysisWorker::answered};
    QSignalSpy failed{&worker, &AnalysisWorker::failed};
    QSignalSpy takeFailed{&worker, &AnalysisWorker::takeFailed};
    QSignalSpy takeCancelled{&worker, &AnalysisWorker::takeCancelled};

    void take(const char* name)
    {
        worker.take(choose(document, name));
        QTRY_COMPARE(taken.count(), 1);
        taken.clear();
    }
    std::shared_ptr<const core::Frame> frame(int i) const
    {
        return answered.at(i).at(0).value<std::shared_ptr<const core::Frame>>();
    }
    double thresholdOf(int i) const { return frame(i)->request.where.condition.a.real; }
};

} // namespace

class TestAnalysisWorker : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void answersWhatIsAsked()
    {
        Bench bench;
        bench.worker.ask(above(1));
        bench.take("b");
        QCOMPARE(bench.worker.current()->choice.entry->name, std::string("b"));
        QCOMPARE(bench.worker.current()->planes->size(), std::size_t{2});
        QCOMPARE(bench.worker.current()->total.elements, std::int64_t{24});
        bench.worker.ask(above(19.5));
        QTRY_COMPARE(bench.answered.count(), 1);
        QCOMPARE(bench.frame(0)->count, std::int64_t{4});
        QTRY_VERIFY(bench.worker.isIdle());
        QCOMPARE(bench.answered.count(), 1);
    }

    /// While one runs a thousand come: only the last of them is answered.
    void newestRequestWins()
    {
        Bench bench;
        bench.take("a");
        Gate gate;
        bench.control.at = [&](const char* what, const core::Query*, const core::Job&) {
            if (std::string_view(what) == "run")
                gate.pass();
        };
        bench.worker.ask(above(0, true));
        QTRY_VERIFY(gate.isWaiting());
        for (int i = 1; i <= 1000; ++i)
            bench.worker.ask(above(i * 0.02, true));
        gate.open();
        QTRY_VERIFY(bench.worker.isIdle());
        QCOMPARE(bench.control.runs.load(), 2);
        QCOMPARE(bench.answered.count(), 2);
        QCOMPARE(bench.thresholdOf(1), 20.0);
        QVERIFY(bench.frame(0)->request.number < bench.frame(1)->request.number);
    }

    /// A request that takes long is stopped for a newer one, which is then left in peace: frames keep coming.
    void slowRequestIsStoppedButNotTwice()
    {
        Bench bench;
        bench.take("a");
        Gate gate;
        std::atomic<int> run = 0;
        std::atomic<int> stopped = 0;
        bench.control.at = [&](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) != "run")
                return;
            if (++run == 1) {
                ++stopped;
                untilStopped(job);
            } else if (run == 2) {
                gate.pass();
                stopped += job.stop.stop_requested();
            }
        };
        bench.worker.ask(above(1, true));
        QTRY_COMPARE(run.load(), 1);
        bench.worker.ask(above(2, true));
        QTRY_COMPARE(run.load(), 2);
        QTRY_VERIFY(gate.isWaiting());
        QElapsedTimer clock;
        clock.start();
        bench.worker.ask(above(3, true));
        QTRY_VERIFY(clock.hasExpired(3 * AnalysisWorker::patience.count()));
        bench.worker.ask(above(4, true));
        gate.open();
        QTRY_VERIFY(bench.worker.isIdle());
        QCOMPARE(stopped.load(), 1);
        QCOMPARE(bench.answered.count(), 2);
        QCOMPARE(bench.thresholdOf(0), 2.0);
        QCOMPARE(bench.thresholdOf(1), 4.0);
    }

    /// The end of a drag does not wait for a frame of the drag.
    void endOfDragStopsWhatIsLeftInPeace()
    {
        Bench bench;
        bench.take("a");
        bench.control.at = [&](const char* what, const core::Query* query, const core::Job& job) {
            if (std::string_view(what) == "run" && query->where.condition.a.real < 3)
                untilStopped(job);
        };
        bench.worker.ask(above(1, true));
        QTRY_COMPARE(bench.control.runs.load(), 1);
        bench.worker.ask(above(2, true));
        QTRY_COMPARE(bench.control.runs.load(), 2);
        bench.worker.ask(above(3, false));
        QTRY_COMPARE(bench.answered.count(), 1);
        QCOMPARE(bench.thresholdOf(0), 3.0);
    }

    /// Nearly done is not stopped: a newer request that comes within the patience lets it finish.
    void quickRequestIsLeftToFinish()
    {
        Bench bench;
        bench.take("a");
        std::atomic<bool> wasStopped = false;
        bench.control.at = [&](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) == "run")
                wasStopped = wasStopped || job.stop.stop_requested();
        };
        for (int i = 0; i < 200; ++i)
            bench.worker.ask(above(i * 0.1, true));
        QTRY_VERIFY(bench.worker.isIdle());
        QVERIFY(!wasStopped);
        QVERIFY(bench.answered.count() >= 1);
        QCOMPARE(bench.thresholdOf(static_cast<int>(bench.answered.count()) - 1), 199 * 0.1);
    }

    void anotherTensorStopsEverything()
    {
        Bench bench;
        bench.take("a");
        bench.control.at = [&](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) == "run" || (std::string_view(what) == "load" && bench.control.loads == 2))
                untilStopped(job);
        };
        bench.worker.ask(above(1));
        QTRY_COMPARE(bench.control.runs.load(), 1);
        bench.worker.take(choose(bench.document, "b"));
        QTRY_COMPARE(bench.control.loads.load(), 2);
        bench.worker.take(choose(bench.document, "c"));
        QTRY_COMPARE(bench.taken.count(), 1);
        QCOMPARE(bench.worker.current()->choice.entry->name, std::string("c"));
        QCOMPARE(bench.answered.count(), 0);
        QCOMPARE(bench.takeCancelled.count(), 0);
    }

    /// What was asked of the tensor before is not answered with the new one.
    void staleRequestsAreDropped()
    {
        Bench bench;
        bench.take("a");
        Gate gate;
        bench.control.at = [&](const char* what, const core::Query*, const core::Job&) {
            if (std::string_view(what) == "load")
                gate.pass();
        };
        bench.worker.take(choose(bench.document, "b"));
        QTRY_VERIFY(gate.isWaiting());
        bench.worker.ask(above(1));
        gate.open();
        QTRY_COMPARE(bench.taken.count(), 1);
        QTRY_VERIFY(bench.worker.isIdle());
        QCOMPARE(bench.answered.count(), 0);
        QCOMPARE(bench.control.runs.load(), 0);
    }

    void errorsAreToldAndTheRestGoesOn()
    {
        Bench bench;
        bench.take("a");
        bench.control.at = [](const char* what, const core::Query* query, const core::Job&) {
            if (std::string_view(what) == "run" && query->where.condition.a.real == 5)
                throw core::Error("fake.npy: a: too hot; cool it");
        };
        bench.worker.ask(above(5));
        QTRY_COMPARE(bench.failed.count(), 1);
        QCOMPARE(bench.failed[0][0].toString(), QStringLiteral("fake.npy: a: too hot; cool it"));
        bench.worker.ask(above(6));
        QTRY_COMPARE(bench.answered.count(), 1);
    }

    /// A tensor that cannot be taken in leaves the one before, and requests about it are answered.
    void failedTensorLeavesTheOneBefore()
    {
        Bench bench;
        bench.take("a");
        bench.control.at = [](const char* what, const core::Query*, const core::Job&) {
            if (std::string_view(what) == "load")
                throw core::Error("fake.npy: b: damaged");
        };
        bench.worker.take(choose(bench.document, "b"));
        bench.worker.ask(above(1));
        QTRY_COMPARE(bench.takeFailed.count(), 1);
        QTRY_COMPARE(bench.answered.count(), 1);
        QCOMPARE(bench.worker.current()->choice.entry->name, std::string("a"));
    }

    void cancelStopsTaking()
    {
        Bench bench;
        bench.take("a");
        bench.control.at = [](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) == "load")
                untilStopped(job);
        };
        bench.worker.take(choose(bench.document, "b"));
        QTRY_COMPARE(bench.control.loads.load(), 2);
        bench.worker.cancel();
        QTRY_COMPARE(bench.takeCancelled.count(), 1);
        bench.worker.ask(above(1));
        QTRY_COMPARE(bench.answered.count(), 1);
        QCOMPARE(bench.taken.count(), 0);
    }

    void releasedTensorIsForgotten()
    {
        Bench bench;
        bench.take("a");
        bench.worker.ask(above(1));
        bench.worker.release();
        bench.worker.ask(above(2));
        QTRY_VERIFY(bench.worker.isIdle());
        QCOMPARE(bench.answered.count(), 0);
        QVERIFY(!bench.worker.current());
        bench.worker.take(choose(bench.document, "b"));
        bench.worker.release();
        QTRY_VERIFY(bench.worker.isIdle());
        QVERIFY(!bench.worker.current());
    }

    /// The index is built after the first picture; requests are answered meanwhile; another tensor stops it.
    void indexIsBuiltBehindThePicture()
    {
        Bench bench;
        QSignalSpy indexed(&bench.worker, &AnalysisWorker::indexed);
        std::atomic<int> stopped = 0;
        bench.control.at = [&](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) != "index" || bench.control.indexes > 1)
                return;
            struct Count
            {
                std::atomic<int>& count;
                ~Count() { ++count; }
            } count{stopped};
            untilStopped(job);
        };
        bench.take("a");
        QCOMPARE(bench.control.indexes.load(), 0);
        bench.worker.ask(above(1));
        QTRY_COMPARE(bench.control.indexes.load(), 1);
        bench.worker.ask(above(2));
        QTRY_COMPARE(bench.answered.count(), 2);
        QVERIFY(!bench.worker.isIndexed());
        bench.take("b");
        QCOMPARE(stopped.load(), 1);
        bench.worker.ask(above(1));
        QTRY_COMPARE(indexed.count(), 1);
        QVERIFY(bench.worker.isIndexed());
    }

    void otherLayoutReadsNothingAgain()
    {
        Bench bench;
        auto document = std::make_shared<core::Document>(*bench.document);
        std::atomic<int> reads = 0;
        auto& entry = document->entries[0];
        entry.load = [&reads, load = entry.load](const core::Job& job) {
            ++reads;
            return load(job);
        };
        bench.document = document;
        bench.take("a");
        auto choice = choose(document, "a");
        choice.selection = core::Selection::all(core::Layout::parse("CNHW", 4));
        bench.worker.take(choice);
        QTRY_COMPARE(bench.taken.count(), 1);
        QCOMPARE(bench.worker.current()->tensor->extents().batches, std::int64_t{2});
        QCOMPARE(reads.load(), 1);
    }

    void checksumsAreComparedLast()
    {
        Bench bench;
        auto document = std::make_shared<core::Document>(*bench.document);
        document->entries[0].verify = [](const core::Job&) {
            return std::optional<std::string>("fake.npy: a: checksum differs");
        };
        bench.document = document;
        QSignalSpy warned(&bench.worker, &AnalysisWorker::warned);
        bench.take("a");
        bench.worker.ask(above(1));
        QTRY_COMPARE(warned.count(), 1);
        QCOMPARE(warned[0][0].toString(), QStringLiteral("fake.npy: a: checksum differs"));
        QCOMPARE(bench.answered.count(), 1);
    }

    /// 300 workers end at moments of every kind; none may hang, crash or deliver afterwards.
    void quitsAtAnyMoment()
    {
        const auto document = makeDocument();
        for (int i = 0; i < 300; ++i) {
            support::FakeControl control;
            const auto blocks = std::array{"load", "run", "index", "histogram", ""}[static_cast<std::size_t>(i % 5)];
            control.at = [&](const char* what, const core::Query*, const core::Job& job) {
                if (std::string_view(what) == blocks)
                    untilStopped(job);
            };
            AnalysisWorker worker(std::make_unique<support::FakeEngine>(control));
            QSignalSpy taken(&worker, &AnalysisWorker::taken);
            QSignalSpy answered(&worker, &AnalysisWorker::answered);
            worker.take(choose(document, "a"));
            if (i % 3 == 0)
                continue;
            if (i % 5 == 0) {
                QTRY_COMPARE(control.loads.load(), 1);
                continue;
            }
            QTRY_COMPARE(taken.count(), 1);
            worker.ask(above(i % 24, i % 2 == 0));
            if (i % 7 == 0)
                QTRY_VERIFY(control.runs.load() > 0);
            if (i % 11 == 0)
                worker.take(choose(document, "b"));
        }
    }
};

QTEST_GUILESS_MAIN(TestAnalysisWorker)
#include "test_analysis_worker.moc"
