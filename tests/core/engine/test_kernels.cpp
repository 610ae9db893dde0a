// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/kernels.h"
#include "core/engine/kernels_narrow.h"
#include "core/engine/lane_sum.h"
#include "tests/support/vector_targets.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace core;

namespace {

template <class Stored>
CompareOf<Stored> widen(Stored value)
{
    if constexpr (std::is_same_v<Stored, CompareOf<Stored>>)
        return value;
    else
        return toFloat(value);
}

template <class Compare>
bool isFinite(Compare value)
{
    if constexpr (std::is_floating_point_v<Compare>)
        return std::isfinite(value);
    else
        return true;
}

/// Equal bits, or both NaN.
bool same(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// Values of a type with every special one among them, many of them equal to others.
template <class Stored>
std::vector<Stored> makeValues(std::size_t n, std::mt19937_64& random)
{
    std::vector<Stored> values(n);
    for (Stored& value : values) {
        const std::uint64_t bits = random();
        if constexpr (std::is_same_v<Stored, Half> || std::is_same_v<Stored, BFloat16>) {
            // All bit patterns: subnormals, infinities, NaNs, both zeros.
            constexpr std::uint16_t special[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7e00, 1, 0x8001};
            value.bits = bits % 4 == 0 ? special[bits / 4 % 9] : static_cast<std::uint16_t>(bits >> 32);
        } else if constexpr (std::is_floating_point_v<Stored>) {
            using Limits = std::numeric_limits<Stored>;
            constexpr Stored special[] = {0,
                                          -Stored{0},
                                          Limits::infinity(),
                                          -Limits::infinity(),
                                          Limits::quiet_NaN(),
                                          Limits::denorm_min(),
                                          Limits::max(),
                                          Limits::lowest(),
                                          1};
            value = bits % 8 == 0 ? special[bits / 8 % 9]
                                  : static_cast<Stored>(static_cast<std::int64_t>(bits >> 40) - (1 << 23)) / Stored{1 << 20};
        } else {
            using Limits = std::numeric_limits<Stored>;
            constexpr Stored special[] = {0, 1, Limits::max(), Limits::lowest(), static_cast<Stored>(-1)};
            // Small ones, and of 64 bits more than float64 holds.
            value = bits % 4 == 0 ? special[bits / 4 % 5] : static_cast<Stored>(bits % 4 == 1 ? random() : bits >> 20);
        }
    }
    return values;
}

/// Predicates of every shape, with bounds among the values.
template <class Compare>
std::vector<Predicate<Compare>> makePredicates()
{
    using Limits = std::numeric_limits<Compare>;
    constexpr Compare top = Limits::has_infinity ? Limits::infinity() : Limits::max();
    constexpr Compare bottom = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const Compare one{1};
    std::vector<Predicate<Compare>> predicates = {
        {one, top},
        {static_cast<Compare>(Limits::max() / 3), top},
        {bottom, one},
        {0, 0},
        {0, 0, true, true},
        {one, static_cast<Compare>(100)},
        {one, static_cast<Compare>(100), true, false},
        {static_cast<Compare>(0 - one), one, true, false},
        {bottom, top},
        {bottom, top, true, true},
        {Limits::max(), Limits::lowest()},
        {Limits::lowest(), Limits::max()},
        everyElement<Compare>(),
    };
    if constexpr (std::is_floating_point_v<Compare>) {
        predicates.push_back({static_cast<Compare>(0.1), top});
        predicates.push_back({static_cast<Compare>(-1e-30), static_cast<Compare>(1e-30)});
        predicates.push_back({static_cast<Compare>(-70000.0), static_cast<Compare>(66000.0), true, true});
        predicates.push_back({-Compare{0}, top});
        predicates.push_back({bottom, -Compare{0}});
    }
    return predicates;
}

/// A copy at an address that is off by `shift` bytes from every alignment.
template <class Stored>
class Unaligned
{
public:
    Unaligned(const std::vector<Stored>& values, std::size_t shift) : m_bytes(values.size() * sizeof(Stored) + 64 + shift)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(m_bytes.data());
        m_first = m_bytes.data() + (64 - address % 64) % 64 + shift;
        m_bytes.resize(m_bytes.size() + 64);
        const auto moved = reinterpret_cast<std::uintptr_t>(m_bytes.data());
        m_first = m_bytes.data() + (64 - moved % 64) % 64 + shift;
        if (!values.empty())
            std::memcpy(m_first, values.data(), values.size() * sizeof(Stored));
    }
    const std::byte* data() const { return m_first; }

private:
    std::vector<std::byte> m_bytes;
    std::byte* m_first = nullptr;
};

template <class Stored>
std::vector<std::uint64_t> expectedMask(const std::vector<Stored>& values, const Predicate<CompareOf<Stored>>& predicate)
{
    std::vector<std::uint64_t> mask(static_cast<std::size_t>(maskWords(std::ssize(values))));
    for (std::size_t i = 0; i < values.size(); ++i)
        if (predicate(widen(values[i])))
            mask[i / 64] |= std::uint64_t{1} << i % 64;
    return mask;
}

std::int64_t bits(const std::vector<std::uint64_t>& mask)
{
    std::int64_t count = 0;
    for (const std::uint64_t word : mask)
        count += std::popcount(word);
    return count;
}

template <class Stored>
void checkRun(const std::vector<Stored>& values, std::size_t shift, const Predicate<CompareOf<Stored>>& predicate)
{
    const Unaligned<Stored> at(values, shift);
    const auto n = static_cast<std::int64_t>(values.size());
    const auto mask = expectedMask(values, predicate);
    QCOMPARE(countHot<Stored>(at.data(), n, predicate), bits(mask));
    std::vector<std::uint64_t> marked(mask.size() + 1, 0x5555);
    QCOMPARE(markHot<Stored>(at.data(), n, predicate, marked.data()), bits(mask));
    QCOMPARE(marked.back(), std::uint64_t{0x5555});
    marked.pop_back();
    QCOMPARE(marked, mask);
    if constexpr (std::is_integral_v<Stored>) {
        __int128 sum = 0;
        for (const Stored value : values)
            if (predicate(value))
                sum += value;
        QVERIFY(sumHotExactly<Stored>(at.data(), n, predicate) == sum);
    } else if (n <= tileElements) {
        std::array<double, 16> lanes{};
        for (std::size_t i = 0; i < values.size(); ++i)
            if (predicate(widen(values[i])))
                lanes[i % 16] += static_cast<double>(widen(values[i]));
        QVERIFY(same(sumHot<Stored>(at.data(), n, predicate), combineLanes(lanes)));
    }
}

template <class Stored>
void checkScan(const std::vector<Stored>& values, std::size_t shift)
{
    using Compare = CompareOf<Stored>;
    const Unaligned<Stored> at(values, shift);
    const auto n = static_cast<std::int64_t>(values.size());
    TileStatistics<Compare> expected;
    std::array<double, 16> lanes{};
    std::array<double, 16> deviations{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Compare value = widen(values[i]);
        if (isFinite(value)) {
            ++expected.finite;
            expected.zeros += value == 0;
            expected.min = std::min(expected.min, value);
            expected.max = std::max(expected.max, value);
            lanes[i % 16] += static_cast<double>(value);
            const double deviation = static_cast<double>(value) - 0.75;
            deviations[i % 16] += deviation * deviation;
            if constexpr (std::is_integral_v<Stored>)
                expected.integerSum += value;
        } else if (value != value) {
            ++expected.nan;
        } else {
            ++(value > 0 ? expected.positiveInf : expected.negativeInf);
        }
    }
    const TileStatistics<Compare> found = scanTile<Stored>(at.data(), n);
    QCOMPARE(found.finite, expected.finite);
    QCOMPARE(found.zeros, expected.zeros);
    QCOMPARE(found.nan, expected.nan);
    QCOMPARE(found.positiveInf, expected.positiveInf);
    QCOMPARE(found.negativeInf, expected.negativeInf);
    QVERIFY(found.min == expected.min && found.max == expected.max);
    QVERIFY(!std::signbit(static_cast<double>(found.min)) || found.min != 0);
    QVERIFY(!std::signbit(static_cast<double>(found.max)) || found.max != 0);
    if constexpr (std::is_integral_v<Stored>)
        QVERIFY(found.integerSum == expected.integerSum);
    else
        QVERIFY(same(found.sum, combineLanes(lanes)));
    QVERIFY(same(squaredDeviations<Stored>(at.data(), n, 0.75), combineLanes(deviations)));
}

template <class Stored>
void checkTile(std::int64_t channels, std::int64_t pixels, const std::vector<Stored>& values,
               const Predicate<CompareOf<Stored>>& predicate)
{
    using Map = MapType<Stored>;
    const std::int64_t stride = pixels + 5;
    const Unaligned<Stored> at(values, 1);
    const auto p = static_cast<std::size_t>(pixels);
    const std::int64_t words = maskWords(pixels);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(channels), 7);
    std::vector<std::uint64_t> mask(static_cast<std::size_t>(channels * (words + 1)), 0xabc);
    std::vector<std::int32_t> countMap(p);
    std::vector<double> sumMap(p), absoluteMap(p), squareMap(p);
    std::vector<Map> maxMap(p);
    PixelTile<Stored> tile;
    tile.values = at.data();
    tile.channels = channels;
    tile.channelStride = stride;
    tile.pixels = pixels;
    tile.predicate = predicate;
    tile.counts = counts.data();
    tile.mask = mask.data();
    tile.maskStride = words + 1;
    tile.countMap = countMap.data();
    tile.sumMap = sumMap.data();
    tile.maxMap = maxMap.data();
    reduceChannels(tile);
    // The powers alone, and with what came before: both ways give the same sums.
    std::vector<double> sumAgain(p);
    PixelTile<Stored> powers = tile;
    powers.counts = nullptr;
    powers.mask = nullptr;
    powers.countMap = nullptr;
    powers.maxMap = nullptr;
    powers.sumMap = sumAgain.data();
    powers.absoluteMap = absoluteMap.data();
    powers.squareMap = squareMap.data();
    reduceChannels(powers);

    for (std::int64_t c = 0; c < channels; ++c) {
        const auto* first = values.data() + c * stride;
        const auto expected = expectedMask(std::vector<Stored>(first, first + pixels), predicate);
        const auto* row = mask.data() + c * (words + 1);
        QVERIFY(std::equal(expected.begin(), expected.end(), row));
        QCOMPARE(row[words], std::uint64_t{0xabc});
        QCOMPARE(counts[static_cast<std::size_t>(c)], 7 + bits(expected));
    }
    for (std::size_t i = 0; i < p; ++i) {
        std::int32_t count = 0;
        double sum = 0, absolute = 0, square = 0;
        bool nan = false;
        double max = -INFINITY;
        for (std::int64_t c = 0; c < channels; ++c) {
            const auto value = widen(values[static_cast<std::size_t>(c * stride) + i]);
            if (!predicate(value))
                continue;
            ++count;
            const auto real = static_cast<double>(value);
            sum += real;
            absolute += std::fabs(real);
            square += real * real;
            nan = nan || std::isnan(real);
            max = real > max ? real : max;
        }
        QCOMPARE(countMap[i], count);
        QVERIFY(same(sumMap[i], sum));
        QVERIFY(same(sumAgain[i], sum));
        QVERIFY(same(absoluteMap[i], absolute));
        QVERIFY(same(squareMap[i], square));
        QVERIFY(same(static_cast<double>(maxMap[i]), count == 0 || nan ? NAN : max));
    }
}

template <class Stored>
void checkType(const char* name)
{
    std::mt19937_64 random(20250701);
    const auto predicates = makePredicates<CompareOf<Stored>>();
    std::vector<std::size_t> lengths;
    for (std::size_t n = 0; n <= 200; ++n)
        lengths.push_back(n);
    for (const std::size_t n : {255, 256, 1023, 1024, 1025, 2047, 2049, 4095, 4096})
        lengths.push_back(n);
    std::size_t turn = 0;
    for (const std::size_t n : lengths) {
        const auto values = makeValues<Stored>(n, random);
        // Every predicate at every eighth length, else three of them by turns.
        const std::size_t tried = n % 8 == 0 ? predicates.size() : 3;
        for (std::size_t i = 0; i < tried; ++i) {
            checkRun(values, turn % 5 * 3, predicates[turn % predicates.size()]);
            ++turn;
        }
        checkScan(values, turn % 5 * 3);
        // Two more that a random draw seldom gives: all equal, all zero.
        checkScan(std::vector<Stored>(n, n ? values[0] : Stored{}), 1);
        checkScan(std::vector<Stored>(n, Stored{}), 2);
        if (QTest::currentTestFailed())
            return qWarning("%s, length %zu, turn %zu", name, n, turn);
    }
    for (const std::int64_t pixels : {0, 1, 49, 63, 64, 65, 196, 1000, 2047, 2048})
        for (const std::int64_t channels : {0, 1, 3, 8, 9, 17}) {
            const auto values = makeValues<Stored>(static_cast<std::size_t>(channels * (pixels + 5)), random);
            for (int i = 0; i < 3; ++i, ++turn)
                checkTile(channels, pixels, values, predicates[turn % predicates.size()]);
            if (QTest::currentTestFailed())
                return qWarning("%s, %lld channels of %lld pixels", name, static_cast<long long>(channels),
                                static_cast<long long>(pixels));
        }
}

} // namespace

class TestKernels : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void equalNaiveLoops_data();
    void equalNaiveLoops();
    void decodeMasks_data();
    void decodeMasks();
    void widensEveryFloat8();
    void narrowsAsPyTorchDoes_data();
    void narrowsAsPyTorchDoes();
};

/// One row per vector target that this machine can run.
static void addTargets()
{
    QTest::addColumn<qint64>("target");
    for (const std::int64_t target : support::vectorTargets())
        QTest::newRow(hwy::TargetName(target)) << static_cast<qint64>(target);
}

void TestKernels::equalNaiveLoops_data()
{
    addTargets();
}

void TestKernels::equalNaiveLoops()
{
    QFETCH(qint64, target);
    const support::HeldTarget held(target);
    checkType<std::uint8_t>("uint8");
    checkType<std::int8_t>("int8");
    checkType<std::uint16_t>("uint16");
    checkType<std::int16_t>("int16");
    checkType<std::uint32_t>("uint32");
    checkType<std::int32_t>("int32");
    checkType<std::uint64_t>("uint64");
    checkType<std::int64_t>("int64");
    checkType<Half>("float16");
    checkType<BFloat16>("bfloat16");
    checkType<float>("float32");
    checkType<double>("float64");
}

void TestKernels::decodeMasks_data()
{
    addTargets();
}

void TestKernels::decodeMasks()
{
    QFETCH(qint64, target);
    const support::HeldTarget held(target);
    std::mt19937_64 random(5);
    for (const int density : {0, 1, 4, 32, 63, 64})
        for (const std::int64_t elements : {0, 1, 63, 64, 65, 1000, 12544}) {
            std::vector<std::uint64_t> mask(static_cast<std::size_t>(maskWords(elements)));
            std::vector<std::uint32_t> expected;
            constexpr std::uint32_t base = 3000000000;
            for (std::int64_t i = 0; i < elements; ++i)
                if (static_cast<int>(random() % 64) < density) {
                    mask[static_cast<std::size_t>(i / 64)] |= std::uint64_t{1} << i % 64;
                    expected.push_back(base + static_cast<std::uint32_t>(i));
                }
            QCOMPARE(countMask(mask.data(), std::ssize(mask)), std::ssize(expected));
            std::vector<std::uint32_t> offsets(expected.size() + 1, 99);
            listHot(mask.data(), std::ssize(mask), base, std::span(offsets).first(expected.size()));
            QCOMPARE(offsets.back(), 99u);
            offsets.pop_back();
            QCOMPARE(offsets, expected);
            std::vector<std::uint8_t> bytes(static_cast<std::size_t>(elements) + 1, 7);
            expandMask(mask.data(), elements, bytes.data());
            QCOMPARE(bytes.back(), 7);
            for (std::int64_t i = 0; i < elements; ++i)
                QCOMPARE(bytes[static_cast<std::size_t>(i)], mask[static_cast<std::size_t>(i / 64)] >> i % 64 & 1);

            for (std::uint32_t& offset : offsets)
                offset -= base;
            const std::int64_t prefixValues[] = {3, 1ll << 40, 5};
            for (const std::size_t prefix : {0, 1, 2, 3})
                for (const std::int64_t width : {1, 7, 112, 64, 100000}) {
                    const bool onlyColumn = prefix == 0 && width == 1;
                    const RowPattern pattern{std::span(prefixValues).first(prefix), width, onlyColumn};
                    const std::size_t rank = prefix + (onlyColumn ? 1 : 2);
                    QCOMPARE(static_cast<std::size_t>(pattern.rank()), rank);
                    std::vector<std::int64_t> rows(offsets.size() * rank + 1, -9), columns((offsets.size() + 3) * rank, -9);
                    writeRows(offsets, pattern, rows.data());
                    writeColumns(offsets, pattern, columns.data(), std::ssize(offsets) + 3);
                    QCOMPARE(rows.back(), -9);
                    for (std::size_t i = 0; i < offsets.size(); ++i) {
                        std::vector<std::int64_t> row(prefixValues, prefixValues + prefix);
                        if (!onlyColumn)
                            row.push_back(offsets[i] / width);
                        row.push_back(onlyColumn ? offsets[i] : offsets[i] % width);
                        for (std::size_t a = 0; a < rank; ++a) {
                            QCOMPARE(rows[i * rank + a], row[a]);
                            QCOMPARE(columns[a * (offsets.size() + 3) + i], row[a]);
                        }
                    }
                    for (std::size_t a = 0; a < rank; ++a)
                        for (std::size_t i = 0; i < 3; ++i)
                            QCOMPARE(columns[a * (offsets.size() + 3) + offsets.size() + i], -9);
                }
        }
}

void TestKernels::widensEveryFloat8()
{
    std::vector<std::byte> all(256);
    for (std::size_t i = 0; i < 256; ++i)
        all[i] = static_cast<std::byte>(i);
    for (const DType dtype : {DType::f8e4m3fn, DType::f8e5m2, DType::f8e4m3fnuz, DType::f8e5m2fnuz}) {
        std::vector<float> widened(256);
        widenFloat8(dtype, all.data(), 256, widened.data());
        for (std::size_t i = 0; i < 256; ++i)
            QVERIFY(same(widened[i], float8ToFloat(dtype, static_cast<std::uint8_t>(i))));
    }
}

void TestKernels::narrowsAsPyTorchDoes_data()
{
    addTargets();
}

/// As toHalf and toBFloat16, which the tables of test_dtype hold to PyTorch: about every 16-bit number and halfway to the next.
void TestKernels::narrowsAsPyTorchDoes()
{
    QFETCH(qint64, target);
    const support::HeldTarget held(target);
    std::vector<float> values;
    for (std::uint32_t bits = 0; bits < 65536; ++bits)
        for (const float near : {toFloat(Half{static_cast<std::uint16_t>(bits)}), std::bit_cast<float>(bits << 16)}) {
            const auto at = std::bit_cast<std::uint32_t>(near);
            for (const std::uint32_t further : {0U, 1U, 0xfffU, 0x1000U, 0x1001U, 0x7fffU, 0x8000U, 0x8001U})
                values.push_back(std::bit_cast<float>(at + further));
        }
    values.resize(values.size() - 3);
    std::vector<Half> halves(values.size());
    std::vector<BFloat16> bfloats(values.size());
    narrow(values.data(), std::ssize(values), halves.data());
    narrow(values.data(), std::ssize(values), bfloats.data());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (halves[i].bits != toHalf(values[i]).bits || bfloats[i].bits != toBFloat16(values[i]).bits)
            QFAIL(qPrintable(QString::number(std::bit_cast<std::uint32_t>(values[i]), 16)));
}

QTEST_GUILESS_MAIN(TestKernels)
#include "test_kernels.moc"
