// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_document.h"
#include "tests/app/window_bench.h"
#include "ui/input_panel.h"
#include "ui/read_out.h"

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeView>

#include <algorithm>
#include <cstring>

// The real window and controller with a runner that plays what the chosen layer's name says (tests/support/fake_runner.cpp).

namespace {

using Kind = ui::ArgumentChoice::Kind;

struct ModelBench : support::WindowBench
{
    ModelBench() : WindowBench(core::makeCpuEngine(), core::makeCpuEngine(1), settings()) {}

    static app::RunnerSettings settings()
    {
        app::RunnerSettings settings;
        settings.program = FAKE_RUNNER;
        return settings;
    }
    ui::InputPanel* input() const { return window.findChild<ui::InputPanel*>(); }
    /// A file with four numbers that begin with `first`.
    QString numbers(const char* name, float first)
    {
        support::writeFloats(path(name), {1, 1, 2, 2}, {first, 0, 0, 0});
        return path(name);
    }
    void openModel()
    {
        QFile::copy(QStringLiteral(TEST_DATA "/torch/scripted.pt"), path("net.pt"));
        Q_EMIT window.openRequested({path("net.pt")});
        QTRY_VERIFY(isSettled() && input()->document() > 0);
    }
    /// Gives a file to the model as the Input dock does.
    void give(const QString& file)
    {
        auto choice = input()->choice();
        choice.arguments.at(0) = {QStringLiteral("x"), Kind::file, file};
        Q_EMIT window.inputChanged(input()->document(), choice);
    }
    /// Whether the status bar shows the text.
    bool tells(const QString& text) const
    {
        const auto labels = window.findChildren<ui::ReadOut*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const auto* label) { return label->isVisible() && label->text().contains(text); });
    }
    /// What Contents tells of a layer's shape.
    QString shapeOf(const char* layer) const
    {
        const auto* model = window.findChild<QTreeView*>()->model();
        const auto found = model->match(model->index(0, 0), Qt::DisplayRole, QString::fromUtf8(layer), 1,
                                        Qt::MatchExactly | Qt::MatchRecursive);
        return found.isEmpty() ? QStringLiteral("no layer") : found.front().siblingAtColumn(1).data().toString();
    }
    QComboBox* box(const char* name) const
    {
        for (auto* box : input()->findChildren<QComboBox*>())
            if (box->accessibleName() == QLatin1String(name))
                return box;
        qFatal("no box %s", name);
    }
    int messages() const { return window.findChild<ui::MessageBar*>()->count(); }
    /// The first value of what is shown.
    float firstShown() const
    {
        float value = 0;
        const auto plane = controller.worker().current()->tensor->plane({0, 0}).toContiguous();
        std::memcpy(&value, plane.data(), sizeof(value));
        return value;
    }
};

} // namespace

class TestModelWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void choosingALayerRunsTheModelAndShowsIt()
    {
        ModelBench bench;
        bench.openModel();
        bench.give(bench.numbers("a.npy", 3));
        Q_EMIT bench.window.entryChosen(bench.input()->document(), QStringLiteral("ok"));
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        QCOMPARE(bench.firstShown(), 3.0f);
        // Shown again, it needs no run; a dragged threshold counts in it.
        bench.window.dragThreshold(4.5);
        QTRY_VERIFY(bench.isSettled() && bench.frame->count == 2);
    }

    void anotherInputKeepsThresholdAndView()
    {
        ModelBench bench;
        bench.openModel();
        bench.give(bench.numbers("a.npy", 3));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        QTest::keyClick(&bench.window, Qt::Key_2);
        bench.window.dragThreshold(5.5);
        bench.window.endDrag();
        QTRY_VERIFY(bench.isSettled() && bench.frame->count == 1);
        const auto where = bench.frame->request.where.text;
        // Live: the short run is repeated by itself.
        bench.give(bench.numbers("b.npy", 10));
        QTRY_VERIFY(bench.isSettled() && bench.firstShown() == 10.0f && bench.frame->count == 4);
        QCOMPARE(bench.frame->request.view, core::ViewKind::channel);
        QCOMPARE(bench.frame->request.where.text, where);
    }

    void aPictureOpenedWithAModelIsItsInput()
    {
        ModelBench bench;
        QFile::copy(QStringLiteral(TEST_DATA "/torch/scripted.pt"), bench.path("net.pt"));
        Q_EMIT bench.window.openRequested({bench.path("net.pt"), QStringLiteral(TEST_DATA "/inputs/rgb.png")});
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        QCOMPARE(bench.input()->choice().arguments.at(0).kind, Kind::file);
    }

    void aPictureThatComesAloneIsTheInput()
    {
        ModelBench bench;
        bench.openModel();
        const QString picture = QStringLiteral(TEST_DATA "/inputs/rgb.png");
        Q_EMIT bench.window.openRequested({picture});
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        QCOMPARE(bench.input()->choice().arguments.at(0).text, QFileInfo(picture).absoluteFilePath());
        QVERIFY2(bench.message().contains(QStringLiteral("rgb.png goes into net.pt")), qPrintable(bench.message()));
        // Another one takes its place; asked for, it is a document.
        Q_EMIT bench.window.openRequested({QStringLiteral(TEST_DATA "/inputs/grey.png")});
        QTRY_VERIFY(bench.isSettled() && bench.input()->choice().arguments.at(0).text.endsWith(QStringLiteral("grey.png")));
        Q_EMIT bench.window.messageAction(QStringLiteral("as document"));
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "grey");
        // Beside a picture that is shown, pictures are documents.
        Q_EMIT bench.window.openRequested({picture});
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "rgb");
    }

    void aTensorThatComesAloneIsOfferedAsTheInput()
    {
        ModelBench bench;
        bench.openModel();
        bench.give(bench.numbers("a.npy", 3));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        Q_EMIT bench.window.openRequested({bench.numbers("b.npy", 9)});
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "b");
        QVERIFY2(bench.message().contains(QStringLiteral("b.npy is open; it can also go into net.pt")),
                 qPrintable(bench.message()));
        Q_EMIT bench.window.messageAction(QStringLiteral("as input"));
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        QCOMPARE(bench.firstShown(), 9.0f);
    }

    void aPictureThatIsShownIsOfferedToTheModelOpenedNext()
    {
        ModelBench bench;
        Q_EMIT bench.window.openRequested({QStringLiteral(TEST_DATA "/inputs/rgb.png")});
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "rgb");
        bench.openModel();
        QTRY_VERIFY(bench.message().contains(QStringLiteral("rgb.png can go into net.pt")));
        Q_EMIT bench.window.messageAction(QStringLiteral("as input"));
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        QCOMPARE(bench.input()->choice().arguments.at(0).text,
                 QFileInfo(QStringLiteral(TEST_DATA "/inputs/rgb.png")).absoluteFilePath());
    }

    void whatAnEarlierInputGaveIsMarked()
    {
        ModelBench bench;
        bench.openModel();
        bench.give(bench.numbers("a.npy", 3));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok" && bench.tells(QStringLiteral("a.npy \u2192 net.pt")));
        QVERIFY(!bench.tells(QStringLiteral("earlier input")));
        bench.give(bench.path("absent.npy"));
        QTRY_VERIFY(bench.isSettled() && bench.tells(QStringLiteral("earlier input: a.npy")));
        bench.give(bench.numbers("b.npy", 4));
        QTRY_VERIFY(bench.isSettled() && bench.firstShown() == 4.0f && !bench.tells(QStringLiteral("earlier input")));
    }

    void shapesOfAllLayersAreOfTheInputThatRan()
    {
        ModelBench bench;
        bench.openModel();
        bench.give(bench.numbers("a.npy", 3));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        QCOMPARE(bench.shapeOf("hang"), QStringLiteral("16"));
        support::writeFloats(bench.path("large.npy"), {1, 1, 8, 8}, std::vector<float>(64, 5));
        bench.give(bench.path("large.npy"));
        QTRY_VERIFY(bench.isSettled() && bench.firstShown() == 5.0f && bench.shapeOf("hang") == QStringLiteral("64"));
        // Loaded again it is run again.
        Q_EMIT bench.window.reloadRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.shapeOf("hang") == QStringLiteral("64"));
        QCOMPARE(bench.firstShown(), 5.0f);
    }

    void anInputThatRunsTakesBackWhatTheOneBeforeTold()
    {
        ModelBench bench;
        bench.openModel();
        bench.give(bench.path("absent.npy"));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.message().contains(QStringLiteral("absent.npy")));
        // A run that failed soon is repeated with another input by itself.
        bench.give(bench.path("alsoabsent.npy"));
        QTRY_VERIFY(bench.isSettled() && bench.message().contains(QStringLiteral("alsoabsent.npy")));
        QCOMPARE(bench.messages(), 1);
        bench.give(bench.numbers("a.npy", 3));
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        QCOMPARE(bench.firstShown(), 3.0f);
        QCOMPARE(bench.messages(), 0);
        // So is one that failed within the model.
        Q_EMIT bench.window.entryChosen(bench.input()->document(), QStringLiteral("failed"));
        QTRY_VERIFY(bench.isSettled() && bench.message().contains(QStringLiteral("shapes do not fit")));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.messages() == 0);
    }

    void levelsOfATensorAreOfferedToBeScaled()
    {
        ModelBench bench;
        bench.openModel();
        // Rows, columns, channels of bytes, as pictures are saved by NumPy.
        const std::vector<std::uint8_t> levels{0, 51, 255, 102, 153, 204};
        core::io::writeNpy(bench.path("hwc.npy").toStdString(), core::Tensor::fromValues(core::DType::u8, {1, 2, 3}, levels));
        auto choice = bench.input()->choice();
        choice.arguments.at(0) = {QStringLiteral("x"), Kind::file, bench.path("hwc.npy")};
        choice.layoutIn = QStringLiteral("HWC");
        Q_EMIT bench.window.inputChanged(bench.input()->document(), choice);
        Q_EMIT bench.window.runRequested(bench.input()->document());
        const auto fix = [&] {
            for (auto* button : bench.input()->findChildren<QPushButton*>())
                if (button->accessibleName().startsWith(QStringLiteral("Scale to 0")) && button->isVisible())
                    return button;
            return static_cast<QPushButton*>(nullptr);
        };
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok" && fix());
        QCOMPARE(bench.box("Scale")->itemText(0), QStringLiteral("auto: none"));
        fix()->click();
        QTRY_VERIFY(bench.isSettled() && !fix());
        QCOMPARE(bench.box("Scale")->currentText(), QStringLiteral("zero-one"));
        // Pictures are scaled by themselves.
        bench.give(QStringLiteral(TEST_DATA "/inputs/rgb.png"));
        QTRY_VERIFY(bench.isSettled() && bench.box("Scale")->itemText(0) == QStringLiteral("auto: zero-one"));
        QVERIFY(!fix());
    }

    void aMissingOperatorIsToldOnceWithTheWindowsRemedy()
    {
        ModelBench bench;
        QFile::copy(QStringLiteral(TEST_DATA "/torch/scripted.pt"), bench.path("missing.pt"));
        Q_EMIT bench.window.openRequested({bench.path("missing.pt")});
        QTRY_VERIFY(bench.isSettled() && bench.message().contains(QStringLiteral("mylib::op")));
        QVERIFY2(bench.message().contains(QStringLiteral("Choose library")) && !bench.message().contains(QStringLiteral("--")),
                 qPrintable(bench.message()));
        QVERIFY2(!bench.message().contains(QStringLiteral("is started")), qPrintable(bench.message()));
        QCOMPARE(bench.window.findChild<ui::MessageBar*>()->count(), 1);
    }

    void aRunLongerThanAllowedEnds()
    {
        ModelBench bench;
        bench.openModel();
        bench.give(bench.numbers("a.npy", 3));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        Q_EMIT bench.window.runOptionsChanged({false, {}, 1, {}});
        Q_EMIT bench.window.entryChosen(bench.input()->document(), QStringLiteral("hang"));
        QTRY_VERIFY(bench.isSettled() && bench.message().contains(QStringLiteral("time limit")));
        QCOMPARE(bench.entry(), std::string("ok"));
        auto* log = bench.window.findChild<QPlainTextEdit*>();
        QVERIFY(log);
        QVERIFY(log->toPlainText().contains(QStringLiteral("doing hang")));
    }

    void operatorsLieBeneathTheirLayer()
    {
        const auto kept = [](const char* layer, const char* value) {
            app::Capture capture;
            capture.layer = layer;
            if (*value)
                capture.op = app::OperatorSite{"aten::relu", value, "net.py:7"};
            capture.value = core::Tensor::fromValues(core::DType::f32, {2}, std::vector<float>{1, 2});
            return capture;
        };
        app::ModelParts parts;
        parts.file = std::make_shared<core::Document>();
        auto info = std::make_shared<app::ModelInfo>();
        info->layers = {{"block", "Block", 0, "", 1}};
        parts.info = info;
        parts.captures = {kept("block", "x.3"), kept("block", ""), kept("", "y")};
        parts.captures[2].isOutput = false;
        app::nameCaptures(parts.captures);
        const auto document = app::modelDocument(parts);
        const auto* op = document->find("block%x.3@net.py:7");
        QVERIFY(op && op->isTensor());
        QCOMPARE(op->path, (std::vector<std::string>{"block", "%x.3@net.py:7"}));
        QCOMPARE(op->notes.front(), std::string("aten::relu, net.py:7"));
        QVERIFY(document->find("%y@net.py:7"));
        QCOMPARE(document->find("%y@net.py:7")->path.front(), std::string("output"));
        QCOMPARE(app::layerOf(parts, "block%x.3@net.py:7"), std::string("block"));
        QCOMPARE(app::layerOf(parts, "%y@net.py:7"), std::string("output"));
        QCOMPARE(app::layerOf(parts, "weight"), std::string());
    }

    void inputsOfTheCommandLineGoIntoTheModel()
    {
        ModelBench bench;
        QFile::copy(QStringLiteral(TEST_DATA "/torch/scripted.pt"), bench.path("net.pt"));
        const auto acts = bench.numbers("acts.npy", 1);
        bench.controller.open({acts, bench.path("net.pt")}, {bench.numbers("a.npy", 7)});
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        QCOMPARE(bench.firstShown(), 7.0f);
    }

    void aMissingInputIsToldInTheWindowsWords()
    {
        ModelBench bench;
        bench.openModel();
        auto choice = bench.input()->choice();
        choice.arguments.at(0).kind = Kind::nothing;
        Q_EMIT bench.window.inputChanged(bench.input()->document(), choice);
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.message().contains(QStringLiteral("nothing is given for x")));
        QVERIFY2(!bench.message().contains(QStringLiteral("--")), qPrintable(bench.message()));
    }

    void aWrongSizeIsToldByItsField()
    {
        ModelBench bench;
        bench.openModel();
        auto choice = bench.input()->choice();
        choice.resize = QStringLiteral("64");
        Q_EMIT bench.window.inputChanged(bench.input()->document(), choice);
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.message().contains(QStringLiteral("Resize 64: write it as")));
        const auto labels = bench.input()->findChildren<QLabel*>();
        const auto problem = std::find_if(labels.begin(), labels.end(), [](const auto* label) {
            return label->accessibleName() == QStringLiteral("What does not fit");
        });
        QVERIFY(problem != labels.end());
        QVERIFY2((*problem)->text().contains(QStringLiteral("Resize 64: write it as")), qPrintable((*problem)->text()));
        QVERIFY2(!(bench.message() + (*problem)->text()).contains(QStringLiteral("--")), qPrintable((*problem)->text()));
    }

    void aRunIsStillToldWhenAnAnalysisHasEnded()
    {
        ModelBench bench;
        bench.openModel();
        bench.give(bench.numbers("a.npy", 3));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        Q_EMIT bench.window.entryChosen(bench.input()->document(), QStringLiteral("hang"));
        QTRY_VERIFY(bench.tells(QStringLiteral("Running net.pt")));
        bench.numbers("other.npy", 5);
        Q_EMIT bench.window.openRequested({bench.path("other.npy")});
        QTRY_COMPARE(bench.entry(), std::string("other"));
        QTRY_VERIFY(bench.tells(QStringLiteral("Running net.pt")));
        Q_EMIT bench.window.cancelRequested();
        QTRY_VERIFY(bench.isSettled() && !bench.tells(QStringLiteral("Running net.pt")));
    }

    void deathsAndFailuresKeepWhatIsShown_data()
    {
        QTest::addColumn<QString>("layer");
        QTest::addColumn<QString>("reason");
        QTest::newRow("crash") << "segv"
                               << "bad memory access";
        QTest::newRow("failure") << "failed"
                                 << "the model failed in layer fc: shapes do not fit";
    }

    void deathsAndFailuresKeepWhatIsShown()
    {
        QFETCH(QString, layer);
        QFETCH(QString, reason);
        ModelBench bench;
        bench.openModel();
        bench.give(bench.numbers("a.npy", 3));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        Q_EMIT bench.window.entryChosen(bench.input()->document(), layer);
        QTRY_VERIFY(bench.isSettled() && bench.message().contains(reason));
        QCOMPARE(bench.entry(), std::string("ok"));
        // The next run works.
        Q_EMIT bench.window.entryChosen(bench.input()->document(), QStringLiteral("ok"));
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
    }

    void stopEndsARun()
    {
        ModelBench bench;
        bench.openModel();
        bench.give(bench.numbers("a.npy", 3));
        Q_EMIT bench.window.runRequested(bench.input()->document());
        QTRY_VERIFY(bench.isSettled() && bench.entry() == "ok");
        Q_EMIT bench.window.entryChosen(bench.input()->document(), QStringLiteral("hang"));
        QTRY_VERIFY(!bench.controller.isIdle());
        Q_EMIT bench.window.cancelRequested();
        QTRY_VERIFY(bench.isSettled());
        QCOMPARE(bench.entry(), std::string("ok"));
        QCOMPARE(bench.message(), QStringLiteral("The run of net.pt was stopped"));
        bench.give(bench.numbers("b.npy", 8));
        Q_EMIT bench.window.entryChosen(bench.input()->document(), QStringLiteral("ok"));
        QTRY_VERIFY(bench.isSettled() && bench.firstShown() == 8.0f);
        QCOMPARE(bench.messages(), 0);
    }

    void quitsAndClosesAtAnyMoment()
    {
        for (int i = 0; i < 20; ++i) {
            ModelBench bench;
            QFile::copy(QStringLiteral(TEST_DATA "/torch/scripted.pt"), bench.path("net.pt"));
            Q_EMIT bench.window.openRequested({bench.path("net.pt"), QStringLiteral(TEST_DATA "/inputs/rgb.png")});
            for (int turns = 0; turns < i * 3; ++turns)
                QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
            if (i % 2)
                Q_EMIT bench.window.closeRequested(-1);
            if (i % 3 == 0 && bench.input()->document() > 0)
                Q_EMIT bench.window.entryChosen(bench.input()->document(), QStringLiteral("hang"));
        }
    }

    void theUsualLayerHasAsManyItemsAsTheInput()
    {
        const auto unkept = [](const char* layer, core::Shape shape) {
            app::Capture capture;
            capture.layer = layer;
            app::UnkeptTensor tensor;
            tensor.elements = core::elementCount(shape);
            tensor.shape = std::move(shape);
            capture.value = std::move(tensor);
            return capture;
        };
        app::ModelParts parts;
        parts.shapes = {unkept("backbone", {1, 8, 20, 20}), unkept("pyramid", {1, 4, 10, 10}),
                        unkept("regions", {150, 4, 7, 7}), unkept("scores", {150, 9})};
        QCOMPARE(app::usualLayer(parts), std::string("pyramid"));
        parts.shapes = {unkept("embedding", {2, 16, 8}), unkept("scores", {2, 9})};
        QCOMPARE(app::usualLayer(parts), std::string("scores"));
    }

    void aFileThatIsNoProgramHasNoInput()
    {
        ModelBench bench;
        Q_EMIT bench.window.openRequested({QStringLiteral(TEST_DATA "/torch/dtypes.pt")});
        QTRY_VERIFY(bench.isSettled() && !bench.entry().empty());
        QCOMPARE(bench.input()->document(), -1);
    }
};

int main(int argc, char** argv)
{
    const support::OwnSettings settings;
    QApplication application(argc, argv);
    TestModelWindow test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_model_window.moc"
