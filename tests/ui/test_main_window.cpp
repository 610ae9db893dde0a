// SPDX-License-Identifier: GPL-3.0-or-later
#include "frames.h"
#include "ui/canvas.h"
#include "ui/color_bar.h"
#include "ui/dock_area.h"
#include "ui/layout_editor.h"
#include "ui/limits_button.h"
#include "ui/message_bar.h"
#include "ui/plane_controls.h"
#include "ui/read_out.h"
#include "ui/theme.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using ui::MainWindow;

namespace {

ui::InputModel model(int document)
{
    ui::InputModel made;
    made.document = document;
    made.name = QStringLiteral("resnet.pt");
    ui::InputArgument x;
    x.name = QStringLiteral("x");
    x.type = QStringLiteral("Tensor");
    made.arguments = {x};
    return made;
}

} // namespace

class TestMainWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void offersFilesWhenEmpty();
    void opensDroppedFiles();
    void showsATensor();
    void asksForTheViewOfEachKey();
    void asksForEachControl_data();
    void asksForEachControl();
    void asksForThePlaneOfEachKey();
    void keepsSingleKeysFromTextAndTables();
    void asksForTypedLimits();
    void editsTheLayoutByLetters();
    void editsTheLayoutByRoles();
    void editsTheIndexOfAHeldAxis();
    void recoloursTheMaskWithoutAsking();
    void goesToTheChannelOfATile();
    void dragsTheThreshold();
    void keepsMessagesUntilDismissed();
    void showsProgressWithCancel();
    void asksToExport();
    void listsAllKeys();
    void namesEveryControl();
    void tellsTheKeyInTooltips();
    void clipsNothing_data();
    void clipsNothing();
    void wearsLightAndDark();
    void copiesAPictureWithColorBar();
    void enablesWhatActs();
    void showsChecksInMenus();
    void explainsTheMask();
    void fitsTheLayoutPanelToItsRows();
    void runsAModelByKey();
    void opensTheInputDockForANewModel();
    void tabGoesThroughTheInputDock();
    void tellsThePixelOfTheInput_data();
    void tellsThePixelOfTheInput();
    void laysLayersOverTheChosenPicture();
    void marksWhatAnEarlierInputGave();
    void remembersHowModelsAreRun();
    void remembersChoices();
    void keepsItsSizeForALongMessage();
    void putsDocksBehindEachOtherOnALowScreen();

private:
    QAction* action(const QString& name) const;
    template <class T>
    T* named(const QString& accessibleName) const;
    core::Request last() const { return m_requests->last().first().value<core::Request>(); }

    QTemporaryDir m_settings;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<QSignalSpy> m_requests;
    ui::TensorSummary m_tensor;
};

QAction* TestMainWindow::action(const QString& name) const
{
    for (QAction* candidate : m_window->actions())
        if (candidate->iconText() == name)
            return candidate;
    qFatal("no action %s", qPrintable(name));
}

template <class T>
T* TestMainWindow::named(const QString& accessibleName) const
{
    for (T* candidate : m_window->findChildren<T*>())
        if (candidate->accessibleName() == accessibleName)
            return candidate;
    qFatal("no control %s", qPrintable(accessibleName));
}

void TestMainWindow::initTestCase()
{
    QCoreApplication::setOrganizationName(QStringLiteral("actiscope-test"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
    qRegisterMetaType<core::Request>();
    qRegisterMetaType<core::Selection>();
    qRegisterMetaType<ui::InputChoice>();
}

void TestMainWindow::init()
{
    m_window = std::make_unique<MainWindow>();
    m_tensor = frames::tensor({4, 16, 14, 14});
    m_requests = std::make_unique<QSignalSpy>(m_window.get(), &MainWindow::requestChanged);
    connect(m_window.get(), &MainWindow::requestChanged, this,
            [this](const core::Request& request) { m_window->showFrame(frames::frame(m_tensor, request)); });
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    if (qstrcmp(QTest::currentTestFunction(), "offersFilesWhenEmpty") == 0)
        return;
    m_window->showTensor(m_tensor);
    m_window->showFrame(frames::frame(m_tensor, m_window->currentRequest()));
    named<QWidget>(QStringLiteral("Canvas"))->setFocus();
    m_requests->clear();
}

void TestMainWindow::offersFilesWhenEmpty()
{
    QSignalSpy opened(m_window.get(), &MainWindow::openRequested);
    QSignalSpy sample(m_window.get(), &MainWindow::sampleRequested);
    QVERIFY(named<QWidget>(QStringLiteral("Start page"))->isVisible());
    m_window->setRecentFiles({QStringLiteral("/data/a.npy"), QStringLiteral("/data/b & c.pt")});
    named<QPushButton>(QStringLiteral("Open /data/b & c.pt"))->click();
    QCOMPARE(opened.last().first().toStringList(), QStringList{QStringLiteral("/data/b & c.pt")});
    QTest::keyClick(m_window.get(), Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(opened.last().first().toStringList(), QStringList{QStringLiteral("/data/a.npy")});
    named<QPushButton>(QStringLiteral("Open Sample"))->click();
    QCOMPARE(sample.size(), 1);
    // Without a tensor nothing asks for frames.
    QTest::keyClick(m_window.get(), Qt::Key_3);
    QCOMPARE(m_requests->size(), 0);
}

void TestMainWindow::opensDroppedFiles()
{
    QSignalSpy opened(m_window.get(), &MainWindow::openRequested);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QStringLiteral("/data/a.npy")), QUrl(QStringLiteral("https://example.org/x"))});
    QDragEnterEvent enter({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(m_window.get(), &drop);
    QCOMPARE(opened.size(), 1);
    QCOMPARE(opened.first().first().toStringList(), QStringList{QStringLiteral("/data/a.npy")});
}

void TestMainWindow::showsATensor()
{
    QVERIFY(m_window->windowTitle().contains(QStringLiteral("layer3.1")));
    QCOMPARE(named<ui::ReadOut>(QStringLiteral("Type and shape"))->text(), QStringLiteral("float32 [4, 16, 14, 14]"));
    QCOMPARE(named<QPushButton>(QStringLiteral("Layout"))->text(), QStringLiteral("NCHW"));
    QVERIFY(named<QWidget>(QStringLiteral("Canvas"))->isVisible());
    m_window->showNothing();
    QVERIFY(!named<QWidget>(QStringLiteral("Canvas"))->isVisible());
    QVERIFY(!action(QStringLiteral("Fit"))->isEnabled());
}

void TestMainWindow::asksForTheViewOfEachKey()
{
    const std::array views{core::ViewKind::heat, core::ViewKind::channel, core::ViewKind::wall, core::ViewKind::mask};
    for (const int i : {3, 2, 1, 0}) {
        QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_1 + i));
        QCOMPARE(m_requests->size(), 1);
        QCOMPARE(last().view, views[static_cast<std::size_t>(i)]);
        m_requests->clear();
    }
}

void TestMainWindow::asksForEachControl_data()
{
    QTest::addColumn<int>("view");
    QTest::addColumn<QString>("box");
    QTest::addColumn<QString>("item");
    QTest::newRow("reduction") << 1 << QStringLiteral("Reduction") << QStringLiteral("max");
    QTest::newRow("values") << 1 << QStringLiteral("Values") << QStringLiteral("of all");
    QTest::newRow("colours") << 2 << QStringLiteral("Colour map") << QStringLiteral("magma");
    QTest::newRow("order") << 3 << QStringLiteral("Wall order") << QStringLiteral("by count");
    QTest::newRow("back to channel order") << 3 << QStringLiteral("Wall order") << QStringLiteral("by channel");
    QTest::newRow("scale") << 3 << QStringLiteral("Colour scale") << QStringLiteral("own scale");
}

void TestMainWindow::asksForEachControl()
{
    QFETCH(int, view);
    QFETCH(QString, box);
    QFETCH(QString, item);
    QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_0 + view));
    m_requests->clear();
    auto* combo = named<QComboBox>(box);
    QVERIFY(combo->isVisible());
    combo->setFocus();
    QTest::keyClicks(combo, item.at(0) == u'o' ? item.mid(0, 5) : item.left(4));
    if (combo->currentText() != item) {
        combo->setCurrentText(item);
        Q_EMIT combo->activated(combo->currentIndex());
    }
    QVERIFY(m_requests->size() >= 1);
    const core::Request request = last();
    const QString got = box == QStringLiteral("Reduction")    ? QString(request.reduction == core::Reduction::max ? item : "")
                        : box == QStringLiteral("Values")     ? QString(request.allValues ? item : "")
                        : box == QStringLiteral("Colour map") ? QString(request.colors == core::ColorMap::magma ? item : "")
                        : box == QStringLiteral("Wall order")
                            ? QString(request.wallOrder == core::WallOrder::count   ? "by count"
                                      : request.wallOrder == core::WallOrder::index ? "by channel"
                                                                                    : "")
                        : box == QStringLiteral("Colour scale") ? QString(request.ownScale ? item : "")
                                                                : QString();
    QCOMPARE(got, item);
}

void TestMainWindow::asksForThePlaneOfEachKey()
{
    QTest::keyClick(m_window.get(), Qt::Key_Right);
    QTest::keyClick(m_window.get(), Qt::Key_Right);
    QTest::keyClick(m_window.get(), Qt::Key_Left);
    QCOMPARE(m_requests->size(), 3);
    QCOMPARE(last().channel, 1);
    QTest::keyClick(m_window.get(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(last().batch, 1);
    QTest::keyClick(m_window.get(), Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(last().batch, 0);
    // At the end nothing is asked.
    m_requests->clear();
    QTest::keyClick(m_window.get(), Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(m_requests->size(), 0);

    m_tensor = frames::tensor({1, 2, 5, 14, 14});
    m_window->showTensor(m_tensor);
    QCOMPARE(m_window->currentRequest().depth, 2);
    QTest::keyClick(m_window.get(), Qt::Key_PageDown);
    QCOMPARE(last().depth, 3);
    QTest::keyClick(m_window.get(), Qt::Key_PageUp);
    QCOMPARE(last().depth, 2);
}

void TestMainWindow::keepsSingleKeysFromTextAndTables()
{
    auto* box = named<QSpinBox>(QStringLiteral("channel"));
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, QStringLiteral("3"));
    QCOMPARE(m_requests->size(), 0);
    QTest::keyClick(box, Qt::Key_Return);
    QCOMPARE(m_requests->size(), 1);
    QCOMPARE(last().channel, 3);
    QCOMPARE(last().view, core::ViewKind::heat);
    m_requests->clear();
    for (auto* view : m_window->findChildren<QAbstractItemView*>()) {
        if (!view->isVisible() || view->focusPolicy() == Qt::NoFocus)
            continue;
        view->setFocus();
        QTest::keyClick(view, Qt::Key_3);
        QCOMPARE(m_window->currentRequest().view, core::ViewKind::heat);
    }
    // Esc leaves a text.
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Escape);
    QTRY_VERIFY(!box->hasFocus());
    QTest::keyClick(m_window.get(), Qt::Key_2);
    QCOMPARE(last().view, core::ViewKind::channel);
    // A key with Ctrl acts everywhere.
    QSignalSpy closed(m_window.get(), &MainWindow::closeRequested);
    box->setFocus();
    QTest::keyClick(box, Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(closed.size(), 1);
}

void TestMainWindow::asksForTypedLimits()
{
    auto* button = named<ui::LimitsButton>(QStringLiteral("Colour limits"));
    auto* low = named<QLineEdit>(QStringLiteral("Lower limit"));
    auto* high = named<QLineEdit>(QStringLiteral("Upper limit"));
    low->setText(QString());
    QTest::keyClicks(low, QStringLiteral("0.5"));
    high->setText(QString());
    QTest::keyClicks(high, QStringLiteral("2e0"));
    QCOMPARE(last().range, (core::RangeChoice{core::RangeChoice::Kind::typed, 0.5, 2}));
    QCOMPARE(button->text(), QStringLiteral("typed"));
    m_requests->clear();
    high->setText(QString());
    QTest::keyClicks(high, QStringLiteral("x"));
    QCOMPARE(m_requests->size(), 0);
    QVERIFY(!named<QLabel>(QStringLiteral("What is wrong with the limits"))->text().isEmpty());
    QTest::keyClick(m_window.get(), Qt::Key_C);
    QCOMPARE(last().range, core::RangeChoice());
    named<QRadioButton>(QStringLiteral("Limits: Percentiles"))->click();
    QCOMPARE(last().range, (core::RangeChoice{core::RangeChoice::Kind::percentiles, 1, 99}));
}

void TestMainWindow::editsTheLayoutByLetters()
{
    QSignalSpy changed(m_window.get(), &MainWindow::selectionChanged);
    auto* letters = named<QLineEdit>(QStringLiteral("Layout letters"));
    letters->clear();
    QTest::keyClicks(letters, QStringLiteral("CNHW"));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.first().first().value<core::Selection>().layout.letters(), std::string("CNHW"));
    auto* problem = named<QLabel>(QStringLiteral("What is wrong with the letters"));
    letters->clear();
    QTest::keyClicks(letters, QStringLiteral("HHHW"));
    QCOMPARE(changed.size(), 1);
    QVERIFY(!problem->text().isEmpty());
}

void TestMainWindow::editsTheLayoutByRoles()
{
    QSignalSpy changed(m_window.get(), &MainWindow::selectionChanged);
    auto* role = named<QComboBox>(QStringLiteral("Role of axis 1"));
    role->setCurrentIndex(role->findText(QStringLiteral("W  column")));
    Q_EMIT role->activated(role->currentIndex());
    // Axis 3 takes what axis 1 had.
    QCOMPARE(changed.last().first().value<core::Selection>().layout.letters(), std::string("NWHC"));
}

void TestMainWindow::editsTheIndexOfAHeldAxis()
{
    m_tensor = frames::tensor({3, 2, 2, 5, 6, 7});
    m_window->showTensor(m_tensor);
    QSignalSpy changed(m_window.get(), &MainWindow::selectionChanged);
    named<QSpinBox>(QStringLiteral("Index of held axis 0"))->setValue(2);
    QCOMPARE(changed.size(), 1);
    const auto selection = changed.first().first().value<core::Selection>();
    QCOMPARE(selection.fixed[0], std::optional<std::int64_t>(2));
    QCOMPARE(selection.layout, m_tensor.selection.layout);
}

void TestMainWindow::recoloursTheMaskWithoutAsking()
{
    QTest::keyClick(m_window.get(), Qt::Key_4);
    m_requests->clear();
    auto* canvas = m_window->findChild<ui::Canvas*>();
    QVERIFY(canvas->look().mask);
    const double before = canvas->look().opacity;
    QTest::keyClick(m_window.get(), Qt::Key_D);
    QVERIFY(canvas->look().opacity > before);
    QTest::keyClick(m_window.get(), Qt::Key_A);
    QTest::keyClick(m_window.get(), Qt::Key_A);
    QVERIFY(canvas->look().opacity < before);
    action(QStringLiteral("Mask as Contour"))->trigger();
    QVERIFY(canvas->look().contour);
    QCOMPARE(m_requests->size(), 0);
    QTest::keyClick(m_window.get(), Qt::Key_S);
    QVERIFY(!canvas->look().mask);
    // A channel's mask is off until wanted.
    QTest::keyClick(m_window.get(), Qt::Key_2);
    QVERIFY(!canvas->look().mask);
    QTest::keyClick(m_window.get(), Qt::Key_S);
    QVERIFY(canvas->look().mask && last().withMask);
}

void TestMainWindow::goesToTheChannelOfATile()
{
    QTest::keyClick(m_window.get(), Qt::Key_3);
    m_requests->clear();
    auto* canvas = m_window->findChild<ui::Canvas*>();
    QSignalSpy clicked(canvas, &ui::Canvas::channelClicked);
    QTest::mouseClick(canvas, Qt::LeftButton, {}, canvas->rect().center() + QPoint(20, 20));
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(last().view, core::ViewKind::channel);
    QCOMPARE(last().channel, clicked.first().first().toLongLong());
}

void TestMainWindow::dragsTheThreshold()
{
    m_window->dragThreshold(0.5);
    QVERIFY(last().dragging);
    QCOMPARE(last().where.condition.a.real, 0.5);
    m_window->dragThreshold(0.75);
    QCOMPARE(last().where.condition.a.real, 0.75);
    // Held still, an exact frame is asked for; and the drag goes on.
    QTRY_VERIFY(!last().dragging);
    m_window->dragThreshold(0.8);
    QVERIFY(last().dragging);
    m_window->endDrag();
    QVERIFY(!last().dragging);
    QCOMPARE(last().where.condition.a.real, 0.8);
}

void TestMainWindow::keepsMessagesUntilDismissed()
{
    auto* bar = m_window->findChild<ui::MessageBar*>();
    QVERIFY(!bar->isVisible());
    m_window->showMessage(ui::Severity::error, QStringLiteral("a.npy: the header is cut off at byte 80."));
    m_window->showMessage(ui::Severity::warning, QStringLiteral("b.pt changed on disk."), QStringLiteral("Reload"),
                          QStringLiteral("b"));
    m_window->showMessage(ui::Severity::warning, QStringLiteral("b.pt changed on disk."), QStringLiteral("Reload"),
                          QStringLiteral("b"));
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->count(), 2);
    QSignalSpy acted(m_window.get(), &MainWindow::messageAction);
    named<QPushButton>(QStringLiteral("Act on the message"))->click();
    QCOMPARE(acted.first().first().toString(), QStringLiteral("b"));
    QVERIFY(bar->text().startsWith(QStringLiteral("a.npy")));
    named<QPushButton>(QStringLiteral("Dismiss"))->click();
    QVERIFY(!bar->isVisible());
}

void TestMainWindow::showsProgressWithCancel()
{
    auto* cancel = named<QPushButton>(QStringLiteral("Cancel"));
    QVERIFY(!cancel->isVisible());
    m_window->showProgress(QStringLiteral("Reading layer3.1"), 0.5);
    QVERIFY(cancel->isVisible());
    QSignalSpy cancelled(m_window.get(), &MainWindow::cancelRequested);
    cancel->click();
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QCOMPARE(cancelled.size(), 2);
    m_window->hideProgress();
    QVERIFY(!cancel->isVisible());
}

void TestMainWindow::asksToExport()
{
    QSignalSpy exported(m_window.get(), &MainWindow::exportRequested);
    action(QStringLiteral("Export Table"))->trigger();
    auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    QVERIFY(dialog);
    auto* name = dialog->findChild<QLineEdit*>();
    QCOMPARE(name->text(), QStringLiteral("activations-layer3.1-channels.csv"));
    name->setText(QDir::temp().filePath(QStringLiteral("actiscope-nowhere/table.json")));
    dialog->reject();
    QCOMPARE(exported.size(), 0);
}

void TestMainWindow::listsAllKeys()
{
    QTest::keyClick(m_window.get(), Qt::Key_Question, Qt::ShiftModifier);
    auto* list = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    QVERIFY(list);
    QStringList texts;
    for (const auto* label : list->findChildren<QLabel*>())
        texts.append(label->text());
    for (const QAction* candidate : m_window->actions())
        if (!candidate->shortcuts().isEmpty())
            QVERIFY2(texts.contains(candidate->iconText()), qPrintable(candidate->iconText()));
    QVERIFY(list->sizeHint().height() <= 660);
    list->reject();
}

void TestMainWindow::namesEveryControl()
{
    for (const auto* widget : m_window->findChildren<QWidget*>()) {
        const bool control = qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
                             qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QAbstractSlider*>(widget) ||
                             qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractItemView*>(widget);
        // Parts that Qt makes inside its own widgets take their owner's name.
        const bool inner =
            widget->objectName().startsWith(QStringLiteral("qt_")) || qobject_cast<const QAbstractSpinBox*>(widget->parent()) ||
            qobject_cast<const QComboBox*>(widget->parent()) ||
            QByteArray(widget->metaObject()->className()).contains("Private") || widget->inherits("QDockWidgetTitleButton") ||
            widget->inherits("QComboBoxPrivateContainer") || widget->inherits("QLineEditIconButton") ||
            widget->inherits("QHeaderView") || widget->inherits("QScrollBar") || widget->inherits("QMenuBarExtension") ||
            (widget->parent() && widget->parent()->inherits("QTabBar")) ||
            (widget->parent() && widget->parent()->inherits("QComboBoxPrivateContainer")) ||
            (widget->parent() && widget->parent()->inherits("QTableView"));
        if (!control || inner)
            continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        QVERIFY2(!widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
                 qPrintable(QStringLiteral("%1 in %2 has no accessible name")
                                .arg(QLatin1String(widget->metaObject()->className()),
                                     QLatin1String(widget->parent()->metaObject()->className()))));
    }
}

void TestMainWindow::tellsTheKeyInTooltips()
{
    for (const QAction* candidate : m_window->actions())
        if (!candidate->shortcuts().isEmpty() && candidate->iconText() != QStringLiteral("Show over a Picture"))
            QVERIFY2(candidate->toolTip().contains(candidate->shortcut().toString(QKeySequence::NativeText)),
                     qPrintable(candidate->toolTip()));
    for (const auto* button : m_window->findChildren<QToolButton*>())
        if (!button->inherits("QDockWidgetTitleButton") && !button->inherits("QMenuBarExtension") &&
            !button->parent()->inherits("QTabBar") && !button->parent()->inherits("QMenuBar") &&
            !button->parent()->inherits("QLineEdit"))
            QVERIFY2(!button->toolTip().isEmpty(), qPrintable(button->text() + QLatin1String(" in ") +
                                                              QLatin1String(button->parent()->metaObject()->className())));
}

void TestMainWindow::clipsNothing_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("view");
    for (int view = 1; view <= 4; ++view) {
        QTest::addRow("1024x700 view %d", view) << QSize(1024, 700) << view;
        QTest::addRow("1280x800 view %d", view) << QSize(1280, 800) << view;
    }
}

void TestMainWindow::clipsNothing()
{
    QFETCH(QSize, size);
    QFETCH(int, view);
    m_window->resize(size);
    QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_0 + view));
    QTRY_COMPARE(m_window->size(), size);
    if (view % 2)
        m_window->showInput(model(7));
    m_window->findChild<QDockWidget*>(view % 2 ? QStringLiteral("coordinates") : QStringLiteral("channels"))->raise();
    QCoreApplication::processEvents();
    for (const auto* widget : m_window->findChildren<QWidget*>()) {
        const auto* label = qobject_cast<const QLabel*>(widget);
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const auto* combo = qobject_cast<const QComboBox*>(widget);
        if (!widget->isVisible() || !(label || button || combo) || (label && label->wordWrap()))
            continue;
        // Docks behind another's tab keep their widgets, somewhere out of sight.
        if (widget->inherits("QDockWidgetTitleButton") || widget->visibleRegion().isEmpty())
            continue;
        const QSize least = label || combo ? widget->minimumSizeHint() : widget->sizeHint();
        const QString what =
            QStringLiteral("%1 \"%2\": %3 x %4 of %5 x %6")
                .arg(QLatin1String(widget->metaObject()->className()), label ? label->text() : widget->accessibleName())
                .arg(widget->width())
                .arg(widget->height())
                .arg(least.width())
                .arg(least.height());
        QVERIFY2(widget->width() >= std::min(least.width(), widget->maximumWidth()) && widget->height() >= least.height() - 1,
                 qPrintable(what));
        const QRect place(widget->mapTo(m_window.get(), QPoint()), widget->size());
        QVERIFY2(m_window->rect().contains(place), qPrintable(what));
    }
}

void TestMainWindow::wearsLightAndDark()
{
    const auto contrast = [](const QColor& a, const QColor& b) {
        const auto luminance = [](const QColor& c) {
            const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
            return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
        };
        const double one = luminance(a);
        const double other = luminance(b);
        return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
    };
    for (const QString& name : {QStringLiteral("Dark"), QStringLiteral("Light")}) {
        action(name)->trigger();
        const QPalette palette = QApplication::palette();
        QCOMPARE(ui::isDark(palette), name == QStringLiteral("Dark"));
        const QColor ground = palette.color(QPalette::Window);
        // WCAG AA: 4.5 for text.
        QVERIFY(contrast(palette.color(QPalette::Text), palette.color(QPalette::Base)) >= 7);
        QVERIFY(contrast(ui::themeColors(palette).quietText, ground) >= 4.5);
        QVERIFY(contrast(palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight)) >= 4.5);
        for (const QColor& color :
             {ui::themeColors(palette).error, ui::themeColors(palette).warning, palette.color(QPalette::Link)})
            QVERIFY(contrast(color, ground) >= 4.5);
        for (auto* plot : m_window->findChildren<QWidget*>()) {
            if (!plot->inherits("QCustomPlot") || plot->visibleRegion().isEmpty())
                continue;
            QTRY_COMPARE(QColor(plot->grab().toImage().pixel(1, 1)).lightness() < 128, name == QStringLiteral("Dark"));
        }
        // The bottom line is bare ground.
        QTRY_COMPARE(QColor(m_window->grab().toImage().pixel(640, m_window->height() - 2)), ground);
    }
    action(QStringLiteral("Follow the System"))->trigger();
}

void TestMainWindow::copiesAPictureWithColorBar()
{
    const QImage plain = m_window->canvasPicture(false);
    // 14 x 14 pixels at a whole scale.
    QCOMPARE(plain.width() % 14, 0);
    QCOMPARE(plain.width(), plain.height());
    QVERIFY(m_window->canvasPicture(true).width() > plain.width() + 60);
}

void TestMainWindow::enablesWhatActs()
{
    const auto enabled = [this](const char* name) { return action(QString::fromLatin1(name))->isEnabled(); };
    QVERIFY(!enabled("Stop"));
    m_window->showProgress(QStringLiteral("Reading layer3.1"), 0.5);
    QVERIFY(enabled("Stop"));
    m_window->hideProgress();
    QVERIFY(!enabled("Stop"));
    QTest::keyClick(m_window.get(), Qt::Key_Space);
    QVERIFY(enabled("Stop"));
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(!enabled("Stop"));
    // At the first channel of several, of a tensor without depth.
    m_window->showTensor(m_tensor);
    QVERIFY(!enabled("Next Slice") && !enabled("Previous Slice") && enabled("Next Channel") && enabled("Next Batch Item"));
    QTest::keyClick(m_window.get(), Qt::Key_Left, Qt::ShiftModifier);
    QVERIFY(!enabled("Previous Batch Item"));
    QTest::keyClick(m_window.get(), Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(enabled("Previous Batch Item"));
    // A heat map has no mask; without an image nothing lies over anything.
    auto* opacity = named<QSlider>(QStringLiteral("Opacity"));
    QVERIFY(!enabled("Mask Overlay") && !enabled("Mask as Contour") && !enabled("More Opaque") && !opacity->isEnabled());
    QVERIFY(!enabled("Smooth over a Picture") && !enabled("Colour Limits: Automatic"));
    m_window->setOverlayImage(std::make_shared<core::Image>(28, 28, core::rgba(1, 2, 3)), QStringLiteral("/data/cat.png"));
    QVERIFY(enabled("More Opaque") && opacity->isEnabled() && enabled("Smooth over a Picture"));
    QTest::keyClick(m_window.get(), Qt::Key_3);
    QVERIFY(!enabled("More Opaque") && !enabled("Show over a Picture") && enabled("Mask Overlay"));
    QTest::keyClick(m_window.get(), Qt::Key_S);
    QVERIFY(enabled("More Opaque") && enabled("Mask as Contour"));
    named<QRadioButton>(QStringLiteral("Limits: Percentiles"))->click();
    QVERIFY(enabled("Colour Limits: Automatic"));
    QTest::keyClick(m_window.get(), Qt::Key_C);
    QVERIFY(!enabled("Colour Limits: Automatic"));
    m_tensor = frames::tensor({1, 1, 5, 14, 14});
    m_window->showTensor(m_tensor);
    QVERIFY(enabled("Next Slice") && !enabled("Next Channel") && !enabled("Previous Channel"));
    m_window->showNothing();
    QVERIFY(!enabled("Next Slice") && !enabled("Play Channels or Slices") && !enabled("Close") && !enabled("Stop"));
}

void TestMainWindow::showsChecksInMenus()
{
    QVERIFY(action(QStringLiteral("Crosshair"))->isCheckable());
    for (const QAction* candidate : m_window->actions())
        QVERIFY2(!candidate->isCheckable() || !candidate->isIconVisibleInMenu() || candidate->icon().isNull(),
                 qPrintable(candidate->text()));
}

void TestMainWindow::explainsTheMask()
{
    const auto* bar = m_window->findChild<ui::ColorBar*>();
    QVERIFY(bar->scale().hasValues && !bar->scale().hasMask);
    QTest::keyClick(m_window.get(), Qt::Key_4);
    QVERIFY(bar->isVisible() && bar->scale().hasValues && bar->scale().hasMask && !bar->scale().isContour);
    const QImage over = m_window->canvasPicture(true);
    QVERIFY(over.width() > m_window->canvasPicture(false).width());
    // Over an image the values' colours are not to be seen: only the mask's is explained.
    m_window->setOverlayImage(std::make_shared<core::Image>(28, 28, core::rgba(1, 2, 3)), QStringLiteral("/data/cat.png"));
    QVERIFY(bar->isVisible() && !bar->scale().hasValues && bar->scale().hasMask);
    QVERIFY(!named<QComboBox>(QStringLiteral("Colour map"))->isVisible());
    const QImage image = const_cast<ui::ColorBar*>(bar)->grab().toImage();
    int hot = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            hot += image.pixel(x, y) == qRgb(255, 64, 32);
    QVERIFY(hot > 100);
    action(QStringLiteral("Mask as Contour"))->trigger();
    QVERIFY(bar->scale().isContour);
    action(QStringLiteral("Mask as Contour"))->trigger();
    // Neither values nor a mask: nothing to explain.
    QTest::keyClick(m_window.get(), Qt::Key_S);
    QVERIFY(!bar->isVisible());
    QTest::keyClick(m_window.get(), Qt::Key_S);
    QTest::keyClick(m_window.get(), Qt::Key_2);
    QVERIFY(bar->isVisible() && bar->scale().hasValues);
}

void TestMainWindow::fitsTheLayoutPanelToItsRows()
{
    for (const core::Shape& shape : {core::Shape{4, 16, 14, 14}, core::Shape{14, 14}, core::Shape(12, 2)}) {
        m_tensor = frames::tensor(shape);
        m_window->showTensor(m_tensor);
        auto* menu = m_window->findChild<ui::LayoutEditor*>()->menu();
        menu->popup(m_window->mapToGlobal(QPoint(400, 60)));
        auto* scroll = menu->findChild<QScrollArea*>();
        const int rows = scroll->widget()->sizeHint().height();
        QCOMPARE(scroll->height(), std::min(rows, scroll->maximumHeight()));
        QVERIFY(scroll->height() == rows || rows > 250);
        QVERIFY(menu->height() < scroll->height() + 100);
        QVERIFY(scroll->viewport()->width() >= scroll->widget()->minimumSizeHint().width());
        menu->close();
    }
}

void TestMainWindow::runsAModelByKey()
{
    QSignalSpy changed(m_window.get(), &MainWindow::inputChanged);
    QSignalSpy run(m_window.get(), &MainWindow::runRequested);
    QSignalSpy stop(m_window.get(), &MainWindow::stopRequested);
    QSignalSpy cancel(m_window.get(), &MainWindow::cancelRequested);
    QTest::keyClick(m_window.get(), Qt::Key_F9);
    QVERIFY(!action(QStringLiteral("Run Model"))->isEnabled());
    QCOMPARE(run.size(), 0);
    QVERIFY(!m_window->giveInputFiles({QStringLiteral("/data/cat.png")}));
    m_window->showInput(model(7));
    QTest::keyClick(m_window.get(), Qt::Key_F9);
    QCOMPARE(run.size(), 1);
    QCOMPARE(run.last().first().toInt(), 7);
    // Also while a text is being written, which the run then gets.
    auto* field = named<QLineEdit>(QStringLiteral("File for x"));
    QTest::keyClicks(field, QStringLiteral("/data/cat.png"));
    field->setFocus();
    QTest::keyClick(field, Qt::Key_F9);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.last().last().value<ui::InputChoice>().arguments.front().text, QStringLiteral("/data/cat.png"));
    QCOMPARE(run.size(), 2);
    m_window->setModelRunning(true);
    QTest::keyClick(m_window.get(), Qt::Key_F9);
    QCOMPARE(run.size(), 2);
    named<QPushButton>(QStringLiteral("Stop the model"))->click();
    QCOMPARE(stop.last().first().toInt(), 7);
    named<QWidget>(QStringLiteral("Canvas"))->setFocus();
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QCOMPARE(cancel.size(), 1);
    // Told again while it runs, it still runs.
    m_window->showInput(model(7));
    QVERIFY(!action(QStringLiteral("Run Model"))->isEnabled());
    m_window->setModelRunning(false);
    QVERIFY(action(QStringLiteral("Run Model"))->isEnabled());
    QVERIFY(m_window->giveInputFiles({QStringLiteral("/data/dog.png")}));
    QCOMPARE(changed.size(), 2);
    m_window->clearInput(3);
    QVERIFY(action(QStringLiteral("Run Model"))->isEnabled());
    m_window->clearInput(7);
    QVERIFY(!action(QStringLiteral("Run Model"))->isEnabled());
}

void TestMainWindow::opensTheInputDockForANewModel()
{
    auto* input = m_window->findChild<QDockWidget*>(QStringLiteral("input"));
    auto* contents = m_window->findChild<QDockWidget*>(QStringLiteral("contents"));
    QVERIFY(input->isVisible() && input->y() > contents->y() && input->x() == contents->x());
    input->close();
    QVERIFY(!input->isVisible());
    m_window->showInput(model(7));
    QTRY_VERIFY(input->isVisible() && input->height() > 300);
    // Closed by the user it stays closed for this model.
    input->close();
    m_window->showInput(model(7));
    QVERIFY(!input->isVisible());
    m_window->showInput(model(8));
    QVERIFY(input->isVisible());
    // Behind a tab it comes to the front.
    m_window->tabifyDockWidget(input, contents);
    contents->raise();
    QTRY_VERIFY(input->visibleRegion().isEmpty());
    m_window->showInput(model(9));
    QTRY_VERIFY(!input->visibleRegion().isEmpty());
}

void TestMainWindow::tabGoesThroughTheInputDock()
{
    m_window->showInput(model(7));
    m_window->setInputPreview({nullptr, {}, QStringLiteral("It does not fit"), {{QStringLiteral("Add a batch axis"), {}}}, {}});
    QTRY_VERIFY(named<QPushButton>(QStringLiteral("Add a batch axis"))->isVisible());
    named<QAbstractItemView>(QStringLiteral("Contents"))->setFocus();
    QStringList names;
    for (int step = 0; step < 15; ++step) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        names.append(QApplication::focusWidget()->accessibleName());
    }
    const QStringList order{QStringLiteral("Add a batch axis"),
                            QStringLiteral("Source of x"),
                            QStringLiteral("File for x"),
                            QStringLiteral("Choose a file for x"),
                            QStringLiteral("Resize"),
                            QStringLiteral("Crop"),
                            QStringLiteral("Scale"),
                            QStringLiteral("Mean"),
                            QStringLiteral("Standard deviation"),
                            QStringLiteral("Axes of the input"),
                            QStringLiteral("Dtype of the input"),
                            QStringLiteral("How models are run"),
                            QStringLiteral("Show what does not fit"),
                            QStringLiteral("Run the model")};
    QCOMPARE(names.mid(0, order.size()), order);
    // After the dock comes the middle of the window.
    QVERIFY(!m_window->findChild<ui::InputPanel*>()->isAncestorOf(QApplication::focusWidget()));
}

void TestMainWindow::tellsThePixelOfTheInput_data()
{
    QTest::addColumn<core::InputGeometry>("place");
    QTest::addColumn<QPoint>("cell");
    QTest::addColumn<QString>("text");
    // 14 cells of 16 pixels: cell 5 covers pixels 80 to 95, its middle lies between 87 and 88, and halves go up.
    QTest::newRow("as it is") << core::InputGeometry{224, 224, 224, 224} << QPoint(5, 9) << QStringLiteral("input (88, 152)");
    // The middle 224 of 500 x 300: 138 and 38 further in.
    QTest::newRow("cropped") << core::InputGeometry{500, 300, 224, 224, 138, 38} << QPoint(5, 9)
                             << QStringLiteral("input (226, 190)");
    // 56 from 112: cell 0 covers 8 pixels of the original, middle 3.5.
    QTest::newRow("resized") << core::InputGeometry{112, 112, 56, 56, 0, 0, 2, 2} << QPoint(0, 13)
                             << QStringLiteral("input (4, 108)");
}

void TestMainWindow::tellsThePixelOfTheInput()
{
    QFETCH(core::InputGeometry, place);
    QFETCH(QPoint, cell);
    QFETCH(QString, text);
    auto* readOut = named<ui::ReadOut>(QStringLiteral("Pixel of the input or overlay image"));
    auto* canvas = static_cast<ui::Canvas*>(named<QWidget>(QStringLiteral("Canvas")));
    ui::CanvasPixel pixel;
    pixel.x = cell.x();
    pixel.y = cell.y();
    Q_EMIT canvas->hovered(pixel);
    QVERIFY(readOut->text().isEmpty());
    m_tensor.input = ui::NetworkInput{place, nullptr, nullptr};
    m_window->showTensor(m_tensor);
    m_window->showFrame(frames::frame(m_tensor, m_window->currentRequest()));
    Q_EMIT canvas->hovered(pixel);
    QCOMPARE(readOut->text(), text);
    Q_EMIT canvas->hoverEnded();
    QVERIFY(readOut->text().isEmpty());
}

void TestMainWindow::laysLayersOverTheChosenPicture()
{
    auto* canvas = m_window->findChild<ui::Canvas*>();
    const auto over = [&](const char* text) { return action(QString::fromLatin1(text)); };
    QVERIFY(!over("Over What the Network Got")->isEnabled() && !over("Over the Original Picture")->isEnabled());
    // 20 x 20 cut out of 60 x 40, at column 30 and row 10.
    m_tensor.input = ui::NetworkInput{{60, 40, 20, 20, 30, 10},
                                      std::make_shared<core::Image>(20, 20, core::rgba(1, 2, 3)),
                                      std::make_shared<core::Image>(60, 40, core::rgba(4, 5, 6))};
    m_window->showTensor(m_tensor);
    m_window->showFrame(frames::frame(m_tensor, m_window->currentRequest()));
    QVERIFY(over("Over What the Network Got")->isChecked() && canvas->isOverImage());
    const auto imagePixels = [&] {
        std::optional<QRect> seen;
        for (int y = 0; y < canvas->height(); y += 2)
            for (int x = 0; x < canvas->width(); x += 2)
                if (const auto pixel = canvas->pixelAt(QPointF(x, y)))
                    seen = seen.value_or(QRect()).united(QRect(*pixel->imagePixel, QSize(1, 1)));
        return seen;
    };
    QCOMPARE(imagePixels(), std::optional(QRect(0, 0, 20, 20)));
    over("Over the Original Picture")->trigger();
    QCOMPARE(imagePixels(), std::optional(QRect(30, 10, 20, 20)));
    // An overlay image is shown when it is opened, over all of it; a layer of another model comes over its own picture.
    m_window->setOverlayImage(std::make_shared<core::Image>(28, 28, core::rgba(1, 2, 3)), QStringLiteral("/data/cat.png"));
    QVERIFY(over("Over the Overlay Image")->isChecked());
    QCOMPARE(imagePixels(), std::optional(QRect(0, 0, 28, 28)));
    m_tensor.document += 1;
    m_window->showTensor(m_tensor);
    QVERIFY(over("Over What the Network Got")->isChecked());
    // A tensor that no model gave lies over the overlay image.
    m_tensor.input.reset();
    m_window->showTensor(m_tensor);
    QVERIFY(over("Over the Overlay Image")->isChecked());
}

void TestMainWindow::marksWhatAnEarlierInputGave()
{
    m_window->showInput(model(m_tensor.document));
    m_tensor.inputName = QStringLiteral("cat.png");
    m_window->showTensor(m_tensor);
    auto* path = named<ui::ReadOut>(QStringLiteral("Shown tensor"));
    auto* dock = named<ui::ReadOut>(QStringLiteral("Whether what is shown is of this input"));
    QVERIFY(path->text().startsWith(QStringLiteral("cat.png \u2192 ")) && dock->text().isEmpty());
    m_window->setOutdated(m_tensor.document, true);
    QVERIFY(path->text().contains(QStringLiteral("earlier input: cat.png")));
    QCOMPARE(dock->text(), QStringLiteral("shown: earlier input"));
    m_window->setOutdated(m_tensor.document + 1, false);
    QVERIFY(path->text().contains(QStringLiteral("earlier input")));
    m_window->setOutdated(m_tensor.document, false);
    QVERIFY(!path->text().contains(QStringLiteral("earlier")) && dock->text().isEmpty());
}

void TestMainWindow::remembersHowModelsAreRun()
{
    m_window->setRunOptions({true, QStringLiteral("2G"), 90, {QStringLiteral("/lib/ops.so")}});
    m_window->close();
    m_window = std::make_unique<MainWindow>();
    // Neither the libraries nor the operators: they belong to what was open.
    QCOMPARE(m_window->runOptions(), (ui::RunOptions{false, QStringLiteral("2G"), 90, {}}));
    m_window.reset();
    QSettings().clear();
}

void TestMainWindow::remembersChoices()
{
    auto* reduction = named<QComboBox>(QStringLiteral("Reduction"));
    reduction->setCurrentText(QStringLiteral("max"));
    action(QStringLiteral("Crosshair"))->trigger();
    action(QStringLiteral("Dark"))->trigger();
    named<QSlider>(QStringLiteral("Opacity"))->setValue(35);
    for (const char* dock : {"coordinates", "input"})
        m_window->findChild<QDockWidget*>(QLatin1String(dock))->close();
    m_window->resize(1100, 720);
    m_window->close();
    m_window = std::make_unique<MainWindow>();
    m_window->show();
    QCOMPARE(named<QComboBox>(QStringLiteral("Reduction"))->currentText(), QStringLiteral("max"));
    QVERIFY(!action(QStringLiteral("Crosshair"))->isChecked());
    QVERIFY(action(QStringLiteral("Dark"))->isChecked());
    QCOMPARE(named<QSlider>(QStringLiteral("Opacity"))->value(), 35);
    for (const char* dock : {"coordinates", "input"})
        QVERIFY(!m_window->findChild<QDockWidget*>(QLatin1String(dock))->isVisible());
    QCOMPARE(m_window->size(), QSize(1100, 720));
    action(QStringLiteral("Restore Docks"))->trigger();
    QVERIFY(!m_window->findChild<QDockWidget*>(QStringLiteral("coordinates"))->isHidden());
    action(QStringLiteral("Follow the System"))->trigger();
    m_window.reset();
    QSettings().clear();
}

void TestMainWindow::keepsItsSizeForALongMessage()
{
    m_window->resize(1024, 700);
    QTRY_COMPARE(m_window->size(), QSize(1024, 700));
    const QString path = QStringLiteral("/data/") + QString(300, QLatin1Char('m')) + QStringLiteral(".npy: cannot be read");
    m_window->showMessage(ui::Severity::error, path, QStringLiteral("Choose library"));
    auto* bar = m_window->findChild<ui::MessageBar*>();
    QTRY_VERIFY(bar->isVisible() && bar->height() > 10);
    QCoreApplication::processEvents();
    QCOMPARE(m_window->size(), QSize(1024, 700));
    QVERIFY2(m_window->minimumSizeHint().width() <= 1024, qPrintable(QString::number(m_window->minimumSizeHint().width())));
    // All of it is in the tooltip.
    QCOMPARE(named<QLabel>(QStringLiteral("Message text"))->toolTip(), path);
}

void TestMainWindow::putsDocksBehindEachOtherOnALowScreen()
{
    QMainWindow window;
    ui::DockArea docks(&window);
    docks.addRight();
    docks.setFilesOpen(true);
    window.show();
    auto* threshold = window.findChild<QDockWidget*>(QStringLiteral("threshold"));
    auto* channels = window.findChild<QDockWidget*>(QStringLiteral("channels"));
    // There is room.
    docks.fitHeight(800);
    QVERIFY(!window.tabifiedDockWidgets(threshold).contains(channels));
    constexpr int low = 480;
    QVERIFY(window.minimumSizeHint().height() > low);
    docks.fitHeight(low);
    QVERIFY(window.tabifiedDockWidgets(threshold).contains(channels));
    QTRY_VERIFY(window.minimumSizeHint().height() <= low);
}

QTEST_MAIN(TestMainWindow)
#include "test_main_window.moc"
