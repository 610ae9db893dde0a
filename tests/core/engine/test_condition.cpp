// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/condition.h"
#include "core/error.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace core;

namespace {

bool isUsageError(const char* text, const char* part)
{
    try {
        Where::parse(text);
    } catch (const UsageError& error) {
        return QString::fromUtf8(error.what()).contains(QLatin1String(part));
    }
    return false;
}

} // namespace

class TestCondition : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void conditions_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("a");
        QTest::addColumn<QString>("squeezed");
        const auto add = [](const char* text, ConditionKind kind, double a, const char* squeezed) {
            QTest::newRow(text) << text << static_cast<int>(kind) << a << squeezed;
        };
        add("> 0.8", ConditionKind::gt, 0.8, "> 0.8");
        add(">0.8", ConditionKind::gt, 0.8, ">0.8");
        add("  >=\t -1 ", ConditionKind::ge, -1, ">= -1");
        add("<.5", ConditionKind::lt, 0.5, "<.5");
        add("<= 1e-3", ConditionKind::le, 1e-3, "<= 1e-3");
        add("==-inf", ConditionKind::eq, -INFINITY, "==-inf");
        add("!= 0", ConditionKind::ne, 0, "!= 0");
        add("abs>2", ConditionKind::absGt, 2, "abs>2");
        add("abs  >=  2", ConditionKind::absGe, 2, "abs >= 2");
        add("between  -1   1", ConditionKind::between, -1, "between -1 1");
        add("outside 0.1 0.2", ConditionKind::outside, 0.1, "outside 0.1 0.2");
        add("nan", ConditionKind::nan, 0, "nan");
        add(" inf", ConditionKind::inf, 0, "inf");
        add("finite", ConditionKind::finite, 0, "finite");
    }
    void conditions()
    {
        QFETCH(QString, text);
        const Where where = Where::parse(text.toStdString());
        QVERIFY(!where.rule);
        QTEST(static_cast<int>(where.condition.kind), "kind");
        QTEST(where.condition.a.real, "a");
        QTEST(QString::fromStdString(where.text), "squeezed");
    }

    void rules()
    {
        const Where percentile = Where::parse("percentile 99.5");
        QVERIFY(percentile.rule && percentile.rule->kind == RuleKind::percentile && percentile.rule->parameter == 99.5);
        QVERIFY(Where::parse("sigma -2").rule->kind == RuleKind::sigma);
        QCOMPARE(Where::parse("max  .25").rule->parameter, 0.25);
        QVERIFY(Where::parse("otsu").rule->kind == RuleKind::otsu);
        QVERIFY(Where().text == "!= 0" && !Where().rule && Where().condition.kind == ConditionKind::ne);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("part");
        const auto add = [](const char* text, const char* part) { QTest::newRow(text) << text << part; };
        add("", "abs >= T");
        add(">", "abs >= T");
        add("> x", "\"x\" is not a number");
        add("> nan", "\"nan\" is not a number");
        add("> 0x10", "not a number");
        add("> 1,5", "not a number");
        add("> 1e", "not a number");
        add("> .", "not a number");
        add("> --1", "not a number");
        add("> 1_000", "not a number");
        add("> 1 2", "abs >= T");
        add("=> 1", "abs >= T");
        add("abs < 1", "abs >= T");
        add("between 1", "between A B");
        add("percentile 101", "between 0 and 100");
        add("percentile -1", "between 0 and 100");
        add("sigma inf", "finite");
        add("otsu 3", "otsu");
        add("> 18446744073709551616", "2^64");
        add("> -9223372036854775809", "2^64");
        add("> 99999999999999999999999999999999999999999999", "2^64");
        add("NaN", "nan");
    }
    void refuses()
    {
        QFETCH(QString, text);
        QFETCH(QString, part);
        QVERIFY(isUsageError(text.toUtf8().constData(), part.toUtf8().constData()));
    }

    void numbers()
    {
        const Number integer = Number::parse("18446744073709551615");
        QVERIFY(integer.isInteger && integer.integer == (static_cast<__int128>(1) << 64) - 1);
        QVERIFY(Number::parse("-9223372036854775808").integer == std::numeric_limits<std::int64_t>::min());
        QVERIFY(Number::parse("+7").integer == 7);
        QVERIFY(!Number::parse("7.").isInteger && !Number::parse("7e0").isInteger && !Number::parse("inf").isInteger);
        QCOMPARE(Number::parse("0.1").real, 0.1);
        QCOMPARE(Number::parse("1e400").real, std::numeric_limits<double>::infinity());
        QCOMPARE(Number::parse("-1e99999999999999999999").real, -std::numeric_limits<double>::infinity());
        QCOMPARE(Number::parse("1e-400").real, 0.0);
        QVERIFY(std::signbit(Number::parse("-1e-99999999999999999999").real));
        QVERIFY(std::signbit(Number::parse("-0.0").real));
        QCOMPARE(Number::parse("5e-324").real, std::numeric_limits<double>::denorm_min());
        // 1 + 2^-53 exactly: a tie, to even; one digit more: up.
        QCOMPARE(Number::parse("1.00000000000000011102230246251565404236316680908203125").real, 1.0);
        QCOMPARE(Number::parse("1.000000000000000111022302462515654042363166809082031250000000001").real, 1.0 + 0x1p-52);
    }
};

QTEST_GUILESS_MAIN(TestCondition)
#include "test_condition.moc"
