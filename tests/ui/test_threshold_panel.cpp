// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/condition_form.h"
#include "ui/distribution_plot.h"
#include "ui/main_window.h"
#include "ui/threshold_panel.h"
#include "ui/total_readout.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cmath>

using core::ConditionKind;
using core::DType;

namespace {

ui::TensorSummary tensor(DType dtype = DType::f32)
{
    ui::TensorSummary summary;
    summary.dtype = dtype;
    summary.shape = {1, 3, 4, 4};
    summary.selection = core::Selection::all(core::Layout::guess(4));
    summary.extents = core::extentsOf(summary.shape, summary.selection);
    return summary;
}

/// Values 0 to 10, counts falling from 100 by one.
core::Frame frame(int bins = 100, double lo = 0, double hi = 10)
{
    auto distribution = std::make_shared<core::Distribution>();
    distribution->histogram = {lo, hi, {}};
    for (int i = 0; i < bins; ++i)
        distribution->histogram.bins.push_back(100 - i);
    core::Frame frame;
    frame.distribution = distribution;
    frame.count = 2041;
    frame.elements = 50176;
    return frame;
}

core::Where where(const char* text)
{
    return core::Where::parse(text);
}

struct Shown
{
    ui::ThresholdPanel panel;
    ui::DistributionPlot* plot = nullptr;
    QWidget* area = nullptr;

    explicit Shown(const char* condition, DType dtype = DType::f32, const core::Frame& first = frame())
    {
        panel.resize(300, 420);
        panel.setWhere(where(condition));
        panel.setTensor(tensor(dtype));
        panel.setFrame(first);
        panel.show();
        plot = panel.findChild<ui::DistributionPlot*>();
        area = plot->findChild<QWidget*>();
        if (!QTest::qWaitForWindowExposed(&panel))
            qFatal("the panel did not appear");
        // The plot lays its axes out with its next replot.
        QCoreApplication::processEvents();
    }

    /// Where handle `handle` stands when the condition is `condition`.
    QPoint positionFor(const char* condition, int handle = 0)
    {
        const core::Where before = panel.where();
        panel.setWhere(where(condition));
        const QPoint position = plot->handlePosition(handle);
        panel.setWhere(before);
        return position;
    }

    QComboBox* combo(const QString& name)
    {
        for (QComboBox* box : panel.findChildren<QComboBox*>()) {
            if (box->accessibleName() == name)
                return box;
        }
        qFatal("no combo box %s", qPrintable(name));
    }

    void choose(const QString& combo_, const QString& text)
    {
        QComboBox* box = combo(combo_);
        const int index = box->findText(text);
        QVERIFY2(index >= 0, qPrintable(text));
        box->setCurrentIndex(index);
        Q_EMIT box->activated(index);
    }

    QLineEdit* field(const QString& name)
    {
        for (auto* box : panel.findChildren<QAbstractSpinBox*>()) {
            if (box->accessibleName() == name)
                return box->findChild<QLineEdit*>();
        }
        qFatal("no field %s", qPrintable(name));
    }
};

} // namespace

class TestThresholdPanel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void draggingTheHandleChangesTheValueAtEveryStep();
    void draggedValuesSitOnStops();
    void pressingBesideTheHandleBringsItThere();
    void draggedIntegersAreWhole();
    void twoHandlesMoveTheirOwnBoundAndDoNotCross();
    void magnitudesHaveMirroredHandles();
    void typedTextStaysAsTyped();
    void wrongTextIsExplained();
    void anUnfinishedNumberIsNotAsked();
    void rulesShowTheThresholdFound();
    void draggingARuleMakesItAFixedValue();
    void perChannelHasNoSingleHandle();
    void parameterOutsideItsRangeIsRefused();
    void everyConditionIsWrittenAsTheCommandLineReadsIt_data();
    void everyConditionIsWrittenAsTheCommandLineReadsIt();
    void complexTensorsTakeOnlyWhatTheyCan();
    void twoBoundsBeginApart_data();
    void twoBoundsBeginApart();
    void aThresholdOutsideTheAxisPointsOut();
    void anEmptyPlotSaysWhy();
    void arrowKeysStepByStops();
    void programmedDragEndsOnce();
    void theTotalSaysWhetherItIsExact();
    void aDominantSpikeIsShownLogarithmically();
    void aChoiceOfScaleStays();
    void noFiniteValuesLeaveNoHandle();
    void theDockSaysWhatWillBeThere();
    void plotsAreSaved();
    void tabOrderFollowsReadingOrder();
    void coloursFollowThePalette();
};

void TestThresholdPanel::draggingTheHandleChangesTheValueAtEveryStep()
{
    Shown shown("> 2");
    const QPoint from = shown.plot->handlePosition(0);
    const QPoint to = shown.positionFor("> 6");
    QVERIFY(to.x() > from.x() + 50);
    QSignalSpy started(&shown.panel, &ui::ThresholdPanel::dragStarted);
    QSignalSpy moved(&shown.panel, &ui::ThresholdPanel::dragMoved);
    QSignalSpy ended(&shown.panel, &ui::ThresholdPanel::dragEnded);
    std::vector<double> asked;
    connect(&shown.panel, &ui::ThresholdPanel::whereChanged, this, [&](const core::Where& where) {
        QVERIFY(shown.panel.isDragging());
        asked.push_back(where.condition.a.real);
    });
    QTest::mousePress(shown.area, Qt::LeftButton, {}, from);
    for (int x = from.x() + 1; x <= to.x(); ++x)
        QTest::mouseMove(shown.area, {x, from.y()});
    QCOMPARE(started.count(), 1);
    QCOMPARE(ended.count(), 0);
    QTest::mouseRelease(shown.area, Qt::LeftButton, {}, to);
    QCOMPARE(ended.count(), 1);
    QVERIFY(!shown.panel.isDragging());
    QCOMPARE(moved.count(), to.x() - from.x());
    QCOMPARE(asked.size(), std::size_t(moved.count()));
    QVERIFY(std::is_sorted(asked.begin(), asked.end()));
    const double pixel = 4.0 / (to.x() - from.x());
    QVERIFY2(std::abs(asked.back() - 6) <= pixel, qPrintable(QString::number(asked.back())));
    QCOMPARE(shown.panel.where().condition.a.real, asked.back());
    QCOMPARE(shown.plot->handlePosition(0).x(), to.x());
}

void TestThresholdPanel::draggedValuesSitOnStops()
{
    Shown shown("> 2");
    shown.panel.setStopFunctions([](double value) { return std::round(value * 4) / 4; },
                                 [](double value, std::int64_t n) { return value + 0.25 * static_cast<double>(n); });
    const QPoint from = shown.plot->handlePosition(0);
    QTest::mousePress(shown.area, Qt::LeftButton, {}, from);
    for (int x = from.x(); x < from.x() + 60; ++x) {
        QTest::mouseMove(shown.area, {x, from.y()});
        const double value = shown.panel.where().condition.a.real;
        QCOMPARE(value * 4, std::round(value * 4));
    }
    QTest::mouseRelease(shown.area, Qt::LeftButton, {}, from);
    shown.panel.setWhere(where("> 2"));
    shown.panel.step(3);
    QCOMPARE(shown.panel.where().text, std::string("> 2.75"));
    shown.panel.step(-10);
    QCOMPARE(shown.panel.where().text, std::string("> 0.25"));
}

void TestThresholdPanel::pressingBesideTheHandleBringsItThere()
{
    Shown shown("> 2");
    const QPoint to = shown.positionFor("> 8");
    QTest::mouseClick(shown.area, Qt::LeftButton, {}, to);
    QVERIFY(std::abs(shown.panel.where().condition.a.real - 8) < 0.1);
    QVERIFY(!shown.panel.isDragging());
}

void TestThresholdPanel::draggedIntegersAreWhole()
{
    Shown shown("> 2", DType::u8, frame(256, 0, 200));
    const QPoint from = shown.plot->handlePosition(0);
    QTest::mousePress(shown.area, Qt::LeftButton, {}, from);
    QTest::mouseMove(shown.area, from + QPoint(37, 0));
    QTest::mouseRelease(shown.area, Qt::LeftButton, {}, from + QPoint(37, 0));
    const core::Number a = shown.panel.where().condition.a;
    QVERIFY(a.isInteger);
    QVERIFY(a.real > 2);
}

void TestThresholdPanel::twoHandlesMoveTheirOwnBoundAndDoNotCross()
{
    Shown shown("between 3 7");
    QCOMPARE(shown.plot->handleCount(), 2);
    const QPoint low = shown.plot->handlePosition(0);
    const QPoint high = shown.plot->handlePosition(1);
    const QPoint five = shown.positionFor("between 5 7");
    QTest::mousePress(shown.area, Qt::LeftButton, {}, low);
    QTest::mouseMove(shown.area, five);
    QVERIFY(std::abs(shown.panel.where().condition.a.real - 5) < 0.1);
    QCOMPARE(shown.panel.where().condition.b.real, 7.0);
    QTest::mouseMove(shown.area, high + QPoint(40, 0));
    QTest::mouseRelease(shown.area, Qt::LeftButton, {}, high + QPoint(40, 0));
    QCOMPARE(shown.panel.where().condition.a.real, 7.0);
    QCOMPARE(shown.panel.where().condition.b.real, 7.0);
    // Both in one place: the one that can go that way is taken.
    QTest::mousePress(shown.area, Qt::LeftButton, {}, high + QPoint(1, 0));
    QTest::mouseMove(shown.area, high + QPoint(30, 0));
    QTest::mouseRelease(shown.area, Qt::LeftButton, {}, high + QPoint(30, 0));
    QCOMPARE(shown.panel.where().condition.a.real, 7.0);
    QVERIFY(shown.panel.where().condition.b.real > 7.5);
}

void TestThresholdPanel::magnitudesHaveMirroredHandles()
{
    Shown shown("abs > 2", DType::f32, frame(100, -10, 10));
    QCOMPARE(shown.plot->handleCount(), 2);
    const QPoint negative = shown.plot->handlePosition(1);
    const QPoint six = shown.positionFor("abs > 6", 1);
    QVERIFY(six.x() < negative.x());
    QTest::mousePress(shown.area, Qt::LeftButton, {}, negative);
    QTest::mouseMove(shown.area, six);
    QTest::mouseRelease(shown.area, Qt::LeftButton, {}, six);
    QVERIFY(std::abs(shown.panel.where().condition.a.real - 6) < 0.2);
    QCOMPARE(shown.panel.where().condition.kind, ConditionKind::absGt);
}

void TestThresholdPanel::typedTextStaysAsTyped()
{
    Shown shown("> 2");
    QSignalSpy changed(&shown.panel, &ui::ThresholdPanel::whereChanged);
    shown.panel.focusValue();
    QLineEdit* field = shown.field(QStringLiteral("Threshold"));
    QCOMPARE(field->selectedText(), QStringLiteral("2"));
    QTest::keyClicks(field, QStringLiteral("0.10000000000000000001"));
    QCOMPARE(shown.panel.where().text, std::string("> 0.10000000000000000001"));
    QCOMPARE(shown.panel.where().condition.a.text, std::string("0.10000000000000000001"));
    QVERIFY(changed.count() > 10);
    // A comma is no decimal point, in any locale.
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("9007199254740993"));
    QVERIFY(shown.panel.where().condition.a.isInteger);
    QVERIFY(shown.panel.where().condition.a.integer == 9007199254740993);
}

void TestThresholdPanel::wrongTextIsExplained()
{
    Shown shown("> 2");
    QLineEdit* field = shown.field(QStringLiteral("Threshold"));
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("0,8"));
    QTest::keyClick(field, Qt::Key_Return);
    const auto labels = shown.panel.findChildren<QLabel*>();
    const bool told = std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QLatin1String("0,8"));
    });
    QVERIFY(told);
    QCOMPARE(field->text(), QStringLiteral("0,8"));
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("0.8"));
    const bool still = std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QLatin1String("0,8"));
    });
    QVERIFY(!still);
}

void TestThresholdPanel::anUnfinishedNumberIsNotAsked()
{
    Shown shown("> 2");
    QLineEdit* field = shown.field(QStringLiteral("Threshold"));
    QSignalSpy changed(&shown.panel, &ui::ThresholdPanel::whereChanged);
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("-"));
    QCOMPARE(changed.count(), 0);
    QTest::keyClicks(field, QStringLiteral("1"));
    QCOMPARE(changed.count(), 1);
    QTest::keyClicks(field, QStringLiteral("e"));
    QCOMPARE(changed.count(), 1);
    QTest::keyClicks(field, QStringLiteral("3"));
    QCOMPARE(changed.count(), 2);
    QCOMPARE(shown.panel.where().condition.a.real, -1000.0);
}

void TestThresholdPanel::rulesShowTheThresholdFound()
{
    Shown shown("> 2");
    shown.choose(QStringLiteral("Rule that finds the threshold"), QStringLiteral("percentile"));
    QCOMPARE(shown.panel.where().text, std::string("percentile 99"));
    QVERIFY(shown.panel.where().rule.has_value());
    QCOMPARE(shown.plot->handleCount(), 0);
    core::Frame answer = frame();
    answer.request.where = shown.panel.where();
    answer.thresholds.resize(1);
    answer.thresholds[0].a = double(6.1f);
    shown.panel.setFrame(answer);
    QCOMPARE(shown.field(QStringLiteral("Threshold"))->text(), QStringLiteral("6.1"));
    QCOMPARE(shown.plot->handleCount(), 1);
    QVERIFY(std::abs(shown.plot->handlePosition(0).x() - shown.positionFor("> 6.1").x()) <= 1);
    QLineEdit* parameter = shown.field(QStringLiteral("Parameter of the rule"));
    parameter->selectAll();
    QTest::keyClicks(parameter, QStringLiteral("99.5"));
    QCOMPARE(shown.panel.where().text, std::string("percentile 99.5"));
    QCOMPARE(shown.panel.where().rule->parameter, 99.5);
}

void TestThresholdPanel::draggingARuleMakesItAFixedValue()
{
    Shown shown("otsu");
    core::Frame answer = frame();
    answer.request.where = shown.panel.where();
    answer.thresholds.resize(1);
    answer.thresholds[0].a = 4.0;
    shown.panel.setFrame(answer);
    const QPoint from = shown.plot->handlePosition(0);
    QTest::mousePress(shown.area, Qt::LeftButton, {}, from);
    QTest::mouseMove(shown.area, from + QPoint(20, 0));
    QTest::mouseRelease(shown.area, Qt::LeftButton, {}, from + QPoint(20, 0));
    QVERIFY(!shown.panel.where().rule.has_value());
    QCOMPARE(shown.panel.where().condition.kind, ConditionKind::gt);
    QVERIFY(shown.panel.where().condition.a.real > 4);
    // A late answer to the rule does not move the handle back.
    const QPoint now = shown.plot->handlePosition(0);
    shown.panel.setFrame(answer);
    QCOMPARE(shown.plot->handlePosition(0), now);
}

void TestThresholdPanel::perChannelHasNoSingleHandle()
{
    Shown shown("sigma 2");
    shown.choose(QStringLiteral("Scope of the rule"), QStringLiteral("per channel"));
    QVERIFY(shown.panel.where().perChannel);
    core::Frame answer = frame();
    answer.request.where = shown.panel.where();
    answer.thresholds.resize(3);
    shown.panel.setFrame(answer);
    QCOMPARE(shown.plot->handleCount(), 0);
    QCOMPARE(shown.field(QStringLiteral("Threshold"))->text(), QStringLiteral("per channel"));
    // Leaving the rule leaves a number.
    shown.choose(QStringLiteral("Rule that finds the threshold"), QStringLiteral("fixed value"));
    QVERIFY(!shown.panel.where().perChannel);
    QCOMPARE(shown.panel.where().text, std::string("> 0"));
}

void TestThresholdPanel::parameterOutsideItsRangeIsRefused()
{
    Shown shown("percentile 99");
    QSignalSpy changed(&shown.panel, &ui::ThresholdPanel::whereChanged);
    QLineEdit* parameter = shown.field(QStringLiteral("Parameter of the rule"));
    QTest::keyClicks(parameter, QStringLiteral("0"));
    QCOMPARE(parameter->text(), QStringLiteral("990"));
    QCOMPARE(changed.count(), 0);
}

void TestThresholdPanel::everyConditionIsWrittenAsTheCommandLineReadsIt_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"> 0.8", ">= -1", "< 1e-3", "<= 0", "== 2", "!= 0", "between -1 1.5", "outside 0.1 0.2", "abs > 0.5", "abs >= 3",
          "nan", "inf", "finite", "percentile 99.9", "sigma 2.5", "max 0.5", "otsu"})
        QTest::newRow(text) << QString::fromLatin1(text);
}

void TestThresholdPanel::everyConditionIsWrittenAsTheCommandLineReadsIt()
{
    QFETCH(QString, text);
    ui::ThresholdPanel panel;
    panel.setTensor(tensor());
    const core::Where parsed = core::Where::parse(text.toStdString());
    panel.setWhere(parsed);
    const core::Where shown = panel.where();
    QCOMPARE(shown.text, text.toStdString());
    QCOMPARE(shown.rule.has_value(), parsed.rule.has_value());
    if (parsed.rule) {
        QCOMPARE(shown.rule->kind, parsed.rule->kind);
        QCOMPARE(shown.rule->parameter, parsed.rule->parameter);
        return;
    }
    QCOMPARE(shown.condition.kind, parsed.condition.kind);
    QCOMPARE(shown.condition.a.real, parsed.condition.a.real);
    QCOMPARE(shown.condition.b.real, parsed.condition.b.real);
    QCOMPARE(shown.condition.a.isInteger, parsed.condition.a.isInteger);
}

void TestThresholdPanel::complexTensorsTakeOnlyWhatTheyCan()
{
    ui::ThresholdPanel panel;
    panel.setWhere(where("percentile 99"));
    panel.setTensor(tensor(DType::c64));
    QVERIFY(!panel.where().rule.has_value());
    QCOMPARE(panel.where().condition.kind, ConditionKind::absGt);
    panel.setWhere(where("!= 0"));
    panel.setTensor(tensor(DType::c128));
    QCOMPARE(panel.where().condition.kind, ConditionKind::ne);
}

void TestThresholdPanel::twoBoundsBeginApart_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("chosen");
    QTest::addColumn<QString>("after");
    // The values run from -2.5 to 7.5.
    QTest::newRow("to the maximum") << "> 0.8"
                                    << "between"
                                    << "between 0.8 7.5";
    QTest::newRow("outside too") << "> 0.8"
                                 << "outside"
                                 << "outside 0.8 7.5";
    QTest::newRow("above the maximum") << "> 9"
                                       << "between"
                                       << "between -2.5 9";
    QTest::newRow("bounds there already") << "between 1 2"
                                          << "outside"
                                          << "outside 1 2";
}

void TestThresholdPanel::twoBoundsBeginApart()
{
    QFETCH(QString, before);
    QFETCH(QString, chosen);
    Shown shown(qPrintable(before));
    ui::TensorSummary summary = tensor();
    summary.total.min = -2.5;
    summary.total.max = 7.5;
    shown.panel.setTensor(summary);
    shown.choose(QStringLiteral("Condition"), chosen);
    QTEST(QString::fromStdString(shown.panel.where().text), "after");
}

void TestThresholdPanel::aThresholdOutsideTheAxisPointsOut()
{
    // Values run from 0 to 10.
    Shown shown("> 5");
    const QImage inside = shown.plot->grab().toImage();
    const auto picture = [&](const char* condition) {
        shown.panel.setWhere(where(condition));
        QCoreApplication::processEvents();
        return shown.plot->grab().toImage();
    };
    // On the edge and beyond it the tab stands in one place; they must not look alike.
    const QImage edge = picture("> 10");
    const QImage beyond = picture("> 12.5");
    const QImage further = picture("> 13.5");
    QVERIFY(edge != beyond);
    QVERIFY(beyond != further);
    QVERIFY(picture("> 0") != picture("> -3"));
    QVERIFY(inside == picture("> 5"));
}

void TestThresholdPanel::anEmptyPlotSaysWhy()
{
    ui::ThresholdPanel panel;
    panel.resize(300, 420);
    panel.show();
    auto* plot = panel.findChild<ui::DistributionPlot*>();
    const auto reasonOf = [&](DType dtype, std::int64_t elements, std::int64_t finite) {
        ui::TensorSummary summary = tensor(dtype);
        summary.total.elements = elements;
        summary.total.finite = finite;
        panel.setTensor(summary);
        panel.setFrame(frame(0));
        return plot->reason();
    };
    QVERIFY(reasonOf(DType::c64, 48, 48).contains(QStringLiteral("Complex")));
    const auto picture = [&] {
        QCoreApplication::processEvents();
        return plot->grab().toImage();
    };
    const QImage complex = picture();
    QVERIFY(reasonOf(DType::f32, 0, 0).contains(QStringLiteral("No elements")));
    QVERIFY(picture() != complex);
    QVERIFY(reasonOf(DType::f32, 48, 0).contains(QStringLiteral("No finite values")));
    QVERIFY(reasonOf(DType::f32, 48, 40).contains(QStringLiteral("shown plane")));
    panel.setFrame(frame());
    QCOMPARE(plot->reason(), QString());
}

void TestThresholdPanel::arrowKeysStepByStops()
{
    Shown shown("> 2");
    shown.panel.setStopFunctions([](double value) { return value; },
                                 [](double value, std::int64_t n) { return value + 0.5 * static_cast<double>(n); });
    QTest::keyClick(shown.plot, Qt::Key_Right);
    QCOMPARE(shown.panel.where().condition.a.real, 2.5);
    QTest::keyClick(shown.plot, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(shown.panel.where().condition.a.real, -2.5);
    QTest::keyClick(shown.field(QStringLiteral("Threshold"))->parentWidget(), Qt::Key_Up);
    QCOMPARE(shown.panel.where().condition.a.real, -2.0);
}

void TestThresholdPanel::programmedDragEndsOnce()
{
    Shown shown("> 2");
    QSignalSpy started(&shown.panel, &ui::ThresholdPanel::dragStarted);
    QSignalSpy ended(&shown.panel, &ui::ThresholdPanel::dragEnded);
    for (const double value : {3.0, 4.0, 5.0})
        shown.panel.dragTo(value);
    QCOMPARE(started.count(), 1);
    QCOMPARE(shown.panel.where().text, std::string("> 5"));
    shown.panel.endDrag();
    shown.panel.endDrag();
    QCOMPARE(ended.count(), 1);
}

void TestThresholdPanel::theTotalSaysWhetherItIsExact()
{
    Shown shown("> 2");
    auto* total = shown.panel.findChild<ui::TotalReadout*>();
    QCOMPARE(total->text(), QStringLiteral("2,041 hot of 50,176, 4.07 %, exact"));
    core::Frame rough = frame();
    rough.exact = false;
    shown.panel.setFrame(rough);
    QCOMPARE(total->text(), QStringLiteral("\u2248 2,041 hot of 50,176, 4.07 %, approximate"));
}

void TestThresholdPanel::aDominantSpikeIsShownLogarithmically()
{
    const auto logCount = [](Shown& shown) {
        for (QToolButton* button : shown.panel.findChildren<QToolButton*>()) {
            if (button->accessibleName() == QLatin1String("Logarithmic counts"))
                return button->isChecked();
        }
        qFatal("no such button");
    };
    Shown flat("> 2");
    QVERIFY(!logCount(flat));
    core::Frame spiked = frame();
    auto distribution = std::make_shared<core::Distribution>(*spiked.distribution);
    distribution->histogram.bins[0] = 1'000'000;
    spiked.distribution = distribution;
    Shown relu("> 2", DType::f32, spiked);
    QVERIFY(logCount(relu));
}

void TestThresholdPanel::aChoiceOfScaleStays()
{
    Shown shown("> 2");
    QToolButton* log = nullptr;
    for (QToolButton* button : shown.panel.findChildren<QToolButton*>()) {
        if (button->accessibleName() == QLatin1String("Logarithmic counts"))
            log = button;
    }
    QTest::mouseClick(log, Qt::LeftButton);
    QVERIFY(log->isChecked());
    shown.panel.setTensor(tensor());
    shown.panel.setFrame(frame(50));
    QVERIFY(log->isChecked());
}

void TestThresholdPanel::noFiniteValuesLeaveNoHandle()
{
    core::Frame none = frame(0);
    Shown shown("> 2", DType::f32, none);
    QCOMPARE(shown.plot->handleCount(), 0);
    QTest::mouseClick(shown.area, Qt::LeftButton, {}, shown.area->rect().center());
    QCOMPARE(shown.panel.where().text, std::string("> 2"));
}

void TestThresholdPanel::theDockSaysWhatWillBeThere()
{
    ui::ThresholdPanel panel;
    panel.show();
    auto* line = panel.findChild<QLabel*>(QStringLiteral("emptyLine"));
    QVERIFY(line->isVisible());
    QVERIFY(line->text().contains(QLatin1String("Ctrl+O")));
    panel.setTensor(tensor());
    QVERIFY(!line->isVisible());
    panel.clear();
    QVERIFY(line->isVisible());
}

void TestThresholdPanel::plotsAreSaved()
{
    Shown shown("> 2");
    const QTemporaryDir folder;
    for (const char* name : {"plot.svg", "plot.pdf", "plot.png"}) {
        const QString path = folder.filePath(QLatin1String(name));
        QVERIFY(shown.panel.savePlot(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray start = file.read(200);
        const char* expected = path.endsWith(QLatin1String("svg"))   ? "<svg"
                               : path.endsWith(QLatin1String("pdf")) ? "%PDF"
                                                                     : "PNG";
        QVERIFY2(start.contains(expected), start.constData());
    }
    QVERIFY(!shown.panel.savePlot(folder.filePath(QStringLiteral("plot.xyz"))));
    QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("plot.xyz"))));
}

void TestThresholdPanel::tabOrderFollowsReadingOrder()
{
    Shown shown("percentile 99");
    QStringList order;
    QPoint before(-1, -1);
    QWidget* first = shown.combo(QStringLiteral("Condition"));
    for (QWidget* widget = first; widget; widget = widget->nextInFocusChain()) {
        if (!order.isEmpty() && widget == first)
            break;
        if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) || !shown.panel.isAncestorOf(widget) ||
            qobject_cast<QLineEdit*>(widget))
            continue;
        QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
        const QPoint center = widget->mapTo(&shown.panel, widget->rect().center());
        order.append(widget->accessibleName());
        QVERIFY2(center.y() > before.y() + 8 || (std::abs(center.y() - before.y()) <= 8 && center.x() > before.x()),
                 qPrintable(order.join(QStringLiteral(" > "))));
        before = center;
    }
    QVERIFY2(order.size() >= 8, qPrintable(order.join(QStringLiteral(" > "))));
}

void TestThresholdPanel::coloursFollowThePalette()
{
    Shown shown("> 2");
    const auto corner = [&] { return shown.plot->grab().toImage().pixelColor(2, 2); };
    QCOMPARE(corner(), shown.panel.palette().color(QPalette::Window));
    QPalette dark = shown.panel.palette();
    dark.setColor(QPalette::Window, QColor(30, 31, 34));
    dark.setColor(QPalette::WindowText, Qt::white);
    shown.panel.setPalette(dark);
    QTRY_COMPARE(corner(), QColor(30, 31, 34));
}

QTEST_MAIN(TestThresholdPanel)
#include "test_threshold_panel.moc"
