// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader.h"
#include "tests/core/io/torch_expectation.h"

#include <QtTest/QTest>

#include <filesystem>
#include <fstream>
#include <vector>

/// Opens every file of tests/data/torch and compares it with what PyTorch read from it (expected.json).
class TestTorchFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsWhatPyTorchReads_data();
    void readsWhatPyTorchReads();
    void everyFileIsExpected();
    void makesATreeOfNames();

private:
    static nlohmann::json expectations();
};

namespace {

const std::filesystem::path folder = TEST_DATA "/torch";

core::Document openAny(const std::filesystem::path& path)
{
    const auto file = core::MappedFile::open(path);
    for (core::io::Reader* reader :
         {&core::io::readTorchScript, &core::io::readPt2, &core::io::readTorchZip, &core::io::readTorchLegacy})
        if (auto document = reader(file, {}, {}))
            return *document;
    throw core::Error(path.string() + " was not recognised");
}

std::string namesOf(const core::Document& document)
{
    std::string names;
    for (const auto& entry : document.entries)
        names += entry.name + " ";
    return names;
}

} // namespace

nlohmann::json TestTorchFiles::expectations()
{
    std::ifstream in(folder / "expected.json");
    return nlohmann::json::parse(in);
}

void TestTorchFiles::readsWhatPyTorchReads_data()
{
    QTest::addColumn<QByteArray>("expected");
    const auto all = expectations();
    for (const auto& [name, expected] : all.items())
        QTest::newRow(name.c_str()) << QByteArray::fromStdString(expected.dump());
}

void TestTorchFiles::readsWhatPyTorchReads()
{
    QFETCH(QByteArray, expected);
    const auto wanted = nlohmann::json::parse(expected.toStdString());
    const auto document = openAny(folder / QTest::currentDataTag());
    QCOMPARE(document.format, wanted.at("format").get<std::string>());
    const bool isProgram = wanted.value("program", false);
    const bool isExported = document.format == "pt2";
    QCOMPARE(document.isProgram, isProgram && !isExported);
    QCOMPARE(document.warnings.size(), std::size_t{isExported ? 1U : 0U});
    const auto& entries = wanted.at("entries");
    // Of a whole module only what a state_dict and the class hold is listed in the table.
    const bool isPartly = wanted.value("partly", false);
    QVERIFY2(isPartly || document.entries.size() == entries.size(), namesOf(document).c_str());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto name = entries[i].at("name").get<std::string>();
        const core::Entry* entry = document.find(name);
        QVERIFY2(entry, (name + " is not among " + namesOf(document)).c_str());
        const auto difference = tests::differenceOf(*entry, entries[i]);
        QVERIFY2(difference.empty(), (name + ": " + difference).c_str());
        if (!isPartly && !wanted.value("anyOrder", false))
            QCOMPARE(document.entries[i].name, name);
    }
}

void TestTorchFiles::everyFileIsExpected()
{
    const auto all = expectations();
    for (const auto& file : std::filesystem::directory_iterator(folder))
        QVERIFY2(file.path().filename() == "expected.json" || all.contains(file.path().filename().string()),
                 file.path().c_str());
}

void TestTorchFiles::makesATreeOfNames()
{
    using Path = std::vector<std::string>;
    const auto state = openAny(folder / "state_dict.pt");
    QCOMPARE(state.find("0.weight")->path, (Path{"0", "weight"}));
    const auto nested = openAny(folder / "nested.pt");
    QCOMPARE(nested.find("feats[2].mean")->path, (Path{"feats", "[2]", "mean"}));
    QCOMPARE(openAny(folder / "bare.name.pt").entries.at(0).path, Path{"bare.name"});
}

QTEST_APPLESS_MAIN(TestTorchFiles)
#include "test_torch_files.moc"
