// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/exporter.h"
#include "app/picture.h"
#include "app/window_export.h"
#include "core/io/open.h"
#include "core/render/render.h"
#include "tests/support/fake_engine.h"

#include <QDir>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

namespace {

constexpr double threshold = 0.5;

/// A tensor [2, 3, 4, 5] of numbers 0 to 1.19 in steps of 0.01, and a frame of it.
struct Bench
{
    support::FakeControl control;
    std::vector<float> values;
    app::ExportSource source;
    QTemporaryDir folder;
    app::Exporter exporter;
    QSignalSpy written{&exporter, &app::Exporter::written};
    QSignalSpy failed{&exporter, &app::Exporter::failed};

    explicit Bench(core::ViewKind view = core::ViewKind::heat)
    {
        for (int i = 0; i < 120; ++i)
            values.push_back(static_cast<float>(i) / 100);
        auto document = std::make_shared<core::Document>();
        document->file = "/data/acts.npy";
        document->entries.resize(1);
        document->entries[0].name = "acts";
        auto taken = std::make_shared<app::TakenTensor>();
        taken->choice = {1, document, document->entries.data(), core::Selection::all(core::Layout::guess(4))};
        taken->tensor = support::FakeEngine(control).load(core::Tensor::fromValues(core::DType::f32, {2, 3, 4, 5}, values),
                                                          taken->choice.selection, {});
        core::Request request;
        request.view = view;
        request.batch = 1;
        request.channel = 2;
        request.where.condition.kind = core::ConditionKind::gt;
        request.where.condition.a.real = threshold;
        request.where.text = "> 0.5";
        source.tensor = taken;
        source.frame = std::make_shared<const core::Frame>(core::makeFrame(*taken->tensor, "fake", request, nullptr));
    }

    QString path(const char* name) const { return folder.filePath(QString::fromUtf8(name)); }
    QByteArray read(const char* name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    core::Tensor array(const char* name, const char* member = nullptr) const
    {
        const auto document = core::io::open(path(name).toStdString());
        const auto* entry = member ? document.find(member) : document.entries.data();
        return std::get<core::Tensor>(entry->load({}));
    }
    bool isWritten() const { return exporter.isIdle() && written.count() == 1 && failed.count() == 0; }
};

template <class T>
std::vector<T> numbersOf(const core::Tensor& tensor)
{
    const auto whole = tensor.toContiguous();
    std::vector<T> numbers(static_cast<std::size_t>(whole.elements()));
    std::memcpy(numbers.data(), whole.data(), numbers.size() * sizeof(T));
    return numbers;
}

} // namespace

class TestExporter : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// Planes 0 to 5 hold 20 values each; 0.51 is the 52nd value: planes 3 to 5 are all hot, plane 2 from its 12th.
    void tableHasTheCounts()
    {
        Bench bench;
        bench.exporter.writeTable(bench.source, bench.path("t.csv"));
        QTRY_VERIFY(bench.isWritten());
        const auto lines = bench.read("t.csv").split('\n');
        QCOMPARE(lines.size(), 8);
        const auto columns = lines[0].split(',');
        const auto count = columns.indexOf("count");
        QVERIFY(count > 0);
        QList<int> counts;
        for (int row = 1; row <= 6; ++row)
            counts.append(lines[row].split(',').at(count).toInt());
        QCOMPARE(counts, (QList<int>{0, 0, 9, 20, 20, 20}));
    }

    void tableAsJson()
    {
        Bench bench;
        bench.exporter.writeTable(bench.source, bench.path("t.json"));
        QTRY_VERIFY(bench.isWritten());
        const auto json = nlohmann::json::parse(bench.read("t.json").toStdString());
        QCOMPARE(json["tensor"].get<std::string>(), std::string("acts"));
        QCOMPARE(json["where"].get<std::string>(), std::string("> 0.5"));
        QCOMPARE(json["channels"].size(), std::size_t{6});
        QCOMPARE(json["channels"][2]["count"].get<int>(), 9);
        QCOMPARE(json["channels"][4]["batch"].get<int>(), 1);
        QCOMPARE(json["channels"][4]["channel"].get<int>(), 1);
    }

    void heatMapIsThatOfTheBatchItem()
    {
        Bench bench;
        bench.exporter.writeMap(bench.source, bench.path("map.npy"));
        QTRY_VERIFY(bench.isWritten());
        const auto map = bench.array("map.npy");
        QCOMPARE(map.shape(), (core::Shape{1, 4, 5}));
        const auto sums = numbersOf<double>(map);
        for (std::size_t i = 0; i < 20; ++i)
            QCOMPARE(sums[i], double(bench.values[60 + i]) + bench.values[80 + i] + bench.values[100 + i]);
    }

    void planeIsWrittenAsStored()
    {
        Bench bench(core::ViewKind::channel);
        bench.exporter.writeMap(bench.source, bench.path("map.npy"));
        QTRY_VERIFY(bench.isWritten());
        const auto map = bench.array("map.npy");
        QCOMPARE(map.dtype(), core::DType::f32);
        QCOMPARE(map.shape(), (core::Shape{4, 5}));
        QCOMPARE(numbersOf<float>(map), (std::vector<float>(bench.values.end() - 20, bench.values.end())));
    }

    void maskIsBool()
    {
        Bench bench;
        bench.exporter.writeMask(bench.source, bench.path("mask.npy"));
        QTRY_VERIFY(bench.isWritten());
        const auto mask = bench.array("mask.npy");
        QCOMPARE(mask.dtype(), core::DType::boolean);
        QCOMPARE(numbersOf<std::uint8_t>(mask), (std::vector<std::uint8_t>(20, 1)));
    }

    void coordinatesInEveryForm()
    {
        for (const char* name : {"c.npy", "c.csv", "c.npz"}) {
            Bench bench;
            bench.exporter.writeCoordinates(bench.source, bench.path(name));
            QTRY_VERIFY2(bench.isWritten(), name);
            if (QByteArray(name).endsWith(".csv")) {
                const auto lines = bench.read(name).split('\n');
                QCOMPARE(lines.size(), 71);
                QCOMPARE(lines[0], QByteArray("i0,i1,i2,i3,value"));
                QVERIFY(lines[1].startsWith("0,2,2,1,0.5099999904632568"));
                continue;
            }
            const bool isNpz = QByteArray(name).endsWith(".npz");
            const auto rows = bench.array(name, isNpz ? "coords" : nullptr);
            QCOMPARE(rows.dtype(), core::DType::i64);
            QCOMPARE(rows.shape(), (core::Shape{69, 4}));
            const auto indices = numbersOf<std::int64_t>(rows);
            QCOMPARE((std::vector<std::int64_t>(indices.begin(), indices.begin() + 4)),
                     (std::vector<std::int64_t>{0, 2, 2, 1}));
            QCOMPARE((std::vector<std::int64_t>(indices.end() - 4, indices.end())), (std::vector<std::int64_t>{1, 2, 3, 4}));
            if (isNpz)
                QCOMPARE(numbersOf<float>(bench.array(name, "values")).front(), 0.51F);
        }
    }

    /// Pixels of the data stay; the bar is to the right, the legend below.
    void pictureCarriesBarAndLegend()
    {
        Bench bench;
        const app::PictureOptions options{3, true, true, {}};
        bench.exporter.writePicture([&] { return app::makePicture(bench.source, options, {}); }, bench.path("p.png"));
        QTRY_VERIFY(bench.isWritten());
        const QImage image(bench.path("p.png"));
        QVERIFY(image.width() > 15 + 40);
        QVERIFY(image.height() > 120 + 30);
        for (int y = 0; y < 12; ++y)
            for (int x = 0; x < 15; ++x) {
                const auto expected = bench.source.frame->picture->row(y / 3)[x / 3];
                QCOMPARE(image.pixelColor(x, y).rgba(), qRgba(expected & 255, expected >> 8 & 255, expected >> 16 & 255, 255));
            }
        const auto& table = core::colorTable(bench.source.frame->colors);
        // Below the bar's border: one of 119 steps from 255 down.
        const auto top = image.pixelColor(15 + 16, 9);
        QCOMPARE(top.red(), int(table[253] & 255));
        // A mask over an image: only its colour is explained.
        const core::Image screen(30, 200, core::rgba(9, 9, 9));
        const auto masked = app::makePicture(bench.source, {0, true, false, {false, true}}, screen);
        const auto hot = std::count(masked.pixels.begin(), masked.pixels.end(), core::hotColor);
        QVERIFY(hot > 100 && hot <= 16 * 16);
        QVERIFY(masked.width > 30 + 16 && masked.height == 200);
        QCOMPARE(app::makePicture(bench.source, {0, true, false, {false, false}}, screen).pixels, screen.pixels);
        const auto plain = app::makePicture(bench.source, {1, false, false, {}}, {});
        QCOMPARE(plain.pixels, bench.source.frame->picture->pixels);
    }

    void maskViewShowsTheHotPixels()
    {
        Bench bench(core::ViewKind::mask);
        const auto picture = app::dataPicture(*bench.source.frame, 1);
        QVERIFY(picture.pixels != bench.source.frame->picture->pixels);
        QCOMPARE(picture.width, 5);
    }

    void legendNamesWhatIsShown()
    {
        Bench bench;
        const auto lines = app::legendLines(bench.source).join(u'\n');
        for (const char* part :
             {"acts.npy", "[2, 3, 4, 5] NCHW", "batch item 1", "sum over channels of hot values", "> 0.5", "69 hot of 120"})
            QVERIFY2(lines.contains(QString::fromUtf8(part)), qPrintable(lines));
    }

    void failureNamesTheFileAndLeavesNothing()
    {
        Bench bench;
        QVERIFY(QDir(bench.folder.path()).mkdir(QStringLiteral("d.npy")));
        for (const char* name : {"missing/t.csv", "d.npy"}) {
            bench.failed.clear();
            bench.exporter.writeMask(bench.source, bench.path(name));
            QTRY_COMPARE(bench.failed.count(), 1);
            QVERIFY(bench.failed[0][0].toString().contains(bench.path(name)));
        }
        bench.control.at = [](const char*, const core::Query*, const core::Job&) { throw core::Error("the scan failed"); };
        bench.failed.clear();
        bench.exporter.writeTable(bench.source, bench.path("t.csv"));
        QTRY_COMPARE(bench.failed.count(), 1);
        QVERIFY(bench.failed[0][0].toString().contains(bench.path("t.csv")));
        QCOMPARE(QDir(bench.folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{QStringLiteral("d.npy")});
        QCOMPARE(bench.written.count(), 0);
    }

    /// Cancelled half-way: the old file stays, nothing else is left.
    void cancelKeepsTheOldFile()
    {
        Bench bench;
        QFile old(bench.path("c.npy"));
        QVERIFY(old.open(QIODevice::WriteOnly));
        old.write("old");
        old.close();
        std::atomic<bool> running = false;
        bench.control.at = [&](const char* what, const core::Query*, const core::Job& job) {
            if (std::string_view(what) != "coordinates")
                return;
            running = true;
            while (!job.stop.stop_requested())
                std::this_thread::yield();
            job.check();
        };
        bench.exporter.writeCoordinates(bench.source, bench.path("c.npy"));
        QTRY_VERIFY(running);
        bench.exporter.cancel();
        QTRY_VERIFY(bench.exporter.isIdle());
        QCOMPARE(bench.read("c.npy"), QByteArray("old"));
        QCOMPARE(QDir(bench.folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{QStringLiteral("c.npy")});
        QCOMPARE(bench.written.count() + bench.failed.count(), 0);
    }

    void quitsWhileWriting()
    {
        Bench bench;
        for (int i = 0; i < 50; ++i) {
            app::Exporter exporter;
            exporter.writeTable(bench.source, bench.path("t.csv"));
            exporter.writeMap(bench.source, bench.path("m.npy"));
            if (i % 2 == 0)
                exporter.cancel();
        }
        QVERIFY(QDir(bench.folder.path()).entryList({QStringLiteral(".*")}, QDir::Files | QDir::Hidden).isEmpty());
    }
};

QTEST_MAIN(TestExporter)
#include "test_exporter.moc"
