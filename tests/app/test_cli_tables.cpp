// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/program.h"

#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <cmath>

using Json = nlohmann::ordered_json;

namespace {

const QString dataFolder = QStringLiteral(TEST_DATA "/cli");

Json expectations()
{
    QFile file(dataFolder + "/expected.json");
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return Json::parse(file.readAll().toStdString());
}

QStringList argumentsOf(const Json& item)
{
    QStringList arguments;
    for (const auto& argument : item["arguments"])
        arguments << QString::fromStdString(argument.get<std::string>());
    return arguments;
}

/// Where a sum over floats is involved, its order decides the last bits; everything else is the same number.
bool isRounded(const std::string& key)
{
    return key == "mean" || key == "std" || key == "sum" || key == "hot_sum" || key == "threshold";
}

bool agree(const std::string& key, const Json& actual, const Json& expected)
{
    if (expected.is_number_float() && actual.is_number_float() && isRounded(key)) {
        constexpr double tolerance = 1e-12;
        const double a = actual, e = expected;
        return std::fabs(a - e) <= tolerance * std::max(1.0, std::fabs(e));
    }
    // 0 and 0.0 are equal numbers, but an integer tensor's must be integers.
    return actual.type() == expected.type() || (actual.is_number_integer() && expected.is_number_integer()) ? actual == expected
                                                                                                            : false;
}

/// The first difference, as "channels/3/min: 1 instead of 2", or "".
std::string difference(const std::string& place, const std::string& key, const Json& actual, const Json& expected)
{
    if (expected.is_object()) {
        for (const auto& [name, value] : expected.items()) {
            if (!actual.contains(name))
                return place + "/" + name + " is missing";
            if (const auto found = difference(place + "/" + name, name, actual[name], value); !found.empty())
                return found;
        }
        return "";
    }
    if (expected.is_array() && actual.is_array() && actual.size() == expected.size()) {
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (const auto found = difference(place + "/" + std::to_string(i), key, actual[i], expected[i]); !found.empty())
                return found;
        return "";
    }
    return agree(key, actual, expected) ? "" : place + ": " + actual.dump() + " instead of " + expected.dump();
}

std::vector<std::string> keysOf(const Json& object)
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items())
        keys.push_back(key);
    return keys;
}

} // namespace

/// The numbers of tests/data/cli/expected.json come from PyTorch, NumPy and scikit-image (make_cli_tables.py).
class TestCliTables : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void analyzeSaysWhatPyTorchSays_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("expected");
        const auto cases = expectations();
        QVERIFY(cases.contains("analyze") && cases["analyze"].size() > 80);
        for (const auto& item : cases["analyze"]) {
            const auto arguments = argumentsOf(item);
            QTest::addRow("%s", qPrintable(arguments.join(' ')))
                << arguments << QByteArray::fromStdString(item["expected"].dump());
        }
    }

    void analyzeSaysWhatPyTorchSays()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, expected);
        const auto outcome = support::runProgram(arguments, dataFolder);
        QCOMPARE(outcome.err, QByteArray());
        QCOMPARE(outcome.code, 0);
        const auto actual = Json::parse(outcome.out.toStdString());
        const auto wanted = Json::parse(expected.toStdString());
        QCOMPARE(QString::fromStdString(difference("", "", actual, wanted)), QString());
        QCOMPARE(actual.contains("threshold"), wanted.contains("threshold"));
        QCOMPARE(actual["engine"].get<std::string>(), std::string("cpu"));
        QCOMPARE(actual["exact"].get<bool>(), true);
        QVERIFY(actual["elapsed_ms"].is_number());
    }

    void analyzeKeepsTheOrderOfTheContract()
    {
        const auto outcome = support::runProgram({"analyze", "acts.npy", "--json"}, dataFolder);
        const auto json = Json::parse(outcome.out.toStdString());
        const std::vector<std::string> top = {"file",       "tensor",    "dtype",  "shape",   "layout",     "where",
                                              "comparison", "threshold", "engine", "exact",   "elapsed_ms", "elements",
                                              "count",      "fraction",  "values", "channels"};
        const std::vector<std::string> values = {"min", "max", "mean", "std", "sum", "zeros", "nan", "posinf", "neginf"};
        const std::vector<std::string> row = {"batch", "channel", "threshold", "elements", "count",   "fraction", "min",
                                              "max",   "mean",    "std",       "sum",      "hot_sum", "nan"};
        QCOMPARE(keysOf(json), top);
        QCOMPARE(keysOf(json["values"]), values);
        QCOMPARE(keysOf(json["channels"][0]), row);
    }

    void csvHasTheRowsOfTheJson_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("floats") << QStringList{"acts.npy", "--threshold", "0.8"};
        QTest::newRow("not finite") << QStringList{"special.npy", "--where", "inf"};
        QTest::newRow("integers") << QStringList{"big.npy"};
        QTest::newRow("two bounds") << QStringList{"acts.npy", "--where", "between 0 1"};
    }

    void csvHasTheRowsOfTheJson()
    {
        QFETCH(QStringList, options);
        const auto json = support::runProgram(QStringList{"analyze", "--json"} + options, dataFolder);
        const auto csv = support::runProgram(QStringList{"analyze", "--csv"} + options, dataFolder);
        QCOMPARE(csv.code, 0);
        const auto rows = Json::parse(json.out.toStdString())["channels"];
        QString expected;
        for (const auto& key : keysOf(rows[0]))
            expected += (expected.isEmpty() ? "" : ",") + QString::fromStdString(key);
        expected += "\n";
        for (const auto& row : rows) {
            QStringList fields;
            for (const auto& [key, value] : row.items()) {
                auto text =
                    value.is_null() ? "" : QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
                fields << (text.contains(',') ? "\"" + text + "\"" : text);
            }
            expected += fields.join(',') + "\n";
        }
        QCOMPARE(QString::fromUtf8(csv.out), expected);
    }

    void arraysAreByteByByteNumPys_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("bytes");
        const auto cases = expectations();
        QVERIFY(cases.contains("files") && cases["files"].size() > 25);
        for (const auto& item : cases["files"]) {
            const auto arguments = argumentsOf(item);
            QTest::addRow("%s", qPrintable(arguments.join(' ')))
                << arguments << QByteArray::fromBase64(QByteArray::fromStdString(item["bytes"].get<std::string>()));
        }
    }

    void arraysAreByteByByteNumPys()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, bytes);
        QTemporaryDir folder;
        const auto path = folder.filePath("out.npy");
        const auto outcome = support::runProgram(arguments + QStringList{"-o", path}, dataFolder);
        QCOMPARE(outcome.out, QByteArray());
        QCOMPARE(outcome.code, 0);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().toHex(' '), bytes.toHex(' '));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"out.npy"});
    }

    void picturesHaveTheColoursOfMatplotlib_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QByteArray>("rgb");
        const auto cases = expectations();
        QVERIFY(cases.contains("pictures") && cases["pictures"].size() > 15);
        for (const auto& item : cases["pictures"]) {
            const auto arguments = argumentsOf(item);
            QTest::addRow("%s", qPrintable(arguments.join(' ')))
                << arguments << QSize(item["width"].get<int>(), item["height"].get<int>())
                << QByteArray::fromBase64(QByteArray::fromStdString(item["rgb"].get<std::string>()));
        }
    }

    void picturesHaveTheColoursOfMatplotlib()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QSize, size);
        QFETCH(QByteArray, rgb);
        QTemporaryDir folder;
        const auto path = folder.filePath("out.png");
        const auto outcome = support::runProgram(arguments + QStringList{"-o", path}, dataFolder);
        QVERIFY2(outcome.code == 0, outcome.err);
        const auto image = QImage(path).convertToFormat(QImage::Format_RGB888);
        QCOMPARE(image.size(), size);
        for (int y = 0; y < size.height(); ++y)
            QCOMPARE(QByteArray(reinterpret_cast<const char*>(image.constScanLine(y)), 3 * size.width()).toHex(' '),
                     rgb.mid(3 * y * size.width(), 3 * size.width()).toHex(' '));
    }
};

QTEST_GUILESS_MAIN(TestCliTables)
#include "test_cli_tables.moc"
