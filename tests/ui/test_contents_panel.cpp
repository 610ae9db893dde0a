// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contents_model.h"
#include "ui/contents_panel.h"

#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

using Model = ui::ContentsModel;

namespace {

core::Entry tensorEntry(std::vector<std::string> path, core::Shape shape = {2, 3})
{
    core::Entry entry;
    entry.path = path;
    for (const std::string& part : path)
        entry.name += (entry.name.empty() || part.front() == '[' ? "" : ".") + part;
    entry.shape = shape;
    entry.strides = core::contiguousStrides(shape);
    entry.bytes = core::elementCount(shape) * 4;
    return entry;
}

std::shared_ptr<core::Document> document(const char* file, std::vector<core::Entry> entries)
{
    auto made = std::make_shared<core::Document>();
    made->file = file;
    made->format = "torch";
    made->entries = std::move(entries);
    return made;
}

std::shared_ptr<core::Document> network()
{
    core::Entry epoch;
    epoch.name = "epoch";
    epoch.path = {"epoch"};
    epoch.kind = core::EntryKind::value;
    epoch.value = "120";
    core::Entry config;
    config.name = "config";
    config.path = {"config"};
    config.kind = core::EntryKind::object;
    config.type = "argparse.Namespace";
    core::Entry noted = tensorEntry({"fc", "weight"}, {10, 512});
    noted.notes = {"requires grad"};
    return document("/data/resnet.pt", {tensorEntry({"conv1", "weight"}, {64, 3, 7, 7}), tensorEntry({"layer10", "weight"}),
                                        tensorEntry({"layer10", "bias"}, {3}), tensorEntry({"layer2", "weight"}, {4, 4}),
                                        tensorEntry({"layer2", "bias"}, {4}), noted, epoch, config});
}

core::Entry layerEntry(std::vector<std::string> path, const char* type)
{
    core::Entry entry = tensorEntry(std::move(path), {});
    entry.kind = core::EntryKind::layer;
    entry.type = type;
    entry.bytes = 0;
    return entry;
}

/// A layer once a run captured its output.
core::Entry captured(core::Entry layer, core::Shape shape)
{
    layer.shape = shape;
    layer.strides = core::contiguousStrides(shape);
    layer.bytes = core::elementCount(shape) * 4;
    layer.load = [](const core::Job&) { return core::Content(); };
    return layer;
}

/// A model: layers that are entries and hold other layers and parameters.
std::shared_ptr<core::Document> program()
{
    core::Entry weight = tensorEntry({"layer1", "0", "weight"}, {8, 3, 3, 3});
    weight.kind = core::EntryKind::parameter;
    core::Entry aux = layerEntry({"aux", "head"}, "__torch__.torch.nn.modules.linear.Linear");
    aux.notes = {"not executed"};
    auto made =
        document("/data/model.pt",
                 {layerEntry({"layer1"}, "__torch__.torch.nn.modules.container.Sequential"),
                  layerEntry({"layer1", "0"}, "__torch__.torch.nn.modules.conv.Conv2d"), weight,
                  captured(layerEntry({"layer1", "1"}, "__torch__.torch.nn.modules.activation.ReLU"), {1, 8, 6, 6}), aux});
    made->format = "torchscript";
    made->isProgram = true;
    return made;
}

struct Shown
{
    ui::ContentsPanel panel;
    Model* model;
    QTreeView* tree;
    QLineEdit* filter;

    Shown()
    {
        panel.resize(300, 600);
        panel.show();
        model = panel.findChild<Model*>();
        tree = panel.findChild<QTreeView*>();
        filter = panel.findChild<QLineEdit*>();
        if (!QTest::qWaitForWindowExposed(&panel))
            qFatal("the panel did not appear");
    }

    /// Names as seen from top to bottom, indented by '-'.
    QStringList seen(Model::Column column = Model::name) const
    {
        QStringList rows;
        for (QModelIndex index = model->index(0, 0); index.isValid(); index = tree->indexBelow(index)) {
            QString indent;
            for (QModelIndex above = index.parent(); above.isValid(); above = above.parent())
                indent += QLatin1Char('-');
            rows.append(indent + index.siblingAtColumn(column).data().toString());
        }
        return rows;
    }

    QModelIndex find(const QString& entry, int document = 1) const
    {
        return model->indexOf(model->tree().find(document, entry));
    }
};

} // namespace

class TestContentsPanel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void entriesFormATree();
    void columnsTellDtypeShapeAndSize();
    void toolTipsTellStridesAndNotes();
    void otherEntriesAreListedButNotShown();
    void doubleClickAndEnterShow();
    void layersAreEntriesAndParents();
    void layersTellTypeUntilTheyHaveValues();
    void layersWithoutValuesCanBeChosen();
    void neighboursPassOverLayersWithoutValues();
    void filterFindsLayers();
    void capturingKeepsWhatIsOpen();
    void layersOfOtherFilesAreNotRun();
    void filterKeepsMatchesAndTheirGroups();
    void filterHasItsKeys();
    void clearingTheFilterBringsBackWhatWasOpen();
    void columnsSort_data();
    void columnsSort();
    void severalFilesAreOpen();
    void reloadingKeepsWhatIsOpenAndCurrent();
    void neighboursFollowTheOrderSeen();
    void theShownEntryIsMarked();
    void summariesAppearWhenKnown();
    void summariesSortWorstFirstAndUnknownLast();
    void shapesAreSeenInFullAtTheDefaultWidth_data();
    void shapesAreSeenInFullAtTheDefaultWidth();
    void namesMetTwiceStayApart();
    void deepAndOddPathsAreShown();
    void aHundredThousandEntries();
};

void TestContentsPanel::entriesFormATree()
{
    Shown shown;
    QVERIFY(shown.panel.findChild<QLabel*>(QStringLiteral("emptyLine"))->isVisible());
    shown.panel.addDocument(1, network());
    QCOMPARE(shown.seen(), QStringList({"resnet.pt", "-conv1.weight", "-layer10", "--weight", "--bias", "-layer2", "--weight",
                                        "--bias", "-fc.weight", "-epoch", "-config"}));
    shown.panel.removeDocument(1);
    QVERIFY(shown.panel.findChild<QLabel*>(QStringLiteral("emptyLine"))->isVisible());
}

void TestContentsPanel::columnsTellDtypeShapeAndSize()
{
    Shown shown;
    shown.panel.addDocument(1, network());
    const QModelIndex conv = shown.find(QStringLiteral("conv1.weight"));
    QCOMPARE(conv.siblingAtColumn(Model::shape).data().toString(), QStringLiteral("64\u00d73\u00d77\u00d77"));
    QCOMPARE(conv.siblingAtColumn(Model::dtype).data().toString(), QStringLiteral("float32"));
    QCOMPARE(conv.siblingAtColumn(Model::size).data().toString(), QStringLiteral("37.6 kB"));
    // A group holds the bytes of all below it: (6 + 3) elements.
    QCOMPARE(shown.find(QStringLiteral("layer10.bias")).parent().siblingAtColumn(Model::size).data().toString(),
             QStringLiteral("36 B"));
}

void TestContentsPanel::toolTipsTellStridesAndNotes()
{
    Shown shown;
    shown.panel.addDocument(1, network());
    const QString tip = shown.find(QStringLiteral("fc.weight")).data(Qt::ToolTipRole).toString();
    for (const char* part : {"fc.weight", "float32", "512, 1", "20,480 bytes", "requires grad"})
        QVERIFY2(tip.contains(QLatin1String(part)), part);
}

void TestContentsPanel::otherEntriesAreListedButNotShown()
{
    Shown shown;
    shown.panel.addDocument(1, network());
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    QSignalSpy refused(&shown.panel, &ui::ContentsPanel::otherEntryChosen);
    for (const char* name : {"epoch", "config"}) {
        const QModelIndex index = shown.find(QLatin1String(name));
        QVERIFY(index.isValid());
        QVERIFY(index.data(Qt::ForegroundRole).isValid());
        shown.tree->setCurrentIndex(index);
        QTest::keyClick(shown.tree, Qt::Key_Return);
    }
    QCOMPARE(chosen.count(), 0);
    QCOMPARE(refused.count(), 2);
    QVERIFY(refused[0][0].toString().contains(QStringLiteral("epoch is the value 120")));
    QVERIFY(refused[1][0].toString().contains(QStringLiteral("argparse.Namespace")));
    shown.tree->setCurrentIndex(shown.find(QStringLiteral("layer2.bias")).parent());
    QTest::keyClick(shown.tree, Qt::Key_Return);
    QCOMPARE(refused.count(), 2);
    QCOMPARE(shown.find(QStringLiteral("epoch")).siblingAtColumn(Model::shape).data().toString(), QStringLiteral("120"));
    QVERIFY(!shown.find(QStringLiteral("fc.weight")).data(Qt::ForegroundRole).isValid());
}

void TestContentsPanel::doubleClickAndEnterShow()
{
    Shown shown;
    shown.panel.addDocument(7, network());
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    const QModelIndex index = shown.find(QStringLiteral("layer2.weight"), 7);
    const QPoint center = shown.tree->visualRect(index).center();
    QTest::mouseClick(shown.tree->viewport(), Qt::LeftButton, {}, center);
    QCOMPARE(chosen.count(), 0);
    QTest::mouseDClick(shown.tree->viewport(), Qt::LeftButton, {}, center);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0], QVariantList({7, QStringLiteral("layer2.weight")}));
    QTest::keyClick(shown.tree, Qt::Key_Down);
    QTest::keyClick(shown.tree, Qt::Key_Return);
    QCOMPARE(chosen.count(), 2);
    QCOMPARE(chosen[1][1].toString(), QStringLiteral("layer2.bias"));
}

void TestContentsPanel::layersAreEntriesAndParents()
{
    Shown shown;
    shown.panel.addDocument(1, program());
    QCOMPARE(shown.seen(), QStringList({"model.pt", "-layer1", "--0", "---weight", "--1", "-aux.head"}));
    // The same whatever comes first: a file may list a child before its parent.
    auto turned = std::make_shared<core::Document>(*program());
    std::reverse(turned->entries.begin(), turned->entries.end());
    shown.panel.addDocument(1, turned);
    QCOMPARE(shown.seen(), QStringList({"model.pt", "-aux.head", "-layer1", "--1", "--0", "---weight"}));
    const QModelIndex layer = shown.find(QStringLiteral("layer1"));
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    QVERIFY(shown.tree->isExpanded(layer));
    const QPoint center = shown.tree->visualRect(layer).center();
    QTest::mouseClick(shown.tree->viewport(), Qt::LeftButton, {}, center);
    QTest::mouseDClick(shown.tree->viewport(), Qt::LeftButton, {}, center);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0], QVariantList({1, QStringLiteral("layer1")}));
    QVERIFY(shown.tree->isExpanded(layer));
    shown.tree->setCurrentIndex(layer);
    QTest::keyClick(shown.tree, Qt::Key_Left);
    QVERIFY(!shown.tree->isExpanded(layer));
    QTest::keyClick(shown.tree, Qt::Key_Right);
    QVERIFY(shown.tree->isExpanded(layer));
}

void TestContentsPanel::layersTellTypeUntilTheyHaveValues()
{
    Shown shown;
    shown.panel.addDocument(1, program());
    const auto text = [&](const char* entry, Model::Column column) {
        return shown.find(QLatin1String(entry)).siblingAtColumn(column).data().toString();
    };
    // Where there is room for the column of types, and where there is none.
    for (const int width : {600, 240}) {
        shown.panel.resize(width, 600);
        QTRY_COMPARE(shown.tree->isColumnHidden(Model::dtype), width == 240);
        QCOMPARE(text("layer1.0", Model::dtype), QStringLiteral("Conv2d"));
        QCOMPARE(text("layer1.0", Model::shape), width == 240 ? QStringLiteral("Conv2d") : QString());
        QCOMPARE(text("layer1.1", Model::dtype), QStringLiteral("float32"));
        QCOMPARE(text("layer1.1", Model::shape), QStringLiteral("1\u00d78\u00d76\u00d76"));
    }
    QVERIFY(shown.find(QStringLiteral("layer1.0")).data(Qt::ForegroundRole).isValid());
    QVERIFY(!shown.find(QStringLiteral("layer1.1")).data(Qt::ForegroundRole).isValid());
    const auto tip = [&](const char* entry) { return shown.find(QLatin1String(entry)).data(Qt::ToolTipRole).toString(); };
    for (const char* part : {"Linear", "not executed", "runs the model"})
        QVERIFY2(tip("aux.head").contains(QLatin1String(part)), part);
    QVERIFY(tip("layer1.1").contains(QStringLiteral("ReLU")));
    QVERIFY(!tip("layer1.1").contains(QStringLiteral("runs the model")));
}

void TestContentsPanel::layersWithoutValuesCanBeChosen()
{
    Shown shown;
    shown.panel.addDocument(1, program());
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    QSignalSpy refused(&shown.panel, &ui::ContentsPanel::otherEntryChosen);
    for (const char* name : {"layer1", "layer1.0", "aux.head"}) {
        shown.tree->setCurrentIndex(shown.find(QLatin1String(name)));
        QTest::keyClick(shown.tree, Qt::Key_Return);
        QCOMPARE(chosen.last().last().toString(), QLatin1String(name));
    }
    QCOMPARE(chosen.count(), 3);
    QCOMPARE(refused.count(), 0);
}

void TestContentsPanel::neighboursPassOverLayersWithoutValues()
{
    Shown shown;
    shown.panel.addDocument(1, program());
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    shown.panel.setShown(1, QStringLiteral("layer1.0.weight"));
    QVERIFY(shown.panel.chooseNeighbour(1));
    QCOMPARE(chosen.last().last().toString(), QStringLiteral("layer1.1"));
    shown.panel.setShown(1, QStringLiteral("layer1.1"));
    QVERIFY(!shown.panel.chooseNeighbour(1));
    QVERIFY(shown.panel.chooseNeighbour(-1));
    QCOMPARE(chosen.last().last().toString(), QStringLiteral("layer1.0.weight"));
}

void TestContentsPanel::filterFindsLayers()
{
    Shown shown;
    shown.panel.addDocument(1, program());
    shown.panel.activateWindow();
    shown.panel.focusFilter();
    QTest::keyClicks(shown.filter, QStringLiteral("head"));
    QCOMPARE(shown.seen(), QStringList({"model.pt", "-aux.head"}));
    const auto labels = shown.panel.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text() == QLatin1String("1 of 5 layers and tensors");
    }));
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    QTest::keyClick(shown.filter, Qt::Key_Return);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][1].toString(), QStringLiteral("aux.head"));
}

void TestContentsPanel::capturingKeepsWhatIsOpen()
{
    Shown shown;
    shown.panel.addDocument(1, program());
    shown.tree->setCurrentIndex(shown.find(QStringLiteral("layer1.0")));
    shown.tree->collapse(shown.find(QStringLiteral("layer1.0")));
    const QStringList before = shown.seen();
    auto run = std::make_shared<core::Document>(*program());
    for (core::Entry& entry : run->entries)
        if (entry.name == "layer1.0")
            entry = captured(entry, {1, 8, 6, 6});
    shown.panel.replaceDocument(1, run);
    shown.panel.setShown(1, QStringLiteral("layer1.0"));
    QCOMPARE(shown.seen(), before);
    QCOMPARE(shown.tree->currentIndex(), shown.find(QStringLiteral("layer1.0")));
    QVERIFY(!shown.find(QStringLiteral("layer1.0")).data(Qt::ForegroundRole).isValid());
}

void TestContentsPanel::layersOfOtherFilesAreNotRun()
{
    Shown shown;
    auto data = std::make_shared<core::Document>(*program());
    data->isProgram = false;
    shown.panel.addDocument(1, data);
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    QSignalSpy refused(&shown.panel, &ui::ContentsPanel::otherEntryChosen);
    shown.tree->setCurrentIndex(shown.find(QStringLiteral("aux.head")));
    QTest::keyClick(shown.tree, Qt::Key_Return);
    QCOMPARE(chosen.count(), 0);
    QCOMPARE(refused.count(), 1);
    // A group as ever: it opens and closes.
    const QModelIndex layer = shown.find(QStringLiteral("layer1"));
    shown.tree->setCurrentIndex(layer);
    QTest::keyClick(shown.tree, Qt::Key_Return);
    QVERIFY(!shown.tree->isExpanded(layer));
    QCOMPARE(refused.count(), 1);
}

void TestContentsPanel::filterKeepsMatchesAndTheirGroups()
{
    Shown shown;
    shown.panel.addDocument(1, network());
    shown.filter->setText(QStringLiteral("LAYER bias"));
    QCOMPARE(shown.seen(), QStringList({"resnet.pt", "-layer10", "--bias", "-layer2", "--bias"}));
    const auto labels = shown.panel.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text() == QLatin1String("2 of 6 tensors");
    }));
    shown.filter->setText(QStringLiteral("nothing like it"));
    QCOMPARE(shown.seen(), QStringList({"resnet.pt"}));
}

void TestContentsPanel::filterHasItsKeys()
{
    Shown shown;
    shown.panel.addDocument(1, network());
    shown.panel.activateWindow();
    shown.panel.focusFilter();
    QTest::keyClicks(shown.filter, QStringLiteral("fc"));
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    QTest::keyClick(shown.filter, Qt::Key_Return);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][1].toString(), QStringLiteral("fc.weight"));
    QTest::keyClick(shown.tree, Qt::Key_Escape);
    QVERIFY(shown.filter->text().isEmpty());
    QCOMPARE(shown.seen().size(), 11);
}

void TestContentsPanel::clearingTheFilterBringsBackWhatWasOpen()
{
    Shown shown;
    shown.panel.addDocument(1, network());
    shown.tree->collapse(shown.find(QStringLiteral("layer10.bias")).parent());
    const QStringList before = shown.seen();
    for (const char* text : {"w", "we", "weight"})
        shown.filter->setText(QLatin1String(text));
    QVERIFY(shown.seen() != before);
    shown.filter->clear();
    QCOMPARE(shown.seen(), before);
}

void TestContentsPanel::columnsSort_data()
{
    QTest::addColumn<int>("column");
    QTest::addColumn<bool>("descending");
    QTest::addColumn<QStringList>("names");
    QTest::newRow("as the file") << -1 << false << QStringList{"-conv1.weight", "-layer10", "--weight", "--bias", "-layer2"};
    // Numbers count as numbers.
    QTest::newRow("name") << int(Model::name) << false
                          << QStringList{"-config", "-conv1.weight", "-epoch", "-fc.weight", "-layer2"};
    QTest::newRow("name down") << int(Model::name) << true
                               << QStringList{"-layer10", "--weight", "--bias", "-layer2", "--weight"};
    QTest::newRow("size down") << int(Model::size) << true
                               << QStringList{"-conv1.weight", "-fc.weight", "-layer2", "--weight", "--bias"};
}

void TestContentsPanel::columnsSort()
{
    QFETCH(int, column);
    QFETCH(bool, descending);
    Shown shown;
    shown.panel.addDocument(1, network());
    shown.tree->sortByColumn(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    QTEST(shown.seen().mid(1, 5), "names");
}

void TestContentsPanel::severalFilesAreOpen()
{
    Shown shown;
    shown.panel.addDocument(1, document("/a/first.npy", {tensorEntry({"first"})}));
    shown.panel.addDocument(2, document("/b/second.npy", {tensorEntry({"second"})}));
    QCOMPARE(shown.seen(), QStringList({"first.npy", "-first", "second.npy", "-second"}));
    shown.panel.removeDocument(1);
    QCOMPARE(shown.seen(), QStringList({"second.npy", "-second"}));
}

void TestContentsPanel::reloadingKeepsWhatIsOpenAndCurrent()
{
    Shown shown;
    shown.panel.addDocument(1, network());
    shown.panel.setShown(1, QStringLiteral("layer2.bias"));
    shown.tree->collapse(shown.find(QStringLiteral("layer10.bias")).parent());
    const QStringList before = shown.seen();
    shown.panel.replaceDocument(1, network());
    QCOMPARE(shown.seen(), before);
    QCOMPARE(shown.tree->currentIndex(), shown.find(QStringLiteral("layer2.bias")));
    QVERIFY(shown.find(QStringLiteral("layer2.bias")).data(Qt::FontRole).value<QFont>().bold());
}

void TestContentsPanel::neighboursFollowTheOrderSeen()
{
    Shown shown;
    shown.panel.addDocument(1, network());
    shown.panel.addDocument(2, document("/b/second.npy", {tensorEntry({"second"})}));
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    const auto go = [&](int step) {
        if (!shown.panel.chooseNeighbour(step))
            return QString();
        const QVariantList last = chosen.last();
        shown.panel.setShown(last[0].toInt(), last[1].toString());
        return last[1].toString();
    };
    QCOMPARE(go(1), QStringLiteral("conv1.weight"));
    QCOMPARE(go(-1), QString());
    for (const char* name : {"layer10.weight", "layer10.bias", "layer2.weight", "layer2.bias", "fc.weight", "second"})
        QCOMPARE(go(1), QLatin1String(name));
    QCOMPARE(go(1), QString());
    QCOMPARE(go(-1), QStringLiteral("fc.weight"));
}

void TestContentsPanel::theShownEntryIsMarked()
{
    Shown shown;
    shown.panel.addDocument(1, network());
    shown.tree->collapseAll();
    QSignalSpy chosen(&shown.panel, &ui::ContentsPanel::entryChosen);
    shown.panel.setShown(1, QStringLiteral("layer2.bias"));
    QCOMPARE(chosen.count(), 0);
    QVERIFY(shown.seen().contains(QLatin1String("--bias")));
    QVERIFY(shown.find(QStringLiteral("layer2.bias")).data(Qt::FontRole).value<QFont>().bold());
    shown.panel.setShown(1, {});
    QVERIFY(!shown.find(QStringLiteral("layer2.bias")).data(Qt::FontRole).isValid());
}

void TestContentsPanel::summariesAppearWhenKnown()
{
    Shown shown;
    shown.panel.resize(800, 600);
    shown.panel.addDocument(1, network());
    QVERIFY(shown.tree->isColumnHidden(Model::summary));
    ui::EntrySummary summary;
    summary.statistics.nan = 3;
    summary.statistics.min = -3.5;
    summary.statistics.max = double(4.9f);
    summary.deadChannels = 12;
    summary.channels = 256;
    shown.panel.setSummaries(1, {{QStringLiteral("layer2.bias"), summary}});
    QVERIFY(!shown.tree->isColumnHidden(Model::summary));
    QCOMPARE(shown.find(QStringLiteral("layer2.bias")).siblingAtColumn(Model::summary).data().toString(),
             QStringLiteral("3 NaN \u00b7 12 of 256 dead \u00b7 -3.5 \u2026 4.9"));
    // Where something is wrong comes first, and so does the group around it.
    shown.tree->sortByColumn(Model::summary, Qt::DescendingOrder);
    QCOMPARE(shown.find(QStringLiteral("layer2.bias")).row(), 0);
    QCOMPARE(shown.find(QStringLiteral("layer2.bias")).parent().row(), 0);
}

void TestContentsPanel::summariesSortWorstFirstAndUnknownLast()
{
    Shown shown;
    shown.panel.addDocument(1, document("/data/x.pt", {tensorEntry({"plain"}), tensorEntry({"unknown"}), tensorEntry({"wide"}),
                                                       tensorEntry({"dead"}), tensorEntry({"nan"}), tensorEntry({"broken"}),
                                                       tensorEntry({"large"})}));
    std::vector<ui::NamedSummary> summaries(6);
    const auto set = [&](std::size_t at, const char* name, double max) {
        summaries[at].entry = QLatin1String(name);
        summaries[at].summary.channels = 4;
        summaries[at].summary.statistics.elements = 8;
        summaries[at].summary.statistics.min = 0.0;
        summaries[at].summary.statistics.max = max;
    };
    set(0, "plain", 1);
    set(1, "wide", 9);
    set(2, "dead", 0);
    summaries[2].summary.deadChannels = 4;
    set(3, "nan", 1);
    summaries[3].summary.statistics.nan = 1;
    set(4, "broken", 0);
    summaries[4].summary.state = ui::SummaryState::failed;
    summaries[4].summary.problem = QStringLiteral("x.pt: broken: its data is cut off");
    set(5, "large", 0);
    summaries[5].summary.state = ui::SummaryState::whenShown;
    shown.tree->sortByColumn(Model::summary, Qt::DescendingOrder);
    shown.panel.setSummaries(1, summaries);
    QTRY_COMPARE(shown.seen().mid(1),
                 QStringList({"-broken \u26a0", "-nan \u26a0", "-dead", "-wide", "-plain", "-unknown", "-large"}));
    shown.tree->sortByColumn(Model::summary, Qt::AscendingOrder);
    QCOMPARE(shown.seen().mid(1),
             QStringList({"-plain", "-wide", "-dead", "-nan \u26a0", "-broken \u26a0", "-unknown", "-large"}));
    const auto tip = [&](const char* name) { return shown.find(QLatin1String(name)).data(Qt::ToolTipRole).toString(); };
    const auto text = [&](const char* name) {
        return shown.find(QLatin1String(name)).siblingAtColumn(Model::summary).data().toString();
    };
    QVERIFY(tip("broken").contains(QStringLiteral("its data is cut off")));
    QVERIFY(tip("large").contains(QStringLiteral("when it is shown")));
    QVERIFY(tip("unknown").contains(QStringLiteral("still to come")));
    QCOMPARE(text("broken"), QStringLiteral("failed"));
    QCOMPARE(text("dead"), QStringLiteral("4 of 4 dead \u00b7 all 0"));
    // A reloaded file's are unknown again.
    shown.panel.replaceDocument(1, document("/data/x.pt", {tensorEntry({"nan"})}));
    QCOMPARE(text("nan"), QString());
}

void TestContentsPanel::shapesAreSeenInFullAtTheDefaultWidth_data()
{
    QTest::addColumn<int>("width");
    QTest::newRow("the dock at first") << 240;
    QTest::newRow("the dock at its least") << 160;
    QTest::newRow("wide") << 600;
}

void TestContentsPanel::shapesAreSeenInFullAtTheDefaultWidth()
{
    QFETCH(int, width);
    Shown shown;
    shown.panel.resize(width, 300);
    std::vector<core::Entry> entries;
    for (int i = 0; i < 50; ++i)
        entries.push_back(tensorEntry({"a_rather_long_name_of_a_tensor_" + std::to_string(i)}, {64, 3, 7, 7}));
    entries.push_back(tensorEntry({"odd"}, width > 160 ? core::Shape{8, 256, 112, 112} : core::Shape{64, 3}));
    shown.panel.addDocument(1, document("/data/x.pt", entries));
    const QHeaderView* header = shown.tree->header();
    QTRY_COMPARE(shown.tree->horizontalScrollBar()->maximum(), 0);
    const int right = header->sectionViewportPosition(Model::shape) + header->sectionSize(Model::shape);
    QVERIFY(right <= shown.tree->viewport()->width());
    QVERIFY(header->sectionSize(Model::name) >= 50);
    if (width > 160)
        QVERIFY(shown.tree->fontMetrics().horizontalAdvance(
                    shown.find(QStringLiteral("odd")).siblingAtColumn(Model::shape).data().toString()) <
                header->sectionSize(Model::shape) - 5);
    QCOMPARE(shown.tree->isColumnHidden(Model::dtype), width < 600);
}

void TestContentsPanel::namesMetTwiceStayApart()
{
    core::Entry second = tensorEntry({"a", "b"});
    second.name = "a.b~2";
    Shown shown;
    shown.panel.addDocument(1, document("x.pt", {tensorEntry({"a", "b"}), second}));
    QVERIFY(shown.find(QStringLiteral("a.b")).isValid());
    QVERIFY(shown.find(QStringLiteral("a.b~2")).isValid());
    QVERIFY(shown.find(QStringLiteral("a.b")) != shown.find(QStringLiteral("a.b~2")));
}

void TestContentsPanel::deepAndOddPathsAreShown()
{
    std::vector<std::string> deep(5000, "x");
    deep.back() = "end";
    Shown shown;
    shown.panel.addDocument(
        1, document("deep.pt", {tensorEntry(deep), tensorEntry({"", " ", "[0]"}), tensorEntry({"[0]", "[1]"})}));
    QCOMPARE(shown.model->tree().shownTensors(), std::int64_t(3));
    shown.tree->expandAll();
    QVERIFY(!shown.panel.grab().isNull());
}

void TestContentsPanel::aHundredThousandEntries()
{
    std::vector<core::Entry> entries;
    for (int i = 0; i < 100'000; ++i)
        entries.push_back(tensorEntry({"block" + std::to_string(i / 100), "layer" + std::to_string(i % 100), "weight"}));
    const auto large = document("large.safetensors", std::move(entries));
    Shown shown;
    QElapsedTimer timer;
    timer.start();
    shown.panel.addDocument(1, large);
    const qint64 added = timer.restart();
    shown.filter->setText(QStringLiteral("block77 layer5"));
    const qint64 filtered = timer.restart();
    // block77 and block770 to block779, each with layer5 and layer50 to layer59.
    QCOMPARE(shown.model->tree().shownTensors(), std::int64_t(11 * 11));
    shown.filter->clear();
    const qint64 cleared = timer.restart();
    shown.tree->sortByColumn(Model::name, Qt::DescendingOrder);
    const qint64 sorted = timer.restart();
    shown.panel.setShown(1, QStringLiteral("block999.layer3.weight"));
    QVERIFY(shown.tree->currentIndex().isValid());
    qInfo("100,000 entries: added in %lld ms, filtered in %lld, cleared in %lld, sorted in %lld", added, filtered, cleared,
          sorted);
    // A guard against quadratic work, not a measure.
    QVERIFY(added + filtered + cleared + sorted < 20'000);
}

QTEST_MAIN(TestContentsPanel)
#include "test_contents_panel.moc"
