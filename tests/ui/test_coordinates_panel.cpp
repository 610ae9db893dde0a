// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/coordinates_panel.h"
#include "ui/coordinates_view.h"
#include "ui/main_window.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include <limits>

namespace {

constexpr std::int64_t billion = 1'000'000'000;

ui::TensorSummary tensor()
{
    ui::TensorSummary summary;
    summary.shape = {1000, 1000, 1000};
    summary.selection = core::Selection::all(core::Layout::guess(3));
    summary.extents = core::extentsOf(summary.shape, summary.selection);
    return summary;
}

/// Every element of [1000, 1000, 1000] is hot: row r is its own index written in base 1000, its value r modulo 100.
core::Frame answer(const core::RowWindow& asked, std::int64_t total = billion)
{
    core::Frame frame;
    frame.count = total;
    frame.elements = billion;
    frame.request.rows = asked;
    core::Coordinates rows;
    rows.firstRow = asked.first;
    rows.rank = 3;
    for (std::int64_t row = asked.first; row < std::min(asked.first + asked.count, total); ++row) {
        for (const std::int64_t index : {row / 1'000'000, row / 1000 % 1000, row % 1000})
            rows.indices.push_back(index);
        rows.values.push_back(static_cast<double>(row % 100));
    }
    frame.rows = rows;
    return frame;
}

/// A panel whose questions are answered at once.
struct Shown
{
    ui::CoordinatesPanel panel;
    ui::CoordinatesView* view;
    std::vector<core::RowWindow> asked;
    std::int64_t total;

    explicit Shown(std::int64_t rows = billion) : total(rows)
    {
        panel.resize(300, 300);
        panel.setTensor(tensor());
        view = panel.findChild<ui::CoordinatesView*>();
        panel.show();
        if (!QTest::qWaitForWindowExposed(&panel))
            qFatal("the panel did not appear");
        QObject::connect(&panel, &ui::CoordinatesPanel::rowsWanted, &panel, [this](const core::RowWindow& rows_) {
            asked.push_back(rows_);
            panel.setFrame(answer(rows_, total));
        });
        panel.setFrame(answer(panel.wantedRows(), total));
    }
};

} // namespace

class TestCoordinatesPanel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aBillionRowsScrollInSmallWindows();
    void moreRowsThanAnIntScroll();
    void smallScrollsStayInTheWindowHeld();
    void rowsInViewAreAskedForOnce();
    void aShrinkingListComesBackIntoView();
    void clickingARowTellsItsIndices();
    void keysMoveByRowPageAndEnd();
    void aRowNotYetHeldIsToldWhenItComes();
    void selectedRowsAreCopied();
    void rowsOutOfViewAreFetchedForCopying();
    void tooManyRowsAreNotCopied();
    void aHiddenPanelAsksForNothing();
    void scalarsHaveNoIndices();
    void longValuesFitWithoutScrolling_data();
    void longValuesFitWithoutScrolling();
};

void TestCoordinatesPanel::aBillionRowsScrollInSmallWindows()
{
    Shown shown;
    for (const double where : {0.25, 0.5, 0.999, 1.0, 0.0}) {
        QScrollBar* bar = shown.view->verticalScrollBar();
        bar->setValue(static_cast<int>(bar->maximum() * where));
        const std::int64_t first = shown.view->firstVisible();
        QVERIFY(std::abs(double(first) - where * double(billion)) < 100);
        const QStringList cells = shown.view->cells(first);
        QCOMPARE(cells.size(), 5);
        QCOMPARE(cells[1].toLongLong() * 1'000'000 + cells[2].toLongLong() * 1000 + cells[3].toLongLong(), first);
        QCOMPARE(cells[4].toLongLong(), first % 100);
    }
    for (const core::RowWindow& rows : shown.asked)
        QVERIFY2(rows.count < 100, qPrintable(QString::number(rows.count)));
    // The last row can be seen.
    shown.view->verticalScrollBar()->setValue(shown.view->verticalScrollBar()->maximum());
    QCOMPARE(shown.view->cells(billion - 1).mid(1, 3), QStringList({"999", "999", "999"}));
}

void TestCoordinatesPanel::moreRowsThanAnIntScroll()
{
    constexpr std::int64_t many = 10 * billion;
    Shown shown(many);
    shown.view->scrollToRow(many / 2 + 1);
    QCOMPARE(shown.view->firstVisible(), many / 2 + 1);
    QVERIFY(!shown.view->cells(many / 2 + 1).isEmpty());
    QTest::keyClick(shown.view, Qt::Key_End);
    QCOMPARE(shown.view->currentRow(), many - 1);
    QVERIFY(!shown.view->cells(many - 1).isEmpty());
    QCOMPARE(shown.view->verticalScrollBar()->value(), shown.view->verticalScrollBar()->maximum());
}

void TestCoordinatesPanel::smallScrollsStayInTheWindowHeld()
{
    Shown shown;
    shown.asked.clear();
    for (int row = 0; row < 8; ++row)
        shown.view->scrollToRow(row);
    QCOMPARE(shown.asked.size(), std::size_t(0));
    shown.view->scrollToRow(5000);
    QCOMPARE(shown.asked.size(), std::size_t(1));
}

void TestCoordinatesPanel::rowsInViewAreAskedForOnce()
{
    ui::CoordinatesPanel panel;
    panel.resize(300, 300);
    panel.setTensor(tensor());
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    QSignalSpy wanted(&panel, &ui::CoordinatesPanel::rowsWanted);
    panel.setFrame(answer(panel.wantedRows()));
    QCOMPARE(wanted.count(), 0);
    auto* view = panel.findChild<ui::CoordinatesView*>();
    view->scrollToRow(12345);
    view->scrollToRow(12345);
    QCOMPARE(wanted.count(), 1);
    QVERIFY(view->cells(12345).isEmpty());
    // An answer to the question before: the open one is asked again, not forgotten.
    panel.setFrame(answer({0, 20}));
    QCOMPARE(wanted.count(), 2);
    panel.setFrame(answer(panel.wantedRows()));
    QCOMPARE(wanted.count(), 2);
    QCOMPARE(view->cells(12345).mid(1, 3), QStringList({"0", "12", "345"}));
}

void TestCoordinatesPanel::aShrinkingListComesBackIntoView()
{
    Shown shown;
    shown.view->scrollToRow(billion / 2);
    shown.total = 1000;
    shown.panel.setFrame(answer(shown.panel.wantedRows(), 1000));
    QVERIFY(shown.view->firstVisible() < 1000);
    QVERIFY(!shown.view->cells(999).isEmpty());
    shown.total = 0;
    shown.panel.setFrame(answer(shown.panel.wantedRows(), 0));
    QCOMPARE(shown.view->firstVisible(), std::int64_t(0));
    QTest::keyClick(shown.view, Qt::Key_Down);
    QCOMPARE(shown.view->currentRow(), std::int64_t(-1));
}

void TestCoordinatesPanel::clickingARowTellsItsIndices()
{
    Shown shown;
    shown.view->scrollToRow(123'456'789);
    std::vector<std::int64_t> indices;
    connect(&shown.panel, &ui::CoordinatesPanel::rowChosen, this, [&](const std::vector<std::int64_t>& row) { indices = row; });
    const int height = shown.view->fontMetrics().height() + 5;
    QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {}, QPoint(40, height + height / 2));
    QCOMPARE(indices, (std::vector<std::int64_t>{123, 456, 789}));
    QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {}, QPoint(40, height * 3 + height / 2));
    QCOMPARE(indices, (std::vector<std::int64_t>{123, 456, 791}));
}

void TestCoordinatesPanel::keysMoveByRowPageAndEnd()
{
    Shown shown;
    QTest::keyClick(shown.view, Qt::Key_Down);
    QCOMPARE(shown.view->currentRow(), std::int64_t(0));
    QTest::keyClick(shown.view, Qt::Key_Down);
    QCOMPARE(shown.view->currentRow(), std::int64_t(1));
    QTest::keyClick(shown.view, Qt::Key_PageDown);
    QVERIFY(shown.view->currentRow() > 5);
    QTest::keyClick(shown.view, Qt::Key_End);
    QCOMPARE(shown.view->currentRow(), billion - 1);
    QTest::keyClick(shown.view, Qt::Key_Home);
    QCOMPARE(shown.view->currentRow(), std::int64_t(0));
    QCOMPARE(shown.view->firstVisible(), std::int64_t(0));
}

void TestCoordinatesPanel::aRowNotYetHeldIsToldWhenItComes()
{
    ui::CoordinatesPanel panel;
    panel.resize(300, 300);
    panel.setTensor(tensor());
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    panel.setFrame(answer(panel.wantedRows()));
    QSignalSpy chosen(&panel, &ui::CoordinatesPanel::rowChosen);
    QTest::keyClick(panel.findChild<ui::CoordinatesView*>(), Qt::Key_End);
    QCOMPARE(chosen.count(), 0);
    panel.setFrame(answer(panel.wantedRows()));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].value<std::vector<std::int64_t>>(), (std::vector<std::int64_t>{999, 999, 999}));
    panel.setFrame(answer(panel.wantedRows()));
    QCOMPARE(chosen.count(), 1);
}

void TestCoordinatesPanel::selectedRowsAreCopied()
{
    Shown shown;
    shown.view->scrollToRow(1'002'003);
    const int height = shown.view->fontMetrics().height() + 5;
    QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, {}, QPoint(40, height + height / 2));
    QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, Qt::ShiftModifier, QPoint(40, height * 2 + height / 2));
    QTest::keyClick(shown.view, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("C\tH\tW\tvalue\n1\t2\t3\t3\n1\t2\t4\t4\n"));
}

void TestCoordinatesPanel::rowsOutOfViewAreFetchedForCopying()
{
    Shown shown;
    QTest::keyClick(shown.view, Qt::Key_Home);
    shown.view->scrollToRow(5000);
    QGuiApplication::clipboard()->clear();
    const int height = shown.view->fontMetrics().height() + 5;
    QTest::mouseClick(shown.view->viewport(), Qt::LeftButton, Qt::ShiftModifier, QPoint(40, height + height / 2));
    QTest::keyClick(shown.view, Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 5002);
    QCOMPARE(lines[1], QStringLiteral("0\t0\t0\t0"));
    QCOMPARE(lines[5001], QStringLiteral("0\t5\t0\t0"));
    // What is in view came back.
    QVERIFY(!shown.view->cells(5000).isEmpty());
}

void TestCoordinatesPanel::tooManyRowsAreNotCopied()
{
    Shown shown;
    QGuiApplication::clipboard()->setText(QStringLiteral("before"));
    QTest::keyClick(shown.view, Qt::Key_Home);
    QTest::keyClick(shown.view, Qt::Key_End, Qt::ShiftModifier);
    QTest::keyClick(shown.view, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("before"));
    const auto labels = shown.panel.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->text().contains(QLatin1String("1,000,000,000 rows are too many"));
    }));
}

void TestCoordinatesPanel::aHiddenPanelAsksForNothing()
{
    ui::CoordinatesPanel panel;
    panel.setTensor(tensor());
    QCOMPARE(panel.wantedRows().count, std::int64_t(0));
    QSignalSpy wanted(&panel, &ui::CoordinatesPanel::rowsWanted);
    core::Frame bare;
    bare.count = 50;
    panel.setFrame(bare);
    QCOMPARE(wanted.count(), 0);
    panel.show();
    QTRY_VERIFY(wanted.count() > 0);
}

void TestCoordinatesPanel::scalarsHaveNoIndices()
{
    ui::TensorSummary summary;
    summary.selection = core::Selection::all(core::Layout::guess(0));
    ui::CoordinatesPanel panel;
    panel.resize(300, 200);
    panel.setTensor(summary);
    panel.show();
    core::Frame frame;
    frame.count = 1;
    frame.request.rows = {0, 20};
    frame.rows = core::Coordinates{0, 0, {}, {core::Scalar(1.5)}};
    panel.setFrame(frame);
    QCOMPARE(panel.findChild<ui::CoordinatesView*>()->cells(0), QStringList({"0", "1.5"}));
    QVERIFY(!panel.grab().isNull());
}

void TestCoordinatesPanel::longValuesFitWithoutScrolling_data()
{
    QTest::addColumn<core::DType>("dtype");
    QTest::addColumn<core::Scalar>("value");
    QTest::addColumn<bool>("fits");
    QTest::newRow("float64") << core::DType::f64 << core::Scalar(-0.14285714285714285) << true;
    QTest::newRow("float32") << core::DType::f32 << core::Scalar(double(-1.2345678e-5F)) << true;
    QTest::newRow("int64") << core::DType::i64 << core::Scalar(std::int64_t{-123456}) << true;
    QTest::newRow("largest int64") << core::DType::i64 << core::Scalar(std::numeric_limits<std::int64_t>::min()) << true;
    QTest::newRow("longest float64") << core::DType::f64 << core::Scalar(-2.2250738585072014e-308) << false;
}

/// In a dock of its default width, with the axes of a usual layer; whatever comes is shown whole.
void TestCoordinatesPanel::longValuesFitWithoutScrolling()
{
    QFETCH(core::DType, dtype);
    QFETCH(core::Scalar, value);
    QFETCH(bool, fits);
    ui::TensorSummary summary;
    summary.dtype = dtype;
    summary.shape = {8, 256, 56, 56};
    summary.selection = core::Selection::all(core::Layout::guess(4));
    summary.total.min = value;
    summary.total.max = core::isFloating(dtype) ? core::Scalar(1.0) : core::Scalar(std::int64_t{7});
    ui::CoordinatesPanel panel;
    QFont font(QStringLiteral("DejaVu Sans"));
    font.setPixelSize(13);
    panel.setFont(font);
    panel.resize(330, 200);
    panel.setTensor(summary);
    panel.show();
    core::Frame frame;
    frame.count = 100;
    frame.request.rows = panel.wantedRows();
    frame.rows = core::Coordinates{0, 4, {}, {}};
    for (std::int64_t row = 0; row < frame.request.rows.count; ++row) {
        frame.rows->values.push_back(value);
        frame.rows->indices.insert(frame.rows->indices.end(), {7, 255, 55, 55});
    }
    panel.setFrame(frame);
    auto* view = panel.findChild<ui::CoordinatesView*>();
    QCOMPARE(view->horizontalScrollBar()->maximum() == 0, fits);
    QVERIFY(view->columnWidth(5) >= view->fontMetrics().horizontalAdvance(view->cells(0).last()));
}

QTEST_MAIN(TestCoordinatesPanel)
#include "test_coordinates_panel.moc"
