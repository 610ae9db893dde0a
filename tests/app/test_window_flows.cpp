// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "core/io/open.h"
#include "tests/app/window_bench.h"
#include "ui/picture_dialog.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>

#include <cstring>

namespace {

using support::WindowBench;

std::int64_t countAbove(const std::vector<float>& values, double t)
{
    return std::count_if(values.begin(), values.end(), [t](float v) { return v > static_cast<float>(t); });
}

/// Opens a file as Open does and waits until it is shown.
void open(WindowBench& bench, const QString& file)
{
    bench.frame.reset();
    Q_EMIT bench.window.openRequested({file});
    QTRY_VERIFY(bench.frame && bench.isSettled());
}

/// Answers the file dialog that an action of the menu opens.
void exportAs(WindowBench& bench, const char* action, const QString& file)
{
    bench.trigger(action);
    auto* dialog = bench.window.findChild<QFileDialog*>();
    QVERIFY(dialog);
    Q_EMIT dialog->fileSelected(file);
    delete dialog;
}

core::Tensor readArray(const QString& file)
{
    const auto document = core::io::open(file.toStdString());
    return std::get<core::Tensor>(document.entries.at(0).load({})).toContiguous();
}

} // namespace

/// The real window, engine and readers, end to end.
class TestWindowFlows : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void dragFollowsNaiveCounts()
    {
        WindowBench bench(core::makeCpuEngine());
        const auto values = support::normalNumbers(2 * 8 * 20 * 30, 5);
        support::writeFloats(bench.path("acts.npy"), {2, 8, 20, 30}, values);
        open(bench, bench.path("acts.npy"));
        QCOMPARE(bench.frame->elements, std::int64_t{9600});
        QTRY_VERIFY(bench.controller.worker().isIndexed());
        for (double t = -2; t < 2.5; t += 0.25) {
            bench.window.dragThreshold(t);
            QTRY_VERIFY(bench.isSettled());
            const double compared = bench.frame->thresholds.at(0).a.value();
            QCOMPARE(bench.frame->count, countAbove(values, compared));
            for (std::size_t plane = 0; plane < 16; ++plane) {
                const std::vector<float> part(values.begin() + plane * 600, values.begin() + (plane + 1) * 600);
                QCOMPARE((*bench.frame->counts)[plane], countAbove(part, compared));
            }
        }
        bench.window.endDrag();
    }

    void viewsPlanesAndLayoutFollow()
    {
        WindowBench bench(core::makeCpuEngine());
        const auto values = support::normalNumbers(2 * 3 * 4 * 5, 6);
        support::writeFloats(bench.path("acts.npy"), {2, 3, 4, 5}, values);
        open(bench, bench.path("acts.npy"));
        QTest::keyClick(&bench.window, Qt::Key_2);
        QTRY_VERIFY(bench.isSettled() && bench.frame->request.view == core::ViewKind::channel);
        QTest::keyClick(&bench.window, Qt::Key_Right);
        QTRY_VERIFY(bench.isSettled() && bench.frame->request.channel == 1);
        float first = 0;
        std::memcpy(&first, bench.frame->map->data(), sizeof first);
        QCOMPARE(first, values[20]);
        QTest::keyClick(&bench.window, Qt::Key_3);
        QTRY_VERIFY(bench.isSettled() && bench.frame->wall && bench.frame->wall->channels.size() == 3);
        QTest::keyClick(&bench.window, Qt::Key_4);
        QTRY_VERIFY(bench.isSettled() && bench.frame->mask && bench.frame->mask->size() == 20);
        Q_EMIT bench.window.selectionChanged(core::Selection::all(core::Layout::parse("CNHW", 4)));
        QTRY_VERIFY(bench.isSettled() && bench.controller.worker().current()->tensor->extents().batches == 3);
        Q_EMIT bench.window.selectionChanged(core::Selection::all(core::Layout::parse("NHWC", 4)));
        QTRY_VERIFY(bench.isSettled() && bench.frame->picture->width == 4 && bench.frame->picture->height == 3);
    }

    void everyKindIsExportedAndReadBack()
    {
        WindowBench bench(core::makeCpuEngine());
        const auto values = support::normalNumbers(2 * 3 * 4 * 5, 7);
        support::writeFloats(bench.path("acts.npy"), {2, 3, 4, 5}, values);
        open(bench, bench.path("acts.npy"));
        QTRY_VERIFY(bench.controller.worker().isIndexed());
        bench.window.dragThreshold(0.25);
        bench.window.endDrag();
        QTRY_VERIFY(bench.isSettled());
        const double t = bench.frame->thresholds.at(0).a.value();
        exportAs(bench, "Export Table", bench.path("t.csv"));
        exportAs(bench, "Export Table", bench.path("t.json"));
        exportAs(bench, "Export Map", bench.path("map.npy"));
        exportAs(bench, "Export Mask", bench.path("mask.npy"));
        exportAs(bench, "Export Coordinates", bench.path("c.npy"));
        exportAs(bench, "Export Plot", bench.path("plot.svg"));
        exportAs(bench, "Export Plot", bench.path("plot.pdf"));
        exportAs(bench, "Export Picture", bench.path("p.png"));
        auto* options = bench.window.findChild<ui::PictureDialog*>();
        QVERIFY(options);
        options->accept();
        QTRY_VERIFY(bench.controller.isIdle());
        const auto coordinates = readArray(bench.path("c.npy"));
        QCOMPARE(coordinates.shape(), (core::Shape{countAbove(values, t), 4}));
        const auto mask = readArray(bench.path("mask.npy"));
        for (std::size_t i = 0; i < 20; ++i)
            QCOMPARE(mask.data()[i] != std::byte{0}, values[i] > static_cast<float>(t));
        QCOMPARE(readArray(bench.path("map.npy")).shape(), (core::Shape{1, 4, 5}));
        const auto begins = [&](const char* name, const char* text) {
            QFile file(bench.path(name));
            return file.open(QIODevice::ReadOnly) && file.read(200).contains(text);
        };
        QVERIFY(begins("t.csv", "batch,channel"));
        QVERIFY(begins("t.json", "\"tensor\""));
        QVERIFY(begins("plot.svg", "<svg"));
        QVERIFY(begins("plot.pdf", "%PDF"));
        QVERIFY(QImage(bench.path("p.png")).width() > 100);
    }

    void brokenFilesAreNamedForWhatTheyAre()
    {
        WindowBench bench(core::makeCpuEngine());
        support::writeFloats(bench.path("acts.npy"), {1, 1, 2, 2}, {1, 2, 3, 4});
        open(bench, bench.path("acts.npy"));
        const std::pair<const char*, QByteArray> files[] = {
            {"empty.pt", {}},
            {"page.npy", "<!DOCTYPE html><html></html>"},
            {"pointer.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"}};
        for (const auto& [name, bytes] : files) {
            QFile file(bench.path(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(bytes);
            file.close();
            Q_EMIT bench.window.openRequested({bench.path(name)});
            QTRY_VERIFY2(bench.message().contains(QString::fromUtf8(name)), qPrintable(bench.message()));
        }
        QCOMPARE(bench.entry(), std::string("acts"));
        QCOMPARE(bench.frame->count, std::int64_t{4});
    }

    void filesAreDropped()
    {
        WindowBench bench(core::makeCpuEngine());
        support::writeFloats(bench.path("acts.npy"), {1, 1, 2, 2}, {1, 2, 3, 4});
        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(bench.path("acts.npy"))});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&bench.window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&bench.window, &drop);
        QTRY_COMPARE(bench.entry(), std::string("acts"));
    }

    void recentFilesOpenByKey()
    {
        {
            WindowBench bench(core::makeCpuEngine());
            open(bench, QStringLiteral(TEST_DATA "/../../resources/samples/checkpoint.pt"));
        }
        WindowBench bench(core::makeCpuEngine());
        QVERIFY(QTest::qWaitForWindowActive(&bench.window));
        QTest::keyClick(&bench.window, Qt::Key_1, Qt::ControlModifier);
        QTRY_VERIFY(!bench.entry().empty());
    }

    void smallestTensorsAreShown()
    {
        for (const core::Shape& shape : {core::Shape{1, 1}, core::Shape{}, core::Shape{7}, core::Shape{0, 3}}) {
            WindowBench bench(core::makeCpuEngine());
            const auto count = core::elementCount(shape);
            support::writeFloats(bench.path("small.npy"), shape, std::vector<float>(static_cast<std::size_t>(count), 2));
            open(bench, bench.path("small.npy"));
            QCOMPARE(bench.frame->elements, count);
            QCOMPARE(bench.frame->count, count);
            for (const auto key : {Qt::Key_2, Qt::Key_3, Qt::Key_4, Qt::Key_1}) {
                QTest::keyClick(&bench.window, key);
                QTRY_VERIFY(bench.isSettled());
            }
            QVERIFY2(bench.message().isEmpty(), qPrintable(bench.message()));
        }
    }

    void folderOpensAsOneDocument()
    {
        WindowBench bench(core::makeCpuEngine());
        support::writeFloats(bench.path("a.npy"), {1, 1, 2, 2}, {1, 2, 3, 4});
        support::writeFloats(bench.path("b.npy"), {1, 1, 2, 2}, {1, 2, 3, 4});
        open(bench, bench.folder.path());
        QVERIFY(bench.controller.worker().current()->choice.file->entries.size() >= 2);
    }

    void sampleOpensWithItsPhotograph()
    {
        WindowBench bench(core::makeCpuEngine());
        bench.trigger("Open Sample");
        QTRY_VERIFY(bench.frame && bench.isSettled());
        QVERIFY2(bench.message().isEmpty(), qPrintable(bench.message()));
        QVERIFY(bench.frame->picture->width > 1);
    }

    void overlayImageThatIsNoneIsRefused()
    {
        WindowBench bench(core::makeCpuEngine());
        Q_EMIT bench.window.overlayImageRequested(bench.path("none.png"));
        QTRY_VERIFY(bench.message().contains(QStringLiteral("none.png")));
    }

    /// Every tensor of every fixture in every view: shown, or refused with a message; never a crash or a stall.
    void everyFixtureIsShownOrRefused()
    {
        WindowBench bench(core::makeCpuEngine());
        int shown = 0;
        for (const char* folder : {"/files", "/torch"}) {
            const QDir files(QStringLiteral(TEST_DATA) + QString::fromUtf8(folder));
            for (const auto& name : files.entryList(QDir::Files)) {
                QSignalSpy failed(&bench.controller, &app::Controller::failed);
                bench.frame.reset();
                Q_EMIT bench.window.openRequested({files.filePath(name)});
                QTRY_VERIFY2(bench.controller.isIdle() && (failed.count() > 0 || bench.isSettled()), qPrintable(name));
                for (const auto key : {Qt::Key_2, Qt::Key_3, Qt::Key_4, Qt::Key_1}) {
                    QTest::keyClick(&bench.window, key);
                    QTRY_VERIFY2(bench.controller.isIdle(), qPrintable(name));
                }
                shown += bench.frame != nullptr;
                bench.trigger("Close");
            }
        }
        QVERIFY(shown > 20);
    }

    /// What the window exports is what the command line writes.
    void windowAndCommandLineAgree()
    {
        WindowBench bench(core::makeCpuEngine());
        const auto values = support::normalNumbers(2 * 3 * 4 * 5, 8);
        support::writeFloats(bench.path("acts.npy"), {2, 3, 4, 5}, values);
        open(bench, bench.path("acts.npy"));
        QTRY_VERIFY(bench.controller.worker().isIndexed());
        bench.window.dragThreshold(0.5);
        bench.window.endDrag();
        QTRY_VERIFY(bench.isSettled());
        const auto threshold = QByteArray::number(bench.frame->thresholds.at(0).a.value(), 'g', 17).toStdString();
        exportAs(bench, "Export Map", bench.path("window.npy"));
        QTRY_VERIFY(bench.controller.isIdle());
        const auto in = bench.path("acts.npy").toStdString();
        const auto out = bench.path("command.npy").toStdString();
        std::vector<std::string> words{"actiscope", "render", in, "--threshold", threshold, "--batch", "0", "-o", out};
        std::vector<char*> arguments;
        for (auto& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        app::cli::WindowOptions unused;
        QCOMPARE(app::cli::runCommandLine(static_cast<int>(words.size()), arguments.data(), unused), std::optional(0));
        QFile one(bench.path("window.npy"));
        QFile two(bench.path("command.npy"));
        QVERIFY(one.open(QIODevice::ReadOnly) && two.open(QIODevice::ReadOnly));
        QCOMPARE(one.readAll(), two.readAll());
    }
};

int main(int argc, char** argv)
{
    const support::OwnSettings settings;
    QApplication application(argc, argv);
    TestWindowFlows test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_window_flows.moc"
