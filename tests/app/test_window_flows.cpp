// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "core/io/open.h"
#include "tests/app/window_bench.h"
#include "ui/canvas.h"
#include "ui/coordinates_view.h"
#include "ui/picture_dialog.h"
#include "ui/read_out.h"
#include "ui/status_line.h"
#include "ui/view_bar.h"

#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDockWidget>
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
        exportAs(bench, "Export Threshold Plot", bench.path("plot.svg"));
        exportAs(bench, "Export Threshold Plot", bench.path("plot.pdf"));
        exportAs(bench, "Export Threshold Plot", bench.path("plot.png"));
        exportAs(bench, "Export Channel Bars", bench.path("bars.svg"));
        exportAs(bench, "Export Channel Bars", bench.path("bars.pdf"));
        exportAs(bench, "Export Channel Bars", bench.path("bars.png"));
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
        QVERIFY(begins("bars.svg", "<svg"));
        QVERIFY(begins("bars.pdf", "%PDF"));
        // Different plots, on light ground.
        const QImage plot(bench.path("plot.png"));
        const QImage bars(bench.path("bars.png"));
        QVERIFY(plot.width() > 400 && bars.width() > 400 && plot.size() != bars.size());
        QVERIFY(plot.pixelColor(1, 1).lightness() > 230 && bars.pixelColor(1, 1).lightness() > 230);
        QVERIFY(QImage(bench.path("p.png")).width() > 100);
    }

    /// The value under the cursor in a wall, in every order, is the one in the file.
    void wallTellsTheValueUnderTheCursor()
    {
        WindowBench bench(core::makeCpuEngine());
        const auto values = support::normalNumbers(2 * 5 * 6 * 7, 9);
        support::writeFloats(bench.path("acts.npy"), {2, 5, 6, 7}, values);
        open(bench, bench.path("acts.npy"));
        QTest::keyClick(&bench.window, Qt::Key_Right, Qt::ShiftModifier);
        QTest::keyClick(&bench.window, Qt::Key_3);
        auto* order = bench.window.findChild<ui::ViewBar*>()->findChildren<QComboBox*>().at(2);
        QCOMPARE(order->accessibleName(), QStringLiteral("Wall order"));
        auto* canvas = bench.window.findChild<ui::Canvas*>();
        for (int choice = 0; choice < order->count(); ++choice) {
            order->setCurrentIndex(choice);
            Q_EMIT order->activated(choice);
            QTRY_VERIFY(bench.isSettled() && bench.frame->wall);
            QVERIFY(choice > 0 || std::is_sorted(bench.frame->wall->channels.begin(), bench.frame->wall->channels.end()));
            int told = 0;
            for (int y = 3; y < canvas->height(); y += 29)
                for (int x = 3; x < canvas->width(); x += 31) {
                    const auto pixel = canvas->pixelAt(QPointF(x, y));
                    if (!pixel)
                        continue;
                    const float value = values[static_cast<std::size_t>(((5 + *pixel->channel) * 6 + pixel->y) * 7 + pixel->x)];
                    QCOMPARE(pixel->value.toFloat(), value);
                    QCOMPARE(pixel->hot, std::optional(value > 0));
                    ++told;
                }
            QVERIFY(told > 100);
        }
        QTest::mouseMove(canvas, canvas->rect().center() + QPoint(-40, -30));
        const auto* line = bench.window.findChild<ui::StatusLine*>()->findChild<ui::ReadOut*>();
        QTRY_VERIFY2(line->text().startsWith(QStringLiteral("b1 c")) && line->text().contains(QStringLiteral(" = ")),
                     qPrintable(line->text()));
    }

    /// Planes too large for a wall are thinned: a cell holds the first pixel of each block, and says so.
    void thinnedWallSaysWhatItShows()
    {
        WindowBench bench(core::makeCpuEngine());
        const auto values = support::normalNumbers(3 * 2 * 40000, 10);
        support::writeFloats(bench.path("wide.npy"), {1, 3, 2, 40000}, values);
        open(bench, bench.path("wide.npy"));
        QTest::keyClick(&bench.window, Qt::Key_3);
        QTRY_VERIFY(bench.isSettled() && bench.frame->wall);
        const int step = bench.frame->wall->step;
        QVERIFY(step > 1);
        auto* canvas = bench.window.findChild<ui::Canvas*>();
        canvas->zoomTo(40);
        // The tiles are 40 pixels high; where they lie depends on where the mouse was.
        QPoint at(canvas->width() / 2, 0);
        while (!canvas->pixelAt(at) && at.y() < canvas->height())
            at.ry() += 10;
        const auto pixel = canvas->pixelAt(at);
        QVERIFY(pixel);
        QCOMPARE(pixel->step, step);
        QCOMPARE(pixel->x % step, 0);
        QCOMPARE(pixel->value.toFloat(), values[static_cast<std::size_t>((*pixel->channel * 2 + pixel->y) * 40000 + pixel->x)]);
        QTest::mouseMove(canvas, at);
        const auto* line = bench.window.findChild<ui::StatusLine*>()->findChild<ui::ReadOut*>();
        QTRY_VERIFY2(line->text().contains(QStringLiteral("first of %1").arg(step)), qPrintable(line->text()));
    }

    /// A row chosen in Coordinates comes into sight on a zoomed canvas, on its own plane.
    void chosenRowComesIntoSight()
    {
        WindowBench bench(core::makeCpuEngine());
        std::vector<float> values(2 * 3 * 50 * 60);
        values[static_cast<std::size_t>((1 * 3 + 2) * 50 * 60 + 48 * 60 + 57)] = 5;
        support::writeFloats(bench.path("acts.npy"), {2, 3, 50, 60}, values);
        open(bench, bench.path("acts.npy"));
        QTest::keyClick(&bench.window, Qt::Key_2);
        QTRY_VERIFY(bench.isSettled() && bench.frame->request.view == core::ViewKind::channel);
        bench.window.findChild<QDockWidget*>(QStringLiteral("coordinates"))->raise();
        auto* rows = bench.window.findChild<ui::CoordinatesView*>();
        QTRY_VERIFY(bench.isSettled() && rows->total() == 1 && !rows->cells(0).isEmpty());
        auto* canvas = bench.window.findChild<ui::Canvas*>();
        canvas->zoomTo(100);
        QVERIFY(canvas->pixelAt(QPointF(canvas->rect().center()))->x < 40);
        QTest::keyClick(rows, Qt::Key_Home);
        QTRY_VERIFY(bench.isSettled() && bench.frame->request.channel == 2 && bench.frame->request.batch == 1);
        const auto pixel = canvas->pixelAt(QPointF(canvas->rect().center()));
        QVERIFY(pixel);
        QCOMPARE(pixel->x, 57);
        QCOMPARE(pixel->y, 48);
        QCOMPARE(pixel->value, QStringLiteral("5"));
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
