// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/input_argument_row.h"
#include "ui/input_panel.h"
#include "ui/input_preview.h"
#include "ui/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

using Kind = ui::ArgumentChoice::Kind;

namespace {

constexpr int restMs = 300;

ui::InputArgument argument(const char* name, const char* type, const char* value = nullptr)
{
    ui::InputArgument made;
    made.name = QLatin1String(name);
    made.type = QLatin1String(type);
    made.required = value == nullptr;
    made.defaultText = value ? QLatin1String(value) : QString();
    made.takesTensors = made.type.contains(QLatin1String("Tensor"));
    made.takesMany = made.type.startsWith(QLatin1String("List["));
    return made;
}

/// Every kind of argument.
ui::InputModel model()
{
    ui::InputModel made;
    made.document = 3;
    made.name = QStringLiteral("resnet.pt");
    made.hint = QStringLiteral("The first convolution takes 3 channels");
    made.arguments = {argument("x", "Tensor"),
                      argument("mask", "Optional[Tensor]", "None"),
                      argument("images", "List[Tensor]"),
                      argument("steps", "int", "4"),
                      argument("scale", "float"),
                      argument("mode", "str", "'fast'"),
                      argument("train", "bool", "False"),
                      argument("flip", "bool")};
    return made;
}

ui::ArgumentChoice given(const char* name, Kind kind, const char* text = "")
{
    return {QLatin1String(name), kind, QString::fromLatin1(text)};
}

/// What a model with nothing given is run on.
std::vector<ui::ArgumentChoice> untouched()
{
    return {given("x", Kind::nothing),     given("mask", Kind::nothing),      given("images", Kind::nothing),
            given("steps", Kind::nothing), given("scale", Kind::nothing),     given("mode", Kind::nothing),
            given("train", Kind::nothing), given("flip", Kind::text, "false")};
}

ui::InputChoice fullChoice()
{
    ui::InputChoice choice;
    choice.arguments = {given("x", Kind::file, "/data/cat.png"),
                        given("mask", Kind::random, "1x8"),
                        given("images", Kind::file, "/data/a.png\n/data/b.png"),
                        given("steps", Kind::text, "7"),
                        given("scale", Kind::text, "0.5"),
                        given("mode", Kind::text, "slow"),
                        given("train", Kind::text, "true"),
                        given("flip", Kind::text, "true")};
    choice.resize = QStringLiteral("short=232");
    choice.crop = QStringLiteral("224x200");
    choice.preset = QStringLiteral("imagenet");
    choice.mean = QStringLiteral("0.1,0.2,0.3");
    choice.std = QStringLiteral("1,2,3");
    choice.layoutIn = QStringLiteral("HWC");
    choice.dtype = QStringLiteral("float16");
    return choice;
}

struct Shown
{
    ui::InputPanel panel;
    QSignalSpy changed{&panel, &ui::InputPanel::inputChanged};
    QSignalSpy run{&panel, &ui::InputPanel::runRequested};
    QSignalSpy stop{&panel, &ui::InputPanel::stopRequested};

    explicit Shown(const ui::InputModel& input = model())
    {
        panel.resize(240, 700);
        panel.show();
        panel.activateWindow();
        panel.showModel(input);
        if (!QTest::qWaitForWindowActive(&panel))
            qFatal("the panel did not appear");
    }

    template <class T>
    T* named(const char* name) const
    {
        for (T* candidate : panel.findChildren<T*>())
            if (candidate->accessibleName() == QLatin1String(name))
                return candidate;
        qFatal("no control %s", name);
    }
    ui::InputChoice last() const { return changed.last().at(1).value<ui::InputChoice>(); }
    /// As a person picks an item.
    void pick(const char* box, const char* item) const
    {
        auto* combo = named<QComboBox>(box);
        const int index = combo->findText(QLatin1String(item));
        QVERIFY2(index >= 0, item);
        combo->setCurrentIndex(index);
        Q_EMIT combo->activated(index);
    }
};

} // namespace

class TestInputPanel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        qRegisterMetaType<ui::InputChoice>();
        new ui::Theme(this);
    }
    void saysWhatWillBeHere();
    void hasARowForEachArgument();
    void keepsAChoice_data();
    void keepsAChoice();
    void tellsChoicesAtOnce_data();
    void tellsChoicesAtOnce();
    void tellsTypingWhenItRests();
    void tellsTypingBeforeARun();
    void keepsWhatIsTypedWhenShownAgain();
    void bringsBackTheTextOfASource();
    void takesDroppedFiles();
    void givesAFileToTheFirstTensor();
    void offersFixes();
    void showsThePictureInItsProportions();
    void runsAndStops();
    void forgetsTheModel();
    void fitsSmallPlaces_data();
    void fitsSmallPlaces();
    void hidesRowsForPicturesWhereTokensGoIn();
    void runsOnWhatIsDropped();
    void tellsHowModelsAreRun();
    void showsWhatTheModelPrinted();
    void isUsedByKeysAlone();
};

void TestInputPanel::saysWhatWillBeHere()
{
    ui::InputPanel panel;
    panel.show();
    QCOMPARE(panel.document(), -1);
    const auto* line = panel.findChild<QLabel*>(QStringLiteral("emptyLine"));
    QVERIFY(line->isVisible());
    QVERIFY(line->text().contains(QStringLiteral("TorchScript model (.pt)")));
    QVERIFY(!panel.giveFiles({QStringLiteral("/data/cat.png")}));
    QSignalSpy run(&panel, &ui::InputPanel::runRequested);
    panel.run();
    QCOMPARE(run.count(), 0);
}

void TestInputPanel::hasARowForEachArgument()
{
    const Shown shown;
    const auto items = [&](const char* box) {
        QStringList texts;
        for (int i = 0; i < shown.named<QComboBox>(box)->count(); ++i)
            texts.append(shown.named<QComboBox>(box)->itemText(i));
        return texts;
    };
    const QStringList sources{QStringLiteral("File"), QStringLiteral("Random"), QStringLiteral("Ones")};
    QCOMPARE(items("Source of x"), sources);
    QCOMPARE(items("Source of mask"), sources + QStringList{QStringLiteral("Default")});
    QCOMPARE(items("Source of images"), sources);
    QVERIFY(shown.named<QLineEdit>("File for x")->isVisible());
    QVERIFY(shown.named<QToolButton>("Choose a file for x")->isVisible());
    // An optional tensor that is not given has nothing to fill in.
    QCOMPARE(shown.named<QComboBox>("Source of mask")->currentText(), QStringLiteral("Default"));
    QVERIFY(!shown.named<QToolButton>("Choose a file for mask")->isVisible());
    QVERIFY(shown.named<QPlainTextEdit>("File for images")->isVisible());
    QCOMPARE(shown.named<QLineEdit>("Value of steps")->placeholderText(), QStringLiteral("4"));
    QCOMPARE(shown.named<QLineEdit>("Value of scale")->placeholderText(), QStringLiteral("float"));
    QVERIFY(!shown.named<QCheckBox>("train")->isChecked());
    QCOMPARE(shown.changed.count(), 0);
    QCOMPARE(shown.panel.choice().arguments, untouched());
}

void TestInputPanel::keepsAChoice_data()
{
    QTest::addColumn<ui::InputChoice>("choice");
    ui::InputChoice choice;
    choice.arguments = untouched();
    QTest::newRow("nothing given") << choice;
    QTest::newRow("everything given") << fullChoice();
    choice.arguments[0] = given("x", Kind::ones, "1,3,8,8");
    choice.arguments[1] = given("mask", Kind::file, "/data/mask.npz:m");
    choice.arguments[2] = given("images", Kind::random, "3x64x48");
    choice.arguments[6] = given("train", Kind::text, "false");
    choice.preset = QStringLiteral("minus-one-one");
    choice.layoutIn = QStringLiteral("NCHW");
    choice.dtype = QStringLiteral("int8");
    QTest::newRow("made up, and a dtype that is not listed") << choice;
}

void TestInputPanel::keepsAChoice()
{
    QFETCH(ui::InputChoice, choice);
    ui::InputModel input = model();
    input.choice = choice;
    Shown shown(input);
    QCOMPARE(shown.panel.choice(), choice);
    // Shown again over another choice of the same model.
    input.choice = fullChoice();
    shown.panel.showModel(input);
    QCOMPARE(shown.panel.choice(), fullChoice());
    input.choice = choice;
    shown.panel.showModel(input);
    QCOMPARE(shown.panel.choice(), choice);
    QCOMPARE(shown.changed.count(), 0);
}

void TestInputPanel::tellsChoicesAtOnce_data()
{
    QTest::addColumn<QString>("box");
    QTest::addColumn<QString>("item");
    QTest::addColumn<ui::InputChoice>("choice");
    const auto row = [](const char* box, const char* item, auto change) {
        ui::InputChoice choice;
        choice.arguments = untouched();
        change(choice);
        QTest::newRow(box) << QString::fromLatin1(box) << QString::fromLatin1(item) << choice;
    };
    row("Source of x", "Random", [](auto& c) { c.arguments[0] = given("x", Kind::random, "1x3x224x224"); });
    row("Source of mask", "Ones", [](auto& c) { c.arguments[1] = given("mask", Kind::ones, "1x3x224x224"); });
    row("Resize", "short=256", [](auto& c) { c.resize = QStringLiteral("short=256"); });
    row("Crop", "224x224", [](auto& c) { c.crop = QStringLiteral("224x224"); });
    row("Scale", "imagenet", [](auto& c) { c.preset = QStringLiteral("imagenet"); });
    row("Axes of the input", "CHW", [](auto& c) { c.layoutIn = QStringLiteral("CHW"); });
    row("Dtype of the input", "int64", [](auto& c) { c.dtype = QStringLiteral("int64"); });
}

void TestInputPanel::tellsChoicesAtOnce()
{
    QFETCH(QString, box);
    QFETCH(QString, item);
    QFETCH(ui::InputChoice, choice);
    Shown shown;
    shown.pick(qPrintable(box), qPrintable(item));
    QCOMPARE(shown.changed.count(), 1);
    QCOMPARE(shown.changed.last().first().toInt(), 3);
    QCOMPARE(shown.last(), choice);
    // The same again changes nothing.
    shown.pick(qPrintable(box), qPrintable(item));
    QCOMPARE(shown.changed.count(), 1);
}

void TestInputPanel::tellsTypingWhenItRests()
{
    Shown shown;
    auto* field = shown.named<QLineEdit>("File for x");
    field->setFocus();
    QElapsedTimer clock;
    clock.start();
    QTest::keyClicks(field, QStringLiteral("/data/a.png"));
    QCOMPARE(shown.changed.count(), 0);
    QTRY_COMPARE(shown.changed.count(), 1);
    QVERIFY(clock.elapsed() >= restMs - 20);
    QCOMPARE(shown.last().arguments[0], given("x", Kind::file, "/data/a.png"));
    // Return does not wait, and says nothing new.
    QTest::keyClicks(shown.named<QComboBox>("Crop"), QStringLiteral("x"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(shown.changed.count(), 2);
    auto* lines = shown.named<QPlainTextEdit>("File for images");
    QTest::keyClicks(lines, QStringLiteral("/data/b.png"));
    QTest::keyClick(lines, Qt::Key_Return);
    QTest::keyClicks(lines, QStringLiteral("/data/c.png"));
    QTRY_COMPARE(shown.changed.count(), 3);
    QCOMPARE(shown.last().arguments[2], given("images", Kind::file, "/data/b.png\n/data/c.png"));
}

void TestInputPanel::tellsTypingBeforeARun()
{
    Shown shown;
    QStringList order;
    connect(&shown.panel, &ui::InputPanel::inputChanged, this, [&] { order.append(QStringLiteral("changed")); });
    connect(&shown.panel, &ui::InputPanel::runRequested, this, [&] { order.append(QStringLiteral("run")); });
    QTest::keyClicks(shown.named<QLineEdit>("Value of steps"), QStringLiteral("9"));
    shown.panel.run();
    QCOMPARE(order, QStringList({QStringLiteral("changed"), QStringLiteral("run")}));
    QCOMPARE(shown.last().arguments[3], given("steps", Kind::text, "9"));
    QCOMPARE(shown.run.last().first().toInt(), 3);
}

void TestInputPanel::keepsWhatIsTypedWhenShownAgain()
{
    Shown shown;
    ui::InputModel input = model();
    input.choice = shown.panel.choice();
    auto* field = shown.named<QLineEdit>("File for x");
    QTest::keyClicks(field, QStringLiteral("/data/cat"));
    input.hint = QStringLiteral("It ran");
    shown.panel.showModel(input);
    QCOMPARE(shown.named<QLineEdit>("File for x"), field);
    QCOMPARE(field->text(), QStringLiteral("/data/cat"));
    QCOMPARE(shown.named<QLabel>("What the model expects")->text(), QStringLiteral("It ran"));
    QTRY_COMPARE(shown.changed.count(), 1);
    QCOMPARE(shown.last().arguments[0], given("x", Kind::file, "/data/cat"));
}

void TestInputPanel::bringsBackTheTextOfASource()
{
    ui::InputModel input = model();
    input.choice = fullChoice();
    Shown shown(input);
    shown.pick("Source of x", "Ones");
    auto* field = shown.named<QLineEdit>("Shape of x");
    field->setText(QStringLiteral("2x3"));
    shown.pick("Source of x", "Random");
    QCOMPARE(shown.last().arguments[0], given("x", Kind::random, "2x3"));
    shown.pick("Source of x", "File");
    QCOMPARE(shown.last().arguments[0], given("x", Kind::file, "/data/cat.png"));
    shown.pick("Source of mask", "Default");
    QCOMPARE(shown.last().arguments[1], given("mask", Kind::nothing));
    shown.pick("Source of mask", "Random");
    QCOMPARE(shown.last().arguments[1], given("mask", Kind::random, "1x8"));
}

void TestInputPanel::takesDroppedFiles()
{
    Shown shown;
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(QStringLiteral("/data/a b.png")), QUrl::fromLocalFile(QStringLiteral("/data/c.png"))});
    const auto rows = shown.panel.findChildren<ui::InputArgumentRow*>();
    for (const int index : {0, 2}) {
        QDragEnterEvent enter({}, Qt::CopyAction, &files, Qt::LeftButton, {});
        QCoreApplication::sendEvent(rows[index], &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop({}, Qt::CopyAction, &files, Qt::LeftButton, {});
        QCoreApplication::sendEvent(rows[index], &drop);
    }
    // No field takes a file as text.
    for (const auto* field : shown.panel.findChildren<QLineEdit*>())
        QVERIFY2(!field->acceptDrops(), qPrintable(field->accessibleName()));
    QVERIFY(!shown.named<QPlainTextEdit>("File for images")->viewport()->acceptDrops());
    QCOMPARE(shown.changed.count(), 2);
    QCOMPARE(shown.last().arguments[0], given("x", Kind::file, "/data/a b.png"));
    QCOMPARE(shown.last().arguments[2], given("images", Kind::file, "/data/a b.png\n/data/c.png"));
}

void TestInputPanel::givesAFileToTheFirstTensor()
{
    ui::InputModel input;
    input.document = 5;
    input.arguments = {argument("steps", "int", "4"), argument("x", "Tensor")};
    Shown shown(input);
    shown.pick("Source of x", "Random");
    QVERIFY(shown.panel.giveFiles({QStringLiteral("/data/cat.png")}));
    QCOMPARE(shown.changed.count(), 2);
    QCOMPARE(shown.last().arguments[1], given("x", Kind::file, "/data/cat.png"));
    input.arguments = {argument("steps", "int", "4")};
    shown.panel.showModel(input);
    QVERIFY(!shown.panel.giveFiles({QStringLiteral("/data/cat.png")}));
}

void TestInputPanel::offersFixes()
{
    Shown shown;
    ui::InputPreview preview;
    preview.given = QStringLiteral("x: uint8 [480, 640, 3]");
    preview.problem = QStringLiteral("The first convolution takes 3 channels, not 480");
    preview.fixes = {{QStringLiteral("HWC to CHW & a batch axis"), fullChoice()}, {QStringLiteral("Resize"), {}}};
    shown.panel.setPreview(preview);
    QCOMPARE(shown.named<QLabel>("What the model gets")->text(), preview.given);
    QVERIFY(shown.named<QLabel>("What does not fit")->text().contains(preview.problem));
    QCOMPARE(shown.named<QToolButton>("Show what does not fit")->toolTip(), preview.problem);
    QCOMPARE(shown.changed.count(), 0);
    // Seen without scrolling, in a low dock too.
    shown.panel.resize(240, 300);
    const auto* viewport = shown.panel.findChild<QScrollArea*>()->viewport();
    for (const char* name : {"HWC to CHW & a batch axis", "Resize"}) {
        const auto* fix = shown.named<QPushButton>(name);
        QTRY_VERIFY(viewport->rect().contains(QRect(fix->mapTo(viewport, QPoint()), fix->size())));
    }
    shown.named<QPushButton>("HWC to CHW & a batch axis")->click();
    QCOMPARE(shown.changed.count(), 1);
    QCOMPARE(shown.last(), fullChoice());
    QCOMPARE(shown.panel.choice(), fullChoice());
    shown.panel.setPreview({});
    QVERIFY(!shown.named<QLabel>("What does not fit")->isVisible());
    QVERIFY(!shown.named<QToolButton>("Show what does not fit")->isVisible());
    for (const auto* button : shown.panel.findChildren<QPushButton*>())
        QVERIFY(button->accessibleName() != QStringLiteral("Resize") || !button->isVisible());
}

void TestInputPanel::showsThePictureInItsProportions()
{
    Shown shown;
    auto picture = std::make_shared<core::Image>(8, 4, core::rgba(200, 0, 0));
    picture->row(3)[7] = core::rgba(0, 0, 200);
    ui::InputPreview preview;
    preview.picture = picture;
    shown.panel.setPreview(preview);
    auto* view = shown.named<QWidget>("The picture that the network gets");
    QTRY_VERIFY(view->isVisible() && view->height() == view->width() / 2);
    QVERIFY(shown.named<QLabel>("Size of the picture")->text().contains(QStringLiteral("8\u00d74")));
    const QImage seen = view->grab().toImage();
    const double ratio = seen.devicePixelRatio();
    const auto at = [&](double x, double y) {
        return seen.pixelColor(int(x * view->width() * ratio), int(y * view->height() * ratio));
    };
    QCOMPARE(at(0.5, 0.5), QColor(200, 0, 0));
    QCOMPARE(at(15.0 / 16, 7.0 / 8), QColor(0, 0, 200));
    shown.panel.setPreview({});
    QVERIFY(!view->isVisible());
}

void TestInputPanel::runsAndStops()
{
    Shown shown;
    auto* button = shown.named<QPushButton>("Run the model");
    QCOMPARE(button->text(), QStringLiteral("Run"));
    QVERIFY(button->toolTip().contains(QStringLiteral("F9")));
    button->click();
    QCOMPARE(shown.run.count(), 1);
    shown.panel.setRunning(true);
    QCOMPARE(button->text(), QStringLiteral("Stop"));
    QVERIFY(button->toolTip().contains(QStringLiteral("Esc")));
    shown.panel.run();
    button->click();
    QCOMPARE(shown.run.count(), 1);
    QCOMPARE(shown.stop.count(), 1);
    QCOMPARE(shown.stop.last().first().toInt(), 3);
    // The input can be changed meanwhile.
    shown.pick("Scale", "none");
    QCOMPARE(shown.changed.count(), 1);
    shown.panel.setRunning(false);
    QCOMPARE(button->text(), QStringLiteral("Run"));
}

void TestInputPanel::forgetsTheModel()
{
    Shown shown;
    QTest::keyClicks(shown.named<QLineEdit>("Value of steps"), QStringLiteral("9"));
    shown.panel.showNothing();
    QCOMPARE(shown.panel.document(), -1);
    QVERIFY(shown.panel.choice().arguments.empty());
    QVERIFY(shown.panel.findChild<QLabel*>(QStringLiteral("emptyLine"))->isVisible());
    ui::InputModel none;
    none.document = 4;
    shown.panel.showModel(none);
    QCOMPARE(shown.panel.document(), 4);
    shown.named<QPushButton>("Run the model")->click();
    QCOMPARE(shown.run.last().first().toInt(), 4);
    QCOMPARE(shown.changed.count(), 0);
}

void TestInputPanel::fitsSmallPlaces_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("a dock's width") << QSize(240, 700);
    QTest::newRow("narrow") << QSize(200, 400);
    QTest::newRow("low") << QSize(240, 130);
}

void TestInputPanel::fitsSmallPlaces()
{
    QFETCH(QSize, size);
    Shown shown;
    ui::InputPreview preview;
    preview.picture = std::make_shared<core::Image>(224, 224, core::rgba(90, 90, 90));
    preview.given = QStringLiteral("x: float32 [1, 3, 224, 224]\nmask: none");
    preview.automaticScale = QStringLiteral("zero-one");
    preview.problem = QStringLiteral("The first convolution takes 1 channel, the input has 3");
    preview.fixes = {{QStringLiteral("Grey: the mean of the three colour channels"), {}}};
    shown.panel.setPreview(preview);
    shown.panel.resize(size);
    QTRY_COMPARE(shown.panel.size(), size);
    auto* scroll = shown.panel.findChild<QScrollArea*>();
    QTRY_VERIFY(scroll->widget()->width() <= scroll->viewport()->width());
    QVERIFY(scroll->widget()->minimumSizeHint().width() <= scroll->viewport()->width());
    // Run is always in sight, everything else by scrolling.
    const auto* run = shown.named<QPushButton>("Run the model");
    QVERIFY(shown.panel.rect().contains(QRect(run->mapTo(&shown.panel, QPoint()), run->size())));
    shown.named<QToolButton>("Show what does not fit")->click();
    const auto* fix = shown.named<QPushButton>("Grey: the mean of the three colour channels");
    QVERIFY(scroll->viewport()->rect().intersects(QRect(fix->mapTo(scroll->viewport(), QPoint()), fix->size())));
}

void TestInputPanel::hidesRowsForPicturesWhereTokensGoIn()
{
    Shown shown;
    QVERIFY(shown.named<QComboBox>("Resize")->isVisible());
    auto other = model();
    other.document += 1;
    other.takesPictures = false;
    shown.panel.showModel(other);
    for (const char* name : {"Resize", "Crop", "Scale", "Axes of the input"})
        QVERIFY(!shown.named<QComboBox>(name)->isVisible());
    QVERIFY(!shown.named<QLineEdit>("Mean")->isVisible());
    QVERIFY(shown.named<QComboBox>("Dtype of the input")->isVisible());
}

void TestInputPanel::runsOnWhatIsDropped()
{
    Shown shown;
    QSignalSpy runs(&shown.panel, &ui::InputPanel::runRequested);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QStringLiteral("/data/cat.png"))});
    // Anywhere on the panel, whatever runs.
    shown.panel.setRunning(true);
    QDragEnterEvent over(QPoint(2, 2), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&shown.panel, &over);
    QVERIFY(over.isAccepted());
    QDropEvent drop(QPointF(2, 2), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&shown.panel, &drop);
    QVERIFY(drop.isAccepted());
    QCOMPARE(shown.panel.choice().arguments.front().text, QStringLiteral("/data/cat.png"));
    QCOMPARE(runs.count(), 1);
    // Without a model it is the window's.
    shown.panel.showNothing();
    QDragEnterEvent enter(QPoint(2, 2), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&shown.panel, &enter);
    QVERIFY(!enter.isAccepted());
}

void TestInputPanel::tellsHowModelsAreRun()
{
    Shown shown;
    QSignalSpy told(&shown.panel, &ui::InputPanel::runOptionsChanged);
    auto* toggle = shown.named<QToolButton>("How models are run");
    QVERIFY(!shown.named<QCheckBox>("Operators within the layer")->isVisible());
    toggle->click();
    shown.named<QCheckBox>("Operators within the layer")->click();
    QCOMPARE(told.count(), 1);
    shown.named<QLineEdit>("Memory for captures")->setText(QStringLiteral("2G"));
    Q_EMIT shown.named<QLineEdit>("Memory for captures")->editingFinished();
    QCOMPARE(told.last().front().value<ui::RunOptions>(), (ui::RunOptions{true, QStringLiteral("2G"), 0, {}}));
    // Said again it is no change.
    Q_EMIT shown.named<QLineEdit>("Memory for captures")->editingFinished();
    QCOMPARE(told.count(), 2);
}

void TestInputPanel::showsWhatTheModelPrinted()
{
    Shown shown;
    auto* toggle = shown.named<QToolButton>("Printed by the model");
    QVERIFY(!toggle->isVisible());
    shown.panel.setLog(QStringLiteral("step 1\nstep 2\n"));
    QVERIFY(toggle->isVisible());
    toggle->click();
    QCOMPARE(shown.named<QPlainTextEdit>("Printed by the model")->toPlainText(), QStringLiteral("step 1\nstep 2"));
    shown.panel.setLog({});
    QVERIFY(!toggle->isVisible() && !shown.named<QPlainTextEdit>("Printed by the model")->isVisible());
}

void TestInputPanel::isUsedByKeysAlone()
{
    Shown shown;
    auto* first = shown.named<QComboBox>("Source of x");
    first->setFocus();
    QStringList names;
    for (int step = 0; step < 40; ++step) {
        names.append(QApplication::focusWidget()->accessibleName());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        if (QApplication::focusWidget() == first)
            break;
    }
    const QStringList order{QStringLiteral("Source of x"),
                            QStringLiteral("File for x"),
                            QStringLiteral("Choose a file for x"),
                            QStringLiteral("Source of mask"),
                            QStringLiteral("Source of images"),
                            QStringLiteral("File for images"),
                            QStringLiteral("Choose a file for images"),
                            QStringLiteral("Value of steps"),
                            QStringLiteral("Value of scale"),
                            QStringLiteral("Value of mode"),
                            QStringLiteral("train"),
                            QStringLiteral("flip"),
                            QStringLiteral("Resize"),
                            QStringLiteral("Crop"),
                            QStringLiteral("Scale"),
                            QStringLiteral("Mean"),
                            QStringLiteral("Standard deviation"),
                            QStringLiteral("Axes of the input"),
                            QStringLiteral("Dtype of the input"),
                            QStringLiteral("How models are run"),
                            QStringLiteral("Run the model")};
    QCOMPARE(names, order);
    // The wheel scrolls the panel; it does not change what it passes over.
    auto* preset = shown.named<QComboBox>("Scale");
    QWheelEvent wheel(QPointF(5, 5), preset->mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(preset, &wheel);
    QCOMPARE(preset->currentIndex(), 0);
    QVERIFY(!wheel.isAccepted());
}

QTEST_MAIN(TestInputPanel)
#include "test_input_panel.moc"
