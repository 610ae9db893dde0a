// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/io/open.h"
#include "core/io/script_scan.h"

#include <QTest>

namespace {

using Names = std::vector<std::string>;
const std::filesystem::path hostile = TEST_DATA "/hostile";

} // namespace

class TestScriptScan : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void namesWhatLibrariesMustBring()
    {
        core::io::ScriptScan scan;
        core::io::scanSource("y = ops.mylib.magic(x)\n"
                             "z = ops.aten.add(x, 1)\n"
                             "c = __torch__.torch.classes.mylib.Thing.__new__(__torch__.torch.classes.mylib.Thing)\n"
                             "p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase\n"
                             "q = a__torch__.torch.classes.no.Thing, __torch__.torch.classes.alone",
                             "code/x.py", scan);
        QCOMPARE(scan.customOperators, Names{"mylib::magic"});
        QCOMPARE(scan.customClasses, Names{"mylib::Thing"});
        QCOMPARE(scan.warnings, Names{});
    }

    void readsTheClassesOfAFile()
    {
        QCOMPARE(core::io::scanScript(hostile / "unknown_class.pt", {}).customClasses, Names{"mylib::Thing"});
        QCOMPARE(core::io::scanScript(TEST_DATA "/models/static_int8.pt", {}).customClasses, Names{});
    }

    void saysWhatAProgramLacks_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("lack");
        QTest::newRow("code") << "missing_code.pt"
                              << "without its code (no member code/...), so it cannot be run; save the model again";
        QTest::newRow("constants") << "missing_constants.pt"
                                   << "without its member constants.pkl, so it cannot be run; save the model again";
    }

    void saysWhatAProgramLacks()
    {
        QFETCH(QString, file);
        QFETCH(QString, lack);
        const auto path = hostile / file.toStdString();
        const auto document = core::io::open(path, {}, {});
        QVERIFY(!document.isProgram);
        QCOMPARE(document.warnings.size(), std::size_t{1});
        const auto warning = QString::fromStdString(document.warnings.front());
        QVERIFY2(warning.startsWith(QString::fromStdString(path.string())) && warning.endsWith(lack), qPrintable(warning));
    }
};

QTEST_GUILESS_MAIN(TestScriptScan)
#include "test_script_scan.moc"
