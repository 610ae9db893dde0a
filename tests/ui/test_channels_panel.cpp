// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/channel_bars.h"
#include "ui/channels_model.h"
#include "ui/channels_panel.h"
#include "ui/data_table.h"
#include "ui/main_window.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <memory>
#include <numeric>

using Model = ui::ChannelsModel;

namespace {

core::Statistics statistics(double min, double max, std::int64_t elements = 4)
{
    core::Statistics s;
    s.elements = s.finite = elements;
    s.min = min;
    s.max = max;
    s.mean = (min + max) / 2;
    s.std = (max - min) / 2;
    return s;
}

ui::TensorSummary tensor(std::int64_t batches, std::int64_t channels)
{
    ui::TensorSummary summary;
    summary.shape = {batches, channels, 2, 2};
    summary.selection = core::Selection::all(core::Layout::guess(4));
    summary.extents = core::extentsOf(summary.shape, summary.selection);
    auto planes = std::make_shared<std::vector<core::Statistics>>();
    for (std::int64_t i = 0; i < batches * channels; ++i)
        planes->push_back(statistics(double(-i), double(i)));
    summary.planes = planes;
    return summary;
}

core::Frame frame(std::vector<std::int64_t> counts, bool dragging = false)
{
    core::Frame frame;
    frame.request.dragging = dragging;
    for (const std::int64_t count : counts)
        frame.count += count;
    frame.counts = std::make_shared<const std::vector<std::int64_t>>(std::move(counts));
    frame.thresholds.resize(1);
    frame.thresholds[0].a = double(0.8f);
    return frame;
}

struct Shown
{
    ui::ChannelsPanel panel;
    Model* model;
    ui::DataTable* table;
    ui::ChannelBars* bars;

    explicit Shown(const ui::TensorSummary& summary, const core::Frame& first)
    {
        panel.resize(320, 420);
        panel.setTensor(summary);
        panel.setFrame(first);
        panel.show();
        model = panel.findChild<Model*>();
        table = panel.findChild<ui::DataTable*>();
        bars = panel.findChild<ui::ChannelBars*>();
        if (!QTest::qWaitForWindowExposed(&panel))
            qFatal("the panel did not appear");
        QCoreApplication::processEvents();
    }

    QStringList column(Model::Column column) const
    {
        QStringList texts;
        for (int row = 0; row < model->rowCount(); ++row)
            texts.append(model->index(row, column).data().toString());
        return texts;
    }
};

} // namespace

class TestChannelsPanel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void rowsHoldWhatTheFrameSays();
    void mostHotComesFirst();
    void everyColumnSorts_data();
    void everyColumnSorts();
    void orderStaysWhileDraggingAndSettlesAtRest();
    void onlyChangedColumnsAreTold();
    void flagsSayWhatIsWrong();
    void clickingARowOrABarChoosesTheChannel();
    void theSelectionFollowsWithoutSignals();
    void theSelectionStaysOnItsChannelWhenTheOrderChanges();
    void theSelectedRowStaysInSight();
    void columnsHoldTheirNumbersAndNames();
    void rowsAreCopiedWithTheirHeader();
    void aShownBatchItemIsListedOrAll();
    void thousandsOfChannelsShareBars();
    void channelsKeepTheirIndexInTheFile();
    void oneThresholdForEachChannel();
    void tensorsWithoutElementsAreShown();
    void nothingIsShownAfterClear();
};

void TestChannelsPanel::rowsHoldWhatTheFrameSays()
{
    Shown shown(tensor(1, 3), frame({1, 0, 3}));
    const QStringList third = [&] {
        QStringList texts;
        for (int column = 0; column < Model::columnTotal; ++column)
            texts.append(shown.model->index(0, column).data().toString());
        return texts;
    }();
    QCOMPARE(third, QStringList({"2", "0.8", "3", "75.0 %", "-2", "2", "0", "2", ""}));
    QCOMPARE(shown.model->index(0, Model::count).data(Qt::TextAlignmentRole).toInt(), int(Qt::AlignRight | Qt::AlignVCenter));
}

void TestChannelsPanel::mostHotComesFirst()
{
    Shown shown(tensor(1, 5), frame({1, 4, 0, 4, 2}));
    QCOMPARE(shown.column(Model::channel), QStringList({"1", "3", "4", "0", "2"}));
    QCOMPARE(shown.table->horizontalHeader()->sortIndicatorSection(), int(Model::count));
}

void TestChannelsPanel::everyColumnSorts_data()
{
    QTest::addColumn<int>("column");
    QTest::addColumn<bool>("descending");
    QTest::addColumn<QStringList>("channels");
    QTest::newRow("channel up") << int(Model::channel) << false << QStringList{"0", "1", "2", "3"};
    QTest::newRow("channel down") << int(Model::channel) << true << QStringList{"3", "2", "1", "0"};
    QTest::newRow("count up") << int(Model::count) << false << QStringList{"1", "0", "3", "2"};
    QTest::newRow("fraction down") << int(Model::fraction) << true << QStringList{"2", "0", "3", "1"};
    QTest::newRow("min up") << int(Model::min) << false << QStringList{"3", "2", "0", "1"};
    QTest::newRow("max down") << int(Model::max) << true << QStringList{"3", "2", "0", "1"};
    // Channel 1 has no finite value: last, whichever way.
    QTest::newRow("std up") << int(Model::std) << false << QStringList{"0", "2", "3", "1"};
    QTest::newRow("std down") << int(Model::std) << true << QStringList{"3", "2", "0", "1"};
    QTest::newRow("flags down") << int(Model::flags) << true << QStringList{"1", "0", "2", "3"};
}

void TestChannelsPanel::everyColumnSorts()
{
    QFETCH(int, column);
    QFETCH(bool, descending);
    ui::TensorSummary summary = tensor(1, 4);
    auto planes = std::make_shared<std::vector<core::Statistics>>(*summary.planes);
    core::Statistics notFinite;
    notFinite.elements = notFinite.nan = 4;
    (*planes)[1] = notFinite;
    summary.planes = planes;
    Shown shown(summary, frame({2, 0, 3, 2}));
    shown.table->sortByColumn(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    QTEST(shown.column(Model::channel), "channels");
}

void TestChannelsPanel::orderStaysWhileDraggingAndSettlesAtRest()
{
    Shown shown(tensor(1, 3), frame({3, 2, 1}));
    shown.panel.setFrame(frame({1, 2, 3}, true));
    QCOMPARE(shown.column(Model::channel), QStringList({"0", "1", "2"}));
    QCOMPARE(shown.column(Model::count), QStringList({"1", "2", "3"}));
    shown.panel.setFrame(frame({1, 2, 3}));
    QCOMPARE(shown.column(Model::channel), QStringList({"2", "1", "0"}));
    // The frame at rest may be the last one of the drag.
    core::Frame last = frame({5, 9, 7}, true);
    shown.panel.setFrame(last);
    last.request.dragging = false;
    shown.panel.setFrame(last);
    QCOMPARE(shown.column(Model::channel), QStringList({"1", "2", "0"}));
}

void TestChannelsPanel::onlyChangedColumnsAreTold()
{
    Shown shown(tensor(1, 4096), frame(std::vector<std::int64_t>(4096, 1)));
    QSignalSpy changed(shown.model, &QAbstractItemModel::dataChanged);
    QSignalSpy laidOut(shown.model, &QAbstractItemModel::layoutChanged);
    shown.panel.setFrame(frame(std::vector<std::int64_t>(4096, 2), true));
    QCOMPARE(laidOut.count(), 0);
    QVERIFY(changed.count() > 0);
    for (const auto& arguments : changed) {
        const int first = arguments[0].toModelIndex().column();
        const int last = arguments[1].toModelIndex().column();
        // Threshold, minimum and the other statistics did not change.
        QVERIFY((first == Model::count && last == Model::fraction) || (first == Model::flags && last == Model::flags));
    }
}

void TestChannelsPanel::flagsSayWhatIsWrong()
{
    ui::TensorSummary summary = tensor(1, 5);
    auto planes = std::make_shared<std::vector<core::Statistics>>(*summary.planes);
    (*planes)[0] = statistics(0, 0);
    (*planes)[0].zeros = 4;
    (*planes)[3].nan = 2;
    (*planes)[3].negativeInf = 1;
    summary.planes = planes;
    Shown shown(summary, frame({0, 0, 4, 1, 2}));
    shown.table->sortByColumn(Model::channel, Qt::AscendingOrder);
    QCOMPARE(shown.column(Model::flags), QStringList({"all 0", "never hot", "all hot", "2 NaN, 1 inf", ""}));
    QCOMPARE(shown.model->summary(),
             QStringLiteral("5 channels \u00b7 2 never hot \u00b7 1 all hot \u00b7 1 all 0 \u00b7 1 not finite"));
}

void TestChannelsPanel::clickingARowOrABarChoosesTheChannel()
{
    Shown shown(tensor(1, 5), frame({1, 4, 0, 3, 2}));
    QSignalSpy chosen(&shown.panel, &ui::ChannelsPanel::channelChosen);
    const QRect cell = shown.table->visualRect(shown.model->index(2, Model::count));
    QTest::mouseClick(shown.table->viewport(), Qt::LeftButton, {}, cell.center());
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0], QVariantList({QVariant::fromValue(std::int64_t(0)), QVariant::fromValue(std::int64_t(4))}));
    QTest::mouseClick(shown.bars->findChild<QWidget*>(), Qt::LeftButton, {}, shown.bars->barPosition(0));
    QCOMPARE(chosen.count(), 2);
    QCOMPARE(chosen[1][1].toLongLong(), 1);
    QCOMPARE(shown.table->currentIndex().row(), 0);
    QTest::keyClick(shown.table, Qt::Key_Down);
    QCOMPARE(chosen[2][1].toLongLong(), 3);
}

void TestChannelsPanel::theSelectionFollowsWithoutSignals()
{
    Shown shown(tensor(2, 300), frame(std::vector<std::int64_t>(600, 1)));
    QSignalSpy chosen(&shown.panel, &ui::ChannelsPanel::channelChosen);
    shown.panel.setCurrent(1, 250);
    QCOMPARE(chosen.count(), 0);
    QCOMPARE(shown.model->batch(), std::int64_t(1));
    QCOMPARE(shown.table->currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("250"));
    QVERIFY(shown.table->viewport()->rect().intersects(shown.table->visualRect(shown.table->currentIndex())));
}

void TestChannelsPanel::theSelectionStaysOnItsChannelWhenTheOrderChanges()
{
    Shown shown(tensor(1, 4), frame({4, 3, 2, 1}));
    QSignalSpy chosen(&shown.panel, &ui::ChannelsPanel::channelChosen);
    shown.panel.setCurrent(0, 1);
    shown.panel.setFrame(frame({1, 2, 3, 4}));
    QCOMPARE(shown.table->currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("1"));
    QCOMPARE(shown.table->selectionModel()->selectedRows().size(), 1);
    QCOMPARE(shown.table->selectionModel()->selectedRows().front().row(), 2);
    QCOMPARE(chosen.count(), 0);
}

void TestChannelsPanel::theSelectedRowStaysInSight()
{
    std::vector<std::int64_t> counts(500);
    std::iota(counts.begin(), counts.end(), 0);
    Shown shown(tensor(1, 500), frame(counts));
    const auto isInSight = [&](std::int64_t channel) {
        const QRect row = shown.table->visualRect(shown.model->index(shown.model->rowOf(channel), Model::channel));
        return shown.table->currentIndex().row() == shown.model->rowOf(channel) && row.top() >= 0 &&
               row.bottom() <= shown.table->viewport()->height();
    };
    shown.panel.setCurrent(0, 3);
    QVERIFY(isInSight(3));
    shown.table->sortByColumn(Model::count, Qt::AscendingOrder);
    QVERIFY(isInSight(3));
    shown.table->sortByColumn(Model::channel, Qt::DescendingOrder);
    QVERIFY(isInSight(3));
    shown.table->scrollToTop();
    shown.panel.setCurrent(0, 3);
    QVERIFY(isInSight(3));
    std::reverse(counts.begin(), counts.end());
    shown.table->sortByColumn(Model::count, Qt::DescendingOrder);
    shown.panel.setFrame(frame(counts));
    QVERIFY(isInSight(3));
}

void TestChannelsPanel::columnsHoldTheirNumbersAndNames()
{
    ui::TensorSummary summary = tensor(1, 4096);
    auto planes = std::make_shared<std::vector<core::Statistics>>(4096, statistics(-0.12345678, 1.2345678e-7));
    summary.dtype = core::DType::f64;
    summary.planes = planes;
    core::Frame first = frame(std::vector<std::int64_t>(4096, 3));
    first.thresholds[0].a = 0.1234567890123;
    Shown shown(summary, first);
    const QHeaderView* header = shown.table->horizontalHeader();
    for (int column = 0; column < Model::columnTotal; ++column) {
        const QModelIndex cell = shown.model->index(0, column);
        const QString text = cell.data().toString();
        QVERIFY2(shown.table->fontMetrics().horizontalAdvance(text) + 12 <= shown.table->columnWidth(column), qPrintable(text));
        const QString name = shown.model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        QVERIFY2(header->fontMetrics().horizontalAdvance(name) + 8 <= shown.table->columnWidth(column), qPrintable(name));
    }
    QCOMPARE(shown.model->index(0, Model::threshold).data().toString(), QStringLiteral("0.12346"));
    QCOMPARE(shown.model->index(0, Model::max).data().toString(), QStringLiteral("1.2346e-7"));
    QVERIFY(
        shown.model->index(0, Model::threshold).data(Qt::ToolTipRole).toString().contains(QStringLiteral("0.1234567890123")));
    QCOMPARE(shown.model->index(0, Model::min).data(Qt::EditRole).toString(), QStringLiteral("-0.12345678"));
}

void TestChannelsPanel::rowsAreCopiedWithTheirHeader()
{
    ui::TensorSummary summary = tensor(1, 3);
    summary.extents.height = 2000;
    Shown shown(summary, frame({2041, 0, 4000}));
    shown.table->selectAll();
    QTest::keyClick(shown.table, Qt::Key_C, Qt::ControlModifier);
    const QString expected = QStringLiteral("channel\tthreshold\tcount\t%\tmin\tmax\tmean\tstd\tflags\n"
                                            "2\t0.8\t4000\t100\t-2\t2\t0\t2\tall hot\n"
                                            "0\t0.8\t2041\t51.025\t0\t0\t0\t0\t\n"
                                            "1\t0.8\t0\t0\t-1\t1\t0\t1\tnever hot\n");
    QCOMPARE(QGuiApplication::clipboard()->text(), expected);
}

void TestChannelsPanel::aShownBatchItemIsListedOrAll()
{
    Shown shown(tensor(2, 2), frame({1, 2, 3, 4}));
    QCOMPARE(shown.column(Model::count), QStringList({"2", "1"}));
    core::Frame next = frame({1, 2, 3, 4});
    next.request.batch = 1;
    shown.panel.setFrame(next);
    QCOMPARE(shown.column(Model::count), QStringList({"4", "3"}));
    auto* all = shown.panel.findChild<QCheckBox*>();
    QVERIFY(all->isVisible());
    all->click();
    QCOMPARE(shown.column(Model::channel), QStringList({"1:1", "1:0", "0:1", "0:0"}));
    QSignalSpy chosen(&shown.panel, &ui::ChannelsPanel::channelChosen);
    shown.table->selectRow(2);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].toLongLong(), 0);
    QCOMPARE(chosen[0][1].toLongLong(), 1);
}

void TestChannelsPanel::thousandsOfChannelsShareBars()
{
    std::vector<std::int64_t> counts(4096, 1);
    counts[1000] = 4;
    Shown shown(tensor(1, 4096), frame(counts));
    shown.table->sortByColumn(Model::channel, Qt::AscendingOrder);
    QVERIFY(shown.bars->rowsPerBar() > 1);
    QSignalSpy chosen(&shown.panel, &ui::ChannelsPanel::channelChosen);
    // A bar leads to the largest of its channels.
    QTest::mouseClick(shown.bars->findChild<QWidget*>(), Qt::LeftButton, {}, shown.bars->barPosition(1000));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][1].toLongLong(), 1000);
}

void TestChannelsPanel::channelsKeepTheirIndexInTheFile()
{
    ui::TensorSummary summary = tensor(1, 2);
    summary.extents.firstChannel = 17;
    Shown shown(summary, frame({1, 0}));
    QCOMPARE(shown.column(Model::channel), QStringList({"17", "18"}));
}

void TestChannelsPanel::oneThresholdForEachChannel()
{
    core::Frame each = frame({3, 2, 1});
    each.thresholds.resize(3);
    each.thresholds[0].a = double(0.1f);
    each.thresholds[1].a = std::nullopt;
    each.thresholds[2].a = double(0.3f);
    Shown shown(tensor(1, 3), each);
    QCOMPARE(shown.column(Model::threshold), QStringList({"0.1", "", "0.3"}));
}

void TestChannelsPanel::tensorsWithoutElementsAreShown()
{
    ui::TensorSummary summary;
    summary.shape = {0, 3, 2, 2};
    summary.selection = core::Selection::all(core::Layout::guess(4));
    summary.extents = core::extentsOf(summary.shape, summary.selection);
    Shown shown(summary, frame({}));
    QVERIFY(shown.model->rowCount() <= 3);
    summary.shape = {1, 0, 2, 2};
    summary.extents = core::extentsOf(summary.shape, summary.selection);
    shown.panel.setTensor(summary);
    shown.panel.setFrame(frame({}));
    QCOMPARE(shown.model->rowCount(), 0);
    QTest::mouseClick(shown.bars->findChild<QWidget*>(), Qt::LeftButton, {}, shown.bars->rect().center());
}

void TestChannelsPanel::nothingIsShownAfterClear()
{
    Shown shown(tensor(1, 3), frame({1, 2, 3}));
    shown.panel.clear();
    QVERIFY(shown.panel.findChild<QLabel*>(QStringLiteral("emptyLine"))->isVisible());
    shown.panel.setFrame(frame({1, 2, 3}));
    QCOMPARE(shown.model->rowCount(), 0);
}

QTEST_MAIN(TestChannelsPanel)
#include "test_channels_panel.moc"
