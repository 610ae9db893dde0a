// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/number_text.h"

#include <QTest>

#include <bit>
#include <cstdlib>
#include <limits>
#include <locale>

using namespace core::report;

namespace {

/// Bits of a float64 and what Python's repr() writes for it.
struct Case
{
    std::uint64_t bits;
    const char* text;
};
constexpr Case pythonCases[] = {
    {0x0000000000000000, "0.0"},
    {0x8000000000000000, "-0.0"},
    {0x3ff0000000000000, "1.0"},
    {0xbff0000000000000, "-1.0"},
    {0x3fb999999999999a, "0.1"},
    {0x3fe999999999999a, "0.8"},
    {0x3fe99999a0000000, "0.800000011920929"},
    {0x3fd5555555555555, "0.3333333333333333"},
    {0x40f86a0000000000, "100000.0"},
    {0x437b69b4ba630f35, "1.2345678901234568e+17"},
    {0x430c6bf526340000, "1000000000000000.0"},
    {0x4341c37937e07fff, "9999999999999998.0"},
    {0x4341c37937e08000, "1e+16"},
    {0x3f1a36e2eb1c432d, "0.0001"},
    {0x3f1a36371ea531a8, "9.999e-05"},
    {0x4480f0cf064dd592, "1e+22"},
    {0x0000000000000001, "5e-324"},
    {0x7fefffffffffffff, "1.7976931348623157e+308"},
    {0x4340000000000000, "9007199254740992.0"},
    {0x4170000008000000, "16777216.5"},
    {0x0010000000000000, "2.2250738585072014e-308"},
    {0xf2a74de452e6b438, "-1.989032661366619e+244"},
    {0x3d9c172411e20b8f, "6.387016158513563e-12"},
    {0xae97ba94d0eda82f, "-3.0536383926309363e-84"},
};

struct Comma : std::numpunct<char>
{
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

} // namespace

class TestNumberText : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { std::locale::global(std::locale(std::locale::classic(), new Comma)); }
    void cleanup() { std::locale::global(std::locale::classic()); }

    void isPythonsRepr()
    {
        for (const auto& [bits, text] : pythonCases)
            QCOMPARE(QString::fromStdString(numberText(std::bit_cast<double>(bits))), QString(text));
    }

    void namesWhatIsNoNumber()
    {
        constexpr double inf = std::numeric_limits<double>::infinity();
        QCOMPARE(numberText(std::numeric_limits<double>::quiet_NaN()), std::string("NaN"));
        QCOMPARE(numberText(inf), std::string("Infinity"));
        QCOMPARE(numberText(-inf), std::string("-Infinity"));
        QCOMPARE(roundedText(-inf), std::string("-Infinity"));
    }

    void writesAllDigitsOfIntegers()
    {
        const __int128 big = static_cast<__int128>(std::numeric_limits<std::int64_t>::max()) * 1000;
        QCOMPARE(numberText(big), std::string("9223372036854775807000"));
        QCOMPARE(numberText(-big), std::string("-9223372036854775807000"));
        QCOMPARE(numberText(core::Scalar(std::uint64_t{18446744073709551615u})), std::string("18446744073709551615"));
        QCOMPARE(numberText(core::Scalar(std::int64_t{-1234567})), std::string("-1234567"));
    }

    void knowsWhatFits64Bits()
    {
        constexpr __int128 one = 1;
        QVERIFY(fits64(-(one << 63)));
        QVERIFY(!fits64(-(one << 63) - 1));
        QVERIFY(fits64((one << 64) - 1));
        QVERIFY(!fits64(one << 64));
    }

    void roundsForPeople()
    {
        QCOMPARE(roundedText(1.0 / 3), std::string("0.333333"));
        QCOMPARE(roundedText(2.0), std::string("2"));
        QCOMPARE(roundedText(1.5e10), std::string("1.5e+10"));
    }
};

QTEST_APPLESS_MAIN(TestNumberText)
#include "test_number_text.moc"
