// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/number_text.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

using core::DType;

class TestNumberText : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void countsAreGrouped_data();
    void countsAreGrouped();
    void percents_data();
    void percents();
    void bytes_data();
    void bytes();
    void shapes();
    void valuesAreShortest_data();
    void valuesAreShortest();
    void everySmallFloatReadsBack_data();
    void everySmallFloatReadsBack();
    void floatsReadBack();
    void wholeNumbersAreNeverRounded();
    void figuresCarryTheDtypesDigits();
};

void TestNumberText::countsAreGrouped_data()
{
    QTest::addColumn<qlonglong>("count");
    QTest::addColumn<QString>("text");
    QTest::newRow("0") << 0LL << "0";
    QTest::newRow("999") << 999LL << "999";
    QTest::newRow("1000") << 1000LL << "1,000";
    QTest::newRow("2041") << 2041LL << "2,041";
    QTest::newRow("negative") << -123456LL << "-123,456";
    QTest::newRow("-100") << -100LL << "-100";
    QTest::newRow("most") << std::numeric_limits<qlonglong>::max() << "9,223,372,036,854,775,807";
}

void TestNumberText::countsAreGrouped()
{
    QFETCH(qlonglong, count);
    QTEST(ui::countText(static_cast<std::int64_t>(count)), "text");
}

void TestNumberText::percents_data()
{
    QTest::addColumn<qlonglong>("count");
    QTest::addColumn<qlonglong>("elements");
    QTest::addColumn<QString>("text");
    QTest::newRow("the page's example") << 2041LL << 50176LL << "4.07 %";
    QTest::newRow("none") << 0LL << 50176LL << "0 %";
    QTest::newRow("all") << 7LL << 7LL << "100 %";
    QTest::newRow("no elements") << 0LL << 0LL << "";
    QTest::newRow("nearly all is not all") << 999999LL << 1000000LL << ">99.9 %";
    QTest::newRow("nearly none is not none") << 1LL << 1000000000LL << "<0.001 %";
    QTest::newRow("small") << 5LL << 10000LL << "0.050 %";
    QTest::newRow("half") << 1LL << 2LL << "50.0 %";
}

void TestNumberText::percents()
{
    QFETCH(qlonglong, count);
    QFETCH(qlonglong, elements);
    QTEST(ui::percentText(count, elements), "text");
}

void TestNumberText::bytes_data()
{
    QTest::addColumn<qlonglong>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("0") << 0LL << "0 B";
    QTest::newRow("999") << 999LL << "999 B";
    QTest::newRow("conv1.weight of a ResNet") << 37632LL << "37.6 kB";
    QTest::newRow("just below a unit") << 999999LL << "1.00 MB";
    QTest::newRow("activations") << 411041792LL << "411 MB";
    QTest::newRow("1 GiB") << 1073741824LL << "1.07 GB";
}

void TestNumberText::bytes()
{
    QFETCH(qlonglong, bytes);
    QTEST(ui::bytesText(bytes), "text");
}

void TestNumberText::shapes()
{
    QCOMPARE(ui::shapeText(core::Shape{64, 3, 7, 7}), QStringLiteral("64\u00d73\u00d77\u00d77"));
    QCOMPARE(ui::shapeText(core::Shape{5}), QStringLiteral("5"));
    QCOMPARE(ui::shapeText(core::Shape{}), QStringLiteral("scalar"));
}

void TestNumberText::valuesAreShortest_data()
{
    // What NumPy (str of a scalar) and ml_dtypes print, but in plain decimals.
    QTest::addColumn<double>("value");
    QTest::addColumn<int>("dtype");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, double value, DType dtype, const char* text) {
        QTest::newRow(name) << value << static_cast<int>(dtype) << QString::fromLatin1(text);
    };
    row("float32 0.8", 0.800000011920929, DType::f32, "0.8");
    row("float64 keeps that float32", 0.800000011920929, DType::f64, "0.800000011920929");
    row("float32 third", static_cast<double>(1.0f / 3), DType::f32, "0.33333334");
    row("float64 third", 1.0 / 3, DType::f64, "0.3333333333333333");
    row("float16 tenth", 0.0999755859375, DType::f16, "0.1");
    row("float16 largest", 65504, DType::f16, "65500");
    row("bfloat16 tenth", 0.10009765625, DType::bf16, "0.1");
    row("float8_e4m3fn tenth", 0.1015625, DType::f8e4m3fn, "0.1");
    row("float8_e4m3fn largest", 448, DType::f8e4m3fn, "450");
    row("whole", 3, DType::f32, "3");
    row("hundred thousand", 100000, DType::f32, "100000");
    row("very large", 1e20, DType::f64, "1e20");
    row("small", 1.5e-5, DType::f64, "0.000015");
    row("very small", 1.5e-7, DType::f64, "1.5e-7");
    row("negative", -2.5, DType::f32, "-2.5");
    row("least float32", 1.401298464324817e-45, DType::f32, "1e-45");
    row("integer", 200, DType::u8, "200");
    row("large integer", 9007199254740992.0, DType::i64, "9007199254740992");
    row("NaN", std::numeric_limits<double>::quiet_NaN(), DType::f32, "NaN");
    row("inf", std::numeric_limits<double>::infinity(), DType::f32, "inf");
    row("-inf", -std::numeric_limits<double>::infinity(), DType::bf16, "-inf");
    row("-0", -0.0, DType::f32, "-0");
}

void TestNumberText::valuesAreShortest()
{
    QFETCH(double, value);
    QFETCH(int, dtype);
    QTEST(ui::valueText(value, static_cast<DType>(dtype)), "text");
}

void TestNumberText::everySmallFloatReadsBack_data()
{
    QTest::addColumn<int>("dtype");
    for (const DType dtype : {DType::f16, DType::bf16, DType::f8e4m3fn, DType::f8e5m2, DType::f8e4m3fnuz, DType::f8e5m2fnuz})
        QTest::newRow(core::dtypeName(dtype).data()) << static_cast<int>(dtype);
}

void TestNumberText::everySmallFloatReadsBack()
{
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    const auto widen = [type](unsigned bits) -> double {
        if (core::isFloat8(type))
            return core::float8ToFloat(type, static_cast<std::uint8_t>(bits));
        const auto half = static_cast<std::uint16_t>(bits);
        return type == DType::f16 ? core::toFloat(core::Half{half}) : core::toFloat(core::BFloat16{half});
    };
    const unsigned values = core::isFloat8(type) ? 256 : 65536;
    std::vector<std::pair<double, unsigned>> sorted;
    for (unsigned bits = 0; bits < values; ++bits) {
        if (std::isfinite(widen(bits)))
            sorted.emplace_back(widen(bits), bits);
    }
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [value, bits] : sorted) {
        const QString text = ui::valueText(value, type);
        // The stored value nearest to what the text says, found among all of them; of two, the even one.
        const double read = text.toDouble();
        auto nearest = std::lower_bound(sorted.begin(), sorted.end(), std::pair(read, 0U));
        if (nearest == sorted.end())
            --nearest;
        else if (nearest != sorted.begin()) {
            const double up = nearest->first - read;
            const double down = read - (nearest - 1)->first;
            if (down < up || (down == up && (nearest - 1)->second % 2 == 0))
                --nearest;
        }
        QVERIFY2(nearest->first == value,
                 qPrintable(QStringLiteral("%1 reads back as %2").arg(text).arg(nearest->first, 0, 'g', 17)));
    }
}

void TestNumberText::floatsReadBack()
{
    std::mt19937 random(7);
    for (int i = 0; i < 20000; ++i) {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (!std::isfinite(value))
            continue;
        const QString text = ui::valueText(double(value), DType::f32);
        QVERIFY2(std::strtof(text.toLatin1().constData(), nullptr) == value, qPrintable(text));
        const core::Number number = core::Number::parse(text.toStdString());
        QCOMPARE(static_cast<float>(number.real), value);
    }
}

void TestNumberText::wholeNumbersAreNeverRounded()
{
    QCOMPARE(ui::valueText(core::Scalar(std::numeric_limits<std::int64_t>::min()), DType::i64),
             QStringLiteral("-9223372036854775808"));
    QCOMPARE(ui::valueText(core::Scalar(std::numeric_limits<std::uint64_t>::max()), DType::u64),
             QStringLiteral("18446744073709551615"));
    QCOMPARE(ui::valueText(core::Scalar(0.800000011920929), DType::f32), QStringLiteral("0.8"));
}

void TestNumberText::figuresCarryTheDtypesDigits()
{
    const double pi = 3.14159265358979323846;
    QCOMPARE(ui::figureText(pi, DType::f32), QStringLiteral("3.141593"));
    QCOMPARE(ui::figureText(pi, DType::f16), QStringLiteral("3.142"));
    QCOMPARE(ui::figureText(pi, DType::bf16), QStringLiteral("3.14"));
    QCOMPARE(ui::figureText(pi, DType::f64), QStringLiteral("3.14159265358979"));
    QCOMPARE(ui::figureText(0.25, DType::f32), QStringLiteral("0.25"));
    QCOMPARE(ui::figureText(12345678, DType::f32), QStringLiteral("12345680"));
    QCOMPARE(ui::figureText(100, DType::f32), QStringLiteral("100"));
}

QTEST_APPLESS_MAIN(TestNumberText)
#include "test_number_text.moc"
