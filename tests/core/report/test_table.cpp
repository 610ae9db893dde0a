// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/json_writer.h"
#include "core/report/table.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <limits>

using namespace core::report;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr __int128 beyond = static_cast<__int128>(1) << 64;

/// One row with every kind of cell.
Table sample()
{
    return {{"null", "int", "unsigned", "big", "small", "real", "nan", "inf", "text", "list"},
            {{Cell{}, std::int64_t{-3}, std::uint64_t{18446744073709551615u}, beyond, __int128{7}, 0.1, nan, -inf,
              std::string("a,\"b\""), std::vector<core::Scalar>{std::int64_t{2}, 0.5}}}};
}

QString lines(const std::string& text)
{
    return QString::fromStdString(text);
}

} // namespace

class TestTable : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void csvHasHeaderAndEveryDigit()
    {
        QCOMPARE(lines(csvText(sample())),
                 QString("null,int,unsigned,big,small,real,nan,inf,text,list\n"
                         ",-3,18446744073709551615,18446744073709551616,7,0.1,NaN,-Infinity,\"a,\"\"b\"\"\",\"[2,0.5]\"\n"));
    }

    void csvWithoutRowsIsItsHeader() { QCOMPARE(lines(csvText({{"a", "b"}, {}})), QString("a,b\n")); }

    void jsonRowsAreObjects()
    {
        JsonWriter json;
        json.value(sample());
        QCOMPARE(lines(json.take()),
                 QString("[\n{\"null\":null,\"int\":-3,\"unsigned\":18446744073709551615,\"big\":\"18446744073709551616\","
                         "\"small\":7,\"real\":0.1,\"nan\":\"NaN\",\"inf\":\"-Infinity\",\"text\":\"a,\\\"b\\\"\","
                         "\"list\":[2,0.5]}\n]\n"));
    }

    void jsonNestsAndEscapes()
    {
        JsonWriter json;
        json.beginObject();
        json.member("a\n", "\xff\x01");
        json.key("empty");
        json.beginArray(true);
        json.endArray();
        json.key("list");
        json.beginArray();
        json.value(true);
        json.value(Cell{});
        json.beginObject();
        json.endObject();
        json.endArray();
        json.member("x", Cell(std::vector<core::Scalar>{inf}));
        json.endObject();
        const auto text = json.take();
        const auto parsed = nlohmann::json::parse(text);
        QCOMPARE(parsed["a\n"].get<std::string>(), std::string("\xef\xbf\xbd\x01"));
        QCOMPARE(lines(text), QString::fromUtf8("{\"a\\n\":\"\xef\xbf\xbd\\u0001\",\"empty\":[],\"list\":[true,null,{}],"
                                                "\"x\":[\"Infinity\"]}\n"));
    }

    void plainTextAligns()
    {
        const Table table{
            {"name", "count", "mean"},
            {{std::string("b\xc3\xa9ta"), std::int64_t{7}, 1.0 / 3}, {std::string("a\x1b"), std::int64_t{12345}, Cell{}}}};
        QCOMPARE(lines(plainText(table)), QString::fromUtf8("name  count      mean\n"
                                                            "b\xc3\xa9ta      7  0.333333\n"
                                                            "a     12345         -\n"));
    }
};

QTEST_APPLESS_MAIN(TestTable)
#include "test_table.moc"
