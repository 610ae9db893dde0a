// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/render/render.h"

#include <QTest>
#include <algorithm>
#include <complex>
#include <limits>
#include <zlib.h>

using namespace core;

namespace {

constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

// numpy.random.default_rng(7).standard_normal((4, 6)) * 3 as float32, three values replaced.
const std::vector<float> values = {0.0036904599983245134F,
                                   0.8962365984916687F,
                                   -0.8224135637283325F,
                                   -2.6717755794525146F,
                                   -1.364012360572815F,
                                   -2.9749395847320557F,
                                   0.1804308146238327F,
                                   4.020645618438721F,
                                   notANumber,
                                   -1.8614246845245361F,
                                   1.4695261716842651F,
                                   1.0706610679626465F,
                                   0.3162427544593811F,
                                   -2.7914042472839355F,
                                   -0.0877554640173912F,
                                   inf,
                                   -4.032643795013428F,
                                   -1.372847318649292F,
                                   -5.703668117523193F,
                                   -inf,
                                   -5.525205135345459F,
                                   -0.7052733898162842F,
                                   -3.802339553833008F,
                                   0.8137930631637573F};

Tensor sampleMap()
{
    return Tensor::fromValues(DType::f32, {4, 6}, values);
}

/// Index of a colour of turbo, whose colours all differ.
int indexOf(std::uint32_t pixel)
{
    const auto& table = colorTable(ColorMap::turbo);
    return static_cast<int>(std::find(table.begin(), table.end(), pixel) - table.begin());
}

template <class T>
std::vector<int> indices(DType dtype, const std::vector<T>& numbers, ValueRange range)
{
    const auto map = Tensor::fromValues(dtype, {1, static_cast<std::int64_t>(numbers.size())}, numbers);
    std::vector<int> result;
    for (const auto pixel : colorize(map, range, ColorMap::turbo).pixels)
        result.push_back(indexOf(pixel));
    return result;
}

} // namespace

class TestColormap : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// CRC-32 of the 1,024 bytes that matplotlib 3.11 gives for cmap(range(256), bytes=True).
    void tablesAreMatplotlibs()
    {
        const std::pair<const char*, unsigned long> expected[] = {
            {"viridis", 1356912516}, {"inferno", 2823020399}, {"magma", 2197762090}, {"plasma", 1938093582},
            {"cividis", 187321898},  {"turbo", 4015430284},   {"gray", 3178021723},  {"coolwarm", 2671131427}};
        for (const auto& [name, sum] : expected) {
            const auto map = colorMapFromName(name);
            QVERIFY2(map.has_value(), name);
            QCOMPARE(QString::fromStdString(std::string(colorMapName(*map))), QString::fromLatin1(name));
            const auto& table = colorTable(*map);
            QCOMPARE(crc32(0, reinterpret_cast<const Bytef*>(table.data()), 1024), sum);
        }
        QVERIFY(!colorMapFromName("jet"));
    }

    /// Colours that numpy's formula and matplotlib's plasma give for the sample.
    void colorsFollowTheFormula()
    {
        const std::vector<std::uint32_t> expected = {
            0xff6460de, 0xff507cee, 0xff7747cb, 0xffa11093,       0xff8437bd, 0xffa50788, 0xff6065e1, 0xff21f8ef,
            nanColor,   0xff9028af, 0xff438ff6, 0xff4c82f1,       0xff5d6ae4, 0xffa30d8f, 0xff665ddc, positiveInfColor,
            0xffa5005e, 0xff8437bd, 0xff86070c, negativeInfColor, 0xff8b0618, 0xff754ace, 0xffa70068, 0xff5279ed};
        const auto image = colorize(sampleMap(), findRange(sampleMap(), {}, false), ColorMap::plasma);
        QCOMPARE(image.width, 6);
        QCOMPARE(image.height, 4);
        QCOMPARE(image.pixels, expected);
    }

    void valuesOnEdgesAndOutside()
    {
        QCOMPARE(indices<float>(DType::f32, {0, 1, 255, 256, 300, -5, 127.5F}, {0, 256}),
                 (std::vector{0, 1, 255, 255, 255, 0, 127}));
        QCOMPARE(indices<double>(DType::f64, {3, 3, 4, 2}, {3, 3}), (std::vector{0, 0, 0, 0}));
        const double huge = std::numeric_limits<double>::max();
        QCOMPARE(indices<double>(DType::f64, {-huge, 0, huge}, {-huge, huge}), (std::vector{0, 128, 255}));
        const double tiny = std::numeric_limits<double>::denorm_min();
        QCOMPARE(indices<double>(DType::f64, {0, tiny, huge}, {0, 2 * tiny}), (std::vector{0, 128, 255}));
    }

    void everyDtypeIsRead()
    {
        QCOMPARE(indices<std::uint8_t>(DType::boolean, {0, 1}, {0, 1}), (std::vector{0, 255}));
        QCOMPARE(indices<std::uint8_t>(DType::u8, {0, 7, 255}, {0, 256}), (std::vector{0, 7, 255}));
        QCOMPARE(indices<std::int8_t>(DType::i8, {-128, 0, 127}, {-128, 128}), (std::vector{0, 128, 255}));
        QCOMPARE(indices<std::uint16_t>(DType::u16, {0, 65535}, {0, 131072}), (std::vector{0, 127}));
        QCOMPARE(indices<std::int16_t>(DType::i16, {-32768, 0}, {-32768, 32768}), (std::vector{0, 128}));
        QCOMPARE(indices<std::uint32_t>(DType::u32, {0, 1U << 31}, {0, 4294967296.0}), (std::vector{0, 128}));
        QCOMPARE(indices<std::int32_t>(DType::i32, {-5, 5}, {-5, 5}), (std::vector{0, 255}));
        QCOMPARE(indices<std::uint64_t>(DType::u64, {0, 1ULL << 63}, {0, 0x1p64}), (std::vector{0, 128}));
        QCOMPARE(indices<std::int64_t>(DType::i64, {-4, 4}, {-4, 12}), (std::vector{0, 128}));
        QCOMPARE(indices<std::uint16_t>(DType::f16, {0x3c00, 0x4000}, {0, 2}), (std::vector{128, 255}));
        QCOMPARE(indices<std::uint16_t>(DType::bf16, {0x3f80, 0x4000}, {0, 4}), (std::vector{64, 128}));
        QCOMPARE(indices<std::uint8_t>(DType::f8e4m3fn, {0x38, 0x40}, {0, 4}), (std::vector{64, 128}));
        QCOMPARE(indices<std::uint8_t>(DType::f8e5m2, {0x3c, 0x40}, {0, 4}), (std::vector{64, 128}));
        QCOMPARE(indices<std::complex<float>>(DType::c64, {{3, 4}, {0, -10}}, {0, 10}), (std::vector{128, 255}));
    }

    void anyStridesAreFollowed()
    {
        std::vector<float> numbers(24);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = static_cast<float>(i);
        const auto whole = Tensor::fromValues(DType::f32, {24}, numbers);
        const Tensor turned(DType::f32, {3, 2}, {-2, 7}, whole.storage(), 4 * sizeof(float));
        const auto image = colorize(turned, {0, 256}, ColorMap::turbo);
        std::vector<int> got;
        for (const auto pixel : image.pixels)
            got.push_back(indexOf(pixel));
        QCOMPARE(got, (std::vector{4, 11, 2, 9, 0, 7}));
    }

    /// min, max and torch.quantile of the finite values.
    void rangesAreExact()
    {
        QCOMPARE(findRange(sampleMap(), {}, false), (ValueRange{-5.703668117523193, 4.020645618438721}));
        QCOMPARE(findRange(sampleMap(), {}, true), (ValueRange{-5.703668117523193, 5.703668117523193}));
        QCOMPARE(findRange(sampleMap(), RangeChoice::parse("5%,97.5%"), false),
                 (ValueRange{-5.525205135345459, 2.745085895061493}));
        QCOMPARE(findRange(sampleMap(), RangeChoice::parse("-1,2.5"), true), (ValueRange{-1, 2.5}));
        const std::vector<float> notFinite = {notANumber, inf};
        QCOMPARE(findRange(Tensor::fromValues(DType::f32, {1, 2}, notFinite), {}, true), (ValueRange{0, 0}));
        const std::vector<float> none;
        QCOMPARE(findRange(Tensor::fromValues(DType::f32, {0, 4}, none), {}, false), (ValueRange{0, 0}));
        QVERIFY(hasNegative(sampleMap()));
        const std::vector<float> notNegative = {-0.F, 1, -inf};
        QVERIFY(!hasNegative(Tensor::fromValues(DType::f32, {1, 3}, notNegative)));
    }

    /// One value in the last corner of a large map counts: nothing is sampled.
    void rangeSeesEveryValue()
    {
        std::vector<float> numbers(1001 * 777);
        numbers.back() = 9;
        numbers[123457] = -3;
        QCOMPARE(findRange(Tensor::fromValues(DType::f32, {1001, 777}, numbers), {}, false), (ValueRange{-3, 9}));
    }

    void defaultColorsFitTheValues()
    {
        const auto positive = Tensor::fromValues(DType::f32, {1, 2}, std::vector<float>{0, 1});
        QCOMPARE(defaultColors(positive, false).colors, ColorMap::viridis);
        QCOMPARE(defaultColors(positive, true).colors, ColorMap::inferno);
        QCOMPARE(defaultColors(sampleMap(), false).colors, ColorMap::coolwarm);
        QVERIFY(defaultColors(sampleMap(), false).symmetric);
        QVERIFY(!defaultColors(positive, false).symmetric);
    }

    void rangeTextIsParsed()
    {
        QCOMPARE(RangeChoice::parse("auto"), RangeChoice{});
        QCOMPARE(RangeChoice::parse(" -1e-3 , .5"), (RangeChoice{RangeChoice::Kind::typed, -1e-3, 0.5}));
        QCOMPARE(RangeChoice::parse("1%,99.5%"), (RangeChoice{RangeChoice::Kind::percentiles, 1, 99.5}));
        for (const char* bad : {"", "1", "1,", "a,b", "2,1", "0,inf", "1%,2", "-1%,50%", "0%,101%", "1,2,3"})
            QVERIFY_EXCEPTION_THROWN(RangeChoice::parse(bad), UsageError);
    }
};

QTEST_GUILESS_MAIN(TestColormap)
#include "test_colormap.moc"
