// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "core/engine/kernels_codes.h"
#include "tests/support/vector_targets.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace core;

/// What is done to codes equals loops over single codes, on every vector target, at any address and for any number of pixels.
class TestCodeKernels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addChannels_data();
    void addChannels();
    void keepFromLowest_data();
    void keepFromLowest();
};

namespace {

void addTargets()
{
    QTest::addColumn<qint64>("target");
    for (const std::int64_t target : support::vectorTargets())
        QTest::newRow(hwy::TargetName(target)) << static_cast<qint64>(target);
}

struct Naive
{
    bool isHot(int code) const { return !test.isNone && ((code - test.first) & 255) <= test.width; }
    bool isOpen(int code, bool withSum) const
    {
        const bool isMixed = test.hasMixed && (code == test.mixed[0] || code == test.mixed[1]);
        return isMixed || (withSum && isHot(code) && ((code - test.regularFirst) & 255) > test.regularWidth);
    }

    CodeTest test;
};

CodeTest randomTest(std::mt19937& random)
{
    const auto byte = [&] { return static_cast<std::uint8_t>(random()); };
    CodeTest test;
    test.bias = random() % 2 ? 0x80 : 0;
    test.first = byte();
    test.width = random() % 3 ? byte() : std::uint8_t{255};
    test.isNone = random() % 8 == 0;
    test.hasMixed = random() % 2;
    test.mixed[0] = byte();
    test.mixed[1] = random() % 2 ? byte() : test.mixed[0];
    test.regularFirst = random() % 2 ? byte() : 0;
    test.regularWidth = random() % 2 ? byte() : 255;
    test.hasIrregular = test.regularWidth < 255;
    return test;
}

/// As many channels as the short accumulators hold, some at a time.
void checkRuns(std::int64_t pixels, std::int64_t shift, bool withSum, bool withOpen, const CodeTest& test, std::mt19937& random)
{
    const Naive naive{test};
    const std::int64_t stride = pixels + 3;
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(mostShortChannels * stride + shift));
    for (std::uint8_t& code : codes)
        code = static_cast<std::uint8_t>(random() % 16 ? random() : 255 ^ test.bias);
    const auto size = static_cast<std::size_t>(pixels);
    std::vector<std::uint8_t> shortCount(size + 1, 0);
    std::vector<std::uint16_t> shortSum(static_cast<std::size_t>(sumPlaces(pixels)) + 1, 0);
    shortCount.back() = 77;
    shortSum.back() = 77;
    std::vector<std::int32_t> count(size, 5), expectedCount(size, 5);
    std::vector<double> sum(size, 0.5), expectedSum(size, 0.5);
    std::vector<std::uint64_t> open(static_cast<std::size_t>(maskWords(pixels)));
    for (std::int64_t c = 0; c < mostShortChannels;) {
        CodeRun run;
        run.codes = codes.data() + shift + c * stride;
        run.pixels = pixels;
        run.channels = withOpen ? 1 : std::min<std::int64_t>(1 + random() % mostRunChannels, mostShortChannels - c);
        run.channelStride = stride;
        run.count = shortCount.data();
        run.sum = withSum ? shortSum.data() : nullptr;
        run.open = withOpen ? open.data() : nullptr;
        std::fill(open.begin(), open.end(), ~std::uint64_t{0});
        addCodes(run, test);
        for (std::int64_t i = 0; i < pixels; ++i)
            for (std::int64_t k = 0; k < run.channels; ++k) {
                const int code = run.codes[k * stride + i] ^ test.bias;
                const auto at = static_cast<std::size_t>(i);
                const bool isOpen = naive.isOpen(code, withSum);
                if (withOpen)
                    QCOMPARE(bool(open[at / 64] >> at % 64 & 1), isOpen);
                if (!naive.isHot(code) || isOpen)
                    continue;
                ++expectedCount[at];
                expectedSum[at] += 10 + 2.0 * code;
            }
        c += run.channels;
    }
    CodeTotals totals{
        pixels, shortCount.data(), withSum ? shortSum.data() : nullptr, count.data(), withSum ? sum.data() : nullptr, 10, 2};
    addUpCodes(totals);
    QCOMPARE(count, expectedCount);
    if (withSum)
        QCOMPARE(sum, expectedSum);
    QCOMPARE(shortCount.back(), 77);
    QCOMPARE(shortSum.back(), 77);
    // All is added: once more adds nothing.
    addUpCodes(totals);
    QCOMPARE(count, expectedCount);
}

} // namespace

void TestCodeKernels::addChannels_data()
{
    addTargets();
}

void TestCodeKernels::addChannels()
{
    QFETCH(qint64, target);
    const support::HeldTarget held(target);
    std::mt19937 random(3);
    for (const std::int64_t pixels : {1, 31, 32, 63, 64, 65, 96, 127, 200, 1000})
        for (const std::int64_t shift : {0, 1})
            for (const bool withSum : {false, true}) {
                CodeTest test = randomTest(random);
                checkRuns(pixels, shift, withSum, true, test, random);
                test.hasMixed = false;
                test.regularFirst = 0;
                test.regularWidth = 255;
                checkRuns(pixels, shift, withSum, false, test, random);
            }
}

void TestCodeKernels::keepFromLowest_data()
{
    addTargets();
}

template <class Float>
static void checkKeep()
{
    constexpr Float nan = std::numeric_limits<Float>::quiet_NaN();
    constexpr Float infinity = std::numeric_limits<Float>::infinity();
    std::vector<Float> values;
    for (int i = 0; i < 67; ++i)
        for (const Float value : {Float(i) - 30, nan, infinity, -infinity, Float(-0.0)})
            values.push_back(value);
    for (const Float lowest : {Float(0), Float(5), infinity, -infinity})
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{17}, values.size()}) {
            std::vector<Float> kept(n + 1, 9);
            keepFrom(values.data(), static_cast<std::int64_t>(n), lowest, kept.data());
            QCOMPARE(kept.back(), Float(9));
            for (std::size_t i = 0; i < n; ++i)
                QVERIFY(values[i] >= lowest ? kept[i] == values[i] : std::isnan(kept[i]));
        }
}

void TestCodeKernels::keepFromLowest()
{
    QFETCH(qint64, target);
    const support::HeldTarget held(target);
    checkKeep<float>();
    checkKeep<double>();
}

QTEST_GUILESS_MAIN(TestCodeKernels)
#include "test_code_kernels.moc"
