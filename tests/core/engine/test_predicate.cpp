// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/predicate.h"
#include "core/error.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

using namespace core;

namespace {

/// Elements of a dtype by their stored bytes.
using Elements = std::vector<std::vector<unsigned char>>;

Elements parseElements(std::istringstream& line)
{
    Elements elements;
    for (std::string hex; line >> hex;) {
        std::vector<unsigned char> bytes;
        for (std::size_t i = 0; i < hex.size(); i += 2)
            bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
        elements.push_back(bytes);
    }
    return elements;
}

template <class T>
T read(const std::vector<unsigned char>& bytes)
{
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

template <class T>
T widen(DType dtype, const std::vector<unsigned char>& bytes)
{
    if constexpr (std::is_same_v<T, float>) {
        if (isFloat8(dtype))
            return float8ToFloat(dtype, bytes[0]);
        if (dtype == DType::f16)
            return toFloat(read<Half>(bytes));
        if (dtype == DType::bf16)
            return toFloat(read<BFloat16>(bytes));
    }
    return read<T>(bytes);
}

template <class T>
std::string hotBits(const Elements& elements, DType dtype, const Condition& condition, Comparison comparison)
{
    const Predicate<T> hot = makePredicate<T>(condition, dtype, comparison);
    std::string out((elements.size() + 3) / 4, '0');
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (!hot(widen<T>(dtype, elements[i])))
            continue;
        const int digit = out[i / 4] <= '9' ? out[i / 4] - '0' : out[i / 4] - 'a' + 10;
        out[i / 4] = "0123456789abcdef"[digit | 8 >> i % 4];
    }
    return out;
}

std::string hot(const Elements& elements, DType dtype, const Condition& condition, Comparison comparison)
{
    switch (dtype) {
    case DType::boolean:
    case DType::u8:
        return hotBits<std::uint8_t>(elements, dtype, condition, comparison);
    case DType::i8:
        return hotBits<std::int8_t>(elements, dtype, condition, comparison);
    case DType::u16:
        return hotBits<std::uint16_t>(elements, dtype, condition, comparison);
    case DType::i16:
        return hotBits<std::int16_t>(elements, dtype, condition, comparison);
    case DType::u32:
        return hotBits<std::uint32_t>(elements, dtype, condition, comparison);
    case DType::i32:
        return hotBits<std::int32_t>(elements, dtype, condition, comparison);
    case DType::u64:
        return hotBits<std::uint64_t>(elements, dtype, condition, comparison);
    case DType::i64:
        return hotBits<std::int64_t>(elements, dtype, condition, comparison);
    case DType::f64:
        return hotBits<double>(elements, dtype, condition, comparison);
    default:
        return hotBits<float>(elements, dtype, condition, comparison);
    }
}

std::map<std::string, Elements> allElements()
{
    std::map<std::string, Elements> all;
    std::ifstream file(TEST_DATA "/engine/conditions.txt");
    for (std::string text; std::getline(file, text);) {
        std::istringstream line(text);
        std::string word;
        std::string dtype;
        line >> word >> dtype;
        if (word == "values")
            all[dtype] = parseElements(line);
    }
    return all;
}

Comparison comparisonOf(const std::string& name)
{
    return name == "exact" ? Comparison::exact : Comparison::torch;
}

void checkRow(const std::string& form, const Elements& elements, DType dtype, Comparison comparison,
              const std::string& expected)
{
    const std::string actual = hot(elements, dtype, Where::parse(form).condition, comparison);
    if (actual != expected)
        QFAIL(qPrintable(QString::fromStdString(std::string(dtypeName(dtype)) + " " + form + " (" +
                                                std::string(comparisonName(comparison)) + "): " + actual + ", expected " +
                                                expected)));
}

} // namespace

class TestPredicate : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Rows are PyTorch 2.11's own answers (torch) or Python's fractions (exact).
    void matchesTable()
    {
        const auto all = allElements();
        QCOMPARE(all.size(), 17u);
        std::ifstream file(TEST_DATA "/engine/conditions.txt");
        int rows = 0;
        for (std::string text; std::getline(file, text);) {
            std::istringstream line(text);
            std::string comparison, name, t, threshold;
            line >> comparison >> name >> t >> threshold;
            if (comparison != "torch" && comparison != "exact")
                continue;
            const DType dtype = dtypeFromName(name).value();
            for (const char* op : {">", ">=", "<", "<=", "==", "!=", "abs >", "abs >="}) {
                std::string expected;
                line >> expected;
                checkRow(std::string(op) + " " + t, all.at(name), dtype, comparisonOf(comparison), expected);
                if (QTest::currentTestFailed())
                    return;
            }
            checkThreshold(t, dtype, comparisonOf(comparison), threshold);
            ++rows;
        }
        QVERIFY(rows > 2000);
    }

    void matchesIntervals()
    {
        const auto all = allElements();
        std::ifstream file(TEST_DATA "/engine/intervals.txt");
        int rows = 0;
        for (std::string text; std::getline(file, text);) {
            std::istringstream line(text);
            std::string comparison, name, a, b, between, outside;
            if (!(line >> comparison >> name >> a >> b >> between >> outside) || comparison == "#")
                continue;
            const DType dtype = dtypeFromName(name).value();
            checkRow("between " + a + " " + b, all.at(name), dtype, comparisonOf(comparison), between);
            checkRow("outside " + a + " " + b, all.at(name), dtype, comparisonOf(comparison), outside);
            if (QTest::currentTestFailed())
                return;
            ++rows;
        }
        QVERIFY(rows > 400);
    }

    void classes()
    {
        const float inf = INFINITY;
        const auto is = [](const char* form, float v) {
            return makePredicate<float>(Where::parse(form).condition, DType::f32, Comparison::torch)(v);
        };
        QVERIFY(is("nan", NAN) && !is("nan", inf) && !is("nan", 0.0f));
        QVERIFY(is("inf", inf) && is("inf", -inf) && !is("inf", NAN) && !is("inf", 3.4028235e38f));
        QVERIFY(is("finite", -3.4028235e38f) && !is("finite", inf) && !is("finite", NAN));
        const auto integer = [](const char* form) {
            return makePredicate<std::int64_t>(Where::parse(form).condition, DType::i64, Comparison::exact)(5);
        };
        QVERIFY(!integer("nan") && !integer("inf") && integer("finite"));
        QVERIFY(!comparedThreshold(Where::parse("nan").condition, DType::f32, Comparison::torch).a);
    }

    void twoThresholds()
    {
        const Threshold t = comparedThreshold(Where::parse("between 0.1 300").condition, DType::f16, Comparison::torch);
        QCOMPARE(*t.a, 0.0999755859375);
        QCOMPARE(*t.b, 300.0);
        const Threshold wrapped = comparedThreshold(Where::parse("outside -1 300").condition, DType::u8, Comparison::torch);
        QVERIFY(*wrapped.integerA == 255 && *wrapped.integerB == 44);
    }

    void refusesOrderOfComplex()
    {
        QVERIFY_THROWS_EXCEPTION(Error,
                                 (void)makePredicate<float>(Where::parse("> 1").condition, DType::c64, Comparison::torch));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 (void)makePredicate<double>(Where::parse("> 1").condition, DType::f32, Comparison::torch));
    }

private:
    static void checkThreshold(const std::string& t, DType dtype, Comparison comparison, const std::string& expected)
    {
        const Threshold threshold = comparedThreshold(Where::parse("> " + t).condition, dtype, comparison);
        const double value = std::strtod(expected.c_str(), nullptr);
        QVERIFY2(*threshold.a == value, qPrintable(QString::fromStdString(std::string(dtypeName(dtype)) + " > " + t)));
        QCOMPARE(std::signbit(*threshold.a), std::signbit(value));
        if (expected.find_first_of(".enf") == std::string::npos)
            QVERIFY(threshold.integerA && Number::parse(expected).integer == *threshold.integerA);
    }
};

QTEST_GUILESS_MAIN(TestPredicate)
#include "test_predicate.moc"
