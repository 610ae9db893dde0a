// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/window_bench.h"
#include "tests/support/fake_engine.h"

#include <QApplication>
#include <QClipboard>
#include <QPushButton>

#include <array>
#include <atomic>
#include <thread>

namespace {

/// The real window and controller on a fake engine.
struct Bench : support::FakeControl, support::WindowBench
{
    Bench() : support::WindowBench(std::make_unique<support::FakeEngine>(*this)) {}

    QString write(const char* name, unsigned seed, const core::Shape& shape = {2, 3, 4, 5})
    {
        support::writeFloats(path(name), shape,
                             support::normalNumbers(static_cast<std::size_t>(core::elementCount(shape)), seed));
        return path(name);
    }
    QPushButton* button(const char* text) const
    {
        for (auto* found : window.findChildren<QPushButton*>())
            if (found->text() == QString::fromUtf8(text))
                return found;
        return nullptr;
    }
    void open(const QStringList& files)
    {
        frame.reset();
        Q_EMIT window.openRequested(files);
        QTRY_VERIFY(frame && isSettled());
    }
};

void untilStopped(const core::Job& job)
{
    while (!job.stop.stop_requested())
        std::this_thread::yield();
    job.check();
}

} // namespace

class TestController : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void firstTensorOfTheFirstFileIsShown()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1), bench.write("two.npy", 2)});
        QTRY_VERIFY(bench.isSettled());
        QCOMPARE(bench.entry(), std::string("one"));
        QCOMPARE(bench.loads.load(), 1);
        QCOMPARE(QSettings().value(QStringLiteral("recentFiles")).toStringList(),
                 (QStringList{bench.path("two.npy"), bench.path("one.npy")}));
        Q_EMIT bench.window.entryChosen(2, QStringLiteral("two"));
        QTRY_COMPARE(bench.entry(), std::string("two"));
    }

    void everyChangeIsAnswered()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1)});
        QTRY_VERIFY(bench.controller.worker().isIndexed());
        const auto values = support::normalNumbers(120, 1);
        for (const double t : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
            bench.window.dragThreshold(t);
            QTRY_VERIFY(bench.isSettled());
            const double compared = bench.frame->request.where.condition.a.real;
            QCOMPARE(bench.frame->count, std::count_if(values.begin(), values.end(), [&](float v) { return v > compared; }));
        }
        bench.window.endDrag();
        QTRY_VERIFY(bench.isSettled());
        QVERIFY(!bench.frame->request.dragging);
    }

    void brokenFileLeavesWhatIsOpen()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1)});
        const auto before = bench.frame;
        QFile broken(bench.path("broken.npy"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("\x93NUMPY\x01\x00\xff\xff{", 11);
        broken.close();
        Q_EMIT bench.window.openRequested({bench.path("broken.npy"), bench.path("absent.npy")});
        QTRY_VERIFY(bench.message().contains(QStringLiteral("absent.npy")));
        QVERIFY(bench.isSettled());
        QCOMPARE(bench.entry(), std::string("one"));
        QCOMPARE(bench.frame, before);
        QCOMPARE(bench.window.findChild<ui::MessageBar*>()->count(), 2);
        QVERIFY(!QSettings().value(QStringLiteral("recentFiles")).toStringList().contains(bench.path("broken.npy")));
    }

    void engineErrorsGoToTheMessageBar()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1), bench.write("two.npy", 2)});
        bench.at = [](const char* what, const core::Query*, const core::Job&) {
            if (std::string_view(what) == "load")
                throw core::Error("two.npy: does not fit into memory");
        };
        Q_EMIT bench.window.entryChosen(2, QStringLiteral("two"));
        QTRY_VERIFY(bench.message().contains(QStringLiteral("does not fit")));
        QTRY_VERIFY(bench.isSettled());
        QCOMPARE(bench.entry(), std::string("one"));
        bench.at = {};
        bench.window.dragThreshold(0.75);
        QTRY_VERIFY(bench.isSettled());
        QCOMPARE(bench.frame->request.where.condition.a.real, 0.75);
    }

    void layoutIsTakenAgainAndRemembered()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1), bench.write("two.npy", 2)});
        auto selection = core::Selection::all(core::Layout::parse("CNHW", 4));
        Q_EMIT bench.window.selectionChanged(selection);
        QTRY_VERIFY(bench.isSettled() && bench.loads == 2);
        QCOMPARE(bench.controller.worker().current()->tensor->extents().batches, std::int64_t{3});
        QCOMPARE(bench.frame->counts->size(), std::size_t{6});
        Q_EMIT bench.window.entryChosen(2, QStringLiteral("two"));
        QTRY_COMPARE(bench.entry(), std::string("two"));
        QCOMPARE(bench.controller.worker().current()->tensor->extents().batches, std::int64_t{2});
        Q_EMIT bench.window.entryChosen(1, QStringLiteral("one"));
        QTRY_COMPARE(bench.entry(), std::string("one"));
        QCOMPARE(bench.controller.worker().current()->choice.selection, selection);
    }

    void reloadKeepsThresholdAndLayout()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1)});
        QTRY_VERIFY(bench.controller.worker().isIndexed());
        auto selection = core::Selection::all(core::Layout::parse("CNHW", 4));
        Q_EMIT bench.window.selectionChanged(selection);
        QTRY_VERIFY(bench.isSettled() && bench.loads == 2);
        bench.window.dragThreshold(0.5);
        bench.window.endDrag();
        QTRY_VERIFY(bench.isSettled());
        const auto before = bench.frame->count;
        bench.write("one.npy", 9);
        bench.trigger("Reload");
        QTRY_VERIFY(bench.loads == 3 && bench.isSettled());
        QCOMPARE(bench.frame->request.where.condition.a.real, 0.5);
        QCOMPARE(bench.controller.worker().current()->choice.selection, selection);
        const auto values = support::normalNumbers(120, 9);
        QCOMPARE(bench.frame->count, std::count_if(values.begin(), values.end(), [](float v) { return v > 0.5F; }));
        QVERIFY(bench.frame->count != before);
    }

    /// The entry is gone after the reload: a message, and the old tensor stays.
    void reloadWithoutTheEntryKeepsTheTensor()
    {
        Bench bench;
        const auto file = bench.path("two.npz");
        const auto tensor = core::Tensor::fromValues(core::DType::f32, {1, 1, 2, 2}, std::vector<float>{1, 2, 3, 4});
        core::io::writeNpz(file.toStdString(), {{"a", tensor}, {"b", tensor}});
        bench.open({file});
        QCOMPARE(bench.entry(), std::string("a"));
        core::io::writeNpz(file.toStdString(), {{"b", tensor}});
        bench.trigger("Reload");
        QTRY_VERIFY(bench.message().contains(QStringLiteral("\"a\"")));
        QCOMPARE(bench.entry(), std::string("a"));
    }

    void changeOnDiskOffersReload()
    {
        Bench bench;
        const auto file = bench.write("one.npy", 1, {1, 3, 4, 5});
        bench.open({file});
        bench.write("one.npy", 2, {2, 3, 4, 5});
        // What the timer and the activation of the window do.
        constexpr int longerThanTheTimer = 10000;
        QTRY_VERIFY_WITH_TIMEOUT(bench.message().contains(QStringLiteral("changed on disk")), longerThanTheTimer);
        Q_EMIT bench.window.messageAction(QStringLiteral("reload:1"));
        QTRY_VERIFY(bench.isSettled() && bench.frame->elements == 120);
    }

    void cancelStopsReadingATensor()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1), bench.write("two.npy", 2)});
        bench.at = [](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) == "load")
                untilStopped(job);
        };
        Q_EMIT bench.window.entryChosen(2, QStringLiteral("two"));
        QTRY_COMPARE(bench.loads.load(), 2);
        Q_EMIT bench.window.cancelRequested();
        QTRY_VERIFY(bench.isSettled());
        QCOMPARE(bench.entry(), std::string("one"));
        QVERIFY(bench.message().isEmpty());
    }

    /// Work without a measure shows itself, with Cancel; nobody has seen the tensor, so the one before comes back.
    void cancelBeforeTheFirstPictureBringsTheOneBeforeBack()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1), bench.write("two.npy", 2)});
        std::atomic<bool> blocks = true;
        bench.at = [&](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) == "run" && blocks)
                untilStopped(job);
        };
        Q_EMIT bench.window.entryChosen(2, QStringLiteral("two"));
        auto* cancel = bench.button("Cancel");
        QVERIFY(cancel && !cancel->isVisible());
        QTRY_VERIFY(cancel->isVisible());
        QCOMPARE(bench.entry(), std::string("two"));
        blocks = false;
        cancel->click();
        QTRY_COMPARE(bench.entry(), std::string("one"));
        QTRY_VERIFY(bench.isSettled() && !cancel->isVisible());
        QVERIFY(bench.message().isEmpty());
    }

    void cancelOfTheVeryFirstPictureShowsNothing()
    {
        Bench bench;
        bench.at = [](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) == "run")
                untilStopped(job);
        };
        Q_EMIT bench.window.openRequested({bench.write("one.npy", 1)});
        QTRY_VERIFY(bench.button("Cancel")->isVisible());
        bench.button("Cancel")->click();
        QTRY_VERIFY(bench.controller.isIdle() && bench.entry().empty());
        QVERIFY(!bench.button("Cancel")->isVisible());
    }

    /// A later answer that was stopped: what is seen says what it is of.
    void cancelOfAnAnswerSaysWhatIsShown()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1)});
        QTRY_VERIFY(bench.controller.worker().isIndexed());
        const auto before = bench.frame;
        bench.at = [](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) == "run")
                untilStopped(job);
        };
        bench.window.dragThreshold(0.75);
        bench.window.endDrag();
        QTRY_VERIFY(bench.button("Cancel")->isVisible());
        bench.button("Cancel")->click();
        QTRY_VERIFY(bench.message().contains(QString::fromStdString(before->request.where.text)));
        QCOMPARE(bench.frame, before);
        bench.at = {};
        bench.window.dragThreshold(0.5);
        bench.window.endDrag();
        QTRY_VERIFY(bench.isSettled() && bench.message().isEmpty());
    }

    /// Reading says that it lasts although it knows no measure.
    void readingWithoutMeasureIsTold()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1), bench.write("two.npy", 2)});
        bench.at = [](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) == "load")
                untilStopped(job);
        };
        Q_EMIT bench.window.entryChosen(2, QStringLiteral("two"));
        QTRY_VERIFY(bench.button("Cancel")->isVisible());
        bench.button("Cancel")->click();
        QTRY_VERIFY(bench.isSettled() && !bench.button("Cancel")->isVisible());
        QCOMPARE(bench.entry(), std::string("one"));
    }

    void closingShowsNothing()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1), bench.write("two.npy", 2)});
        bench.trigger("Close");
        QTRY_VERIFY(bench.controller.isIdle());
        QCOMPARE(bench.entry(), std::string());
        QCOMPARE(bench.window.windowTitle(), QStringLiteral("Actiscope"));
        Q_EMIT bench.window.entryChosen(2, QStringLiteral("two"));
        QTRY_COMPARE(bench.entry(), std::string("two"));
    }

    void fileWithoutTensorsSaysSo()
    {
        Bench bench;
        core::io::writeNpz(bench.path("none.npz").toStdString(), {});
        Q_EMIT bench.window.openRequested({bench.path("none.npz")});
        QTRY_VERIFY(bench.message().contains(QStringLiteral("none.npz")));
        QCOMPARE(bench.entry(), std::string());
    }

    void pictureIsCopied()
    {
        Bench bench;
        bench.open({bench.write("one.npy", 1)});
        bench.trigger("Copy Picture");
        QTRY_VERIFY(!QApplication::clipboard()->image().isNull());
    }

    /// The window goes while files open, tensors load, frames and the index are made.
    void quitsAtAnyMoment()
    {
        QTemporaryDir folder;
        const auto file = folder.filePath(QStringLiteral("one.npy"));
        support::writeFloats(file, {2, 3, 4, 5}, support::normalNumbers(120, 1));
        for (int i = 0; i < 25; ++i) {
            const auto blocks = std::array{"load", "run", "index", "histogram", ""}[static_cast<std::size_t>(i % 5)];
            std::atomic<bool> blocked = false;
            Bench bench;
            bench.at = [&](const char* what, const core::Query*, const core::Job& job) {
                if (std::string_view(what) != blocks)
                    return;
                blocked = true;
                untilStopped(job);
            };
            bench.controller.open({file});
            if (i % 2 == 0 && *blocks != '\0')
                QTRY_VERIFY(blocked);
        }
    }
};

int main(int argc, char** argv)
{
    const support::OwnSettings settings;
    QApplication application(argc, argv);
    TestController test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_controller.moc"
