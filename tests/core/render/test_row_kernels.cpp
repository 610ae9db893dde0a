// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/colorize.h"
#include "core/render/row_kernels.h"
#include "tests/support/vector_targets.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

using namespace core;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

/// Values in and around a scale, some of them on its edges, some without a place.
std::vector<double> valuesFor(ValueRange range, std::size_t count, unsigned seed, bool withSpecial)
{
    std::mt19937 random(seed);
    const double width = range.hi - range.lo;
    std::uniform_real_distribution<double> around(-0.1, 1.1);
    const std::array special{std::nan(""), inf, -inf, -largest, largest, -0.0};
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        if (withSpecial && random() % 9 == 0)
            values.push_back(special[random() % special.size()]);
        else if (random() % 2)
            values.push_back(range.lo + width * static_cast<double>(random() % 257) / 256);
        else
            values.push_back(range.lo + width * around(random));
    }
    return values;
}

std::uint32_t colorOf(double value, ValueRange range, ColorMap colors)
{
    if (std::isnan(value))
        return nanColor;
    if (std::isinf(value))
        return value > 0 ? positiveInfColor : negativeInfColor;
    const double place = std::floor(256 * (value - range.lo) / (range.hi - range.lo));
    return colorTable(colors)[static_cast<std::size_t>(std::clamp(place, 0.0, 255.0))];
}

std::uint32_t fadedAs(std::uint32_t pixel, double value, const FadeScale& scale)
{
    if (!std::isfinite(value))
        return pixel;
    double part = std::clamp((value - scale.lo) / scale.span, 0.0, 1.0);
    if (scale.diverging)
        part = std::abs(2 * part - 1);
    return (pixel & 0xffffff) | static_cast<std::uint32_t>(std::lround(255 * std::sqrt(part))) << 24;
}

} // namespace

class TestRowKernels : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyTargetFollowsTheFormulas_data()
    {
        QTest::addColumn<qint64>("target");
        for (const auto target : support::vectorTargets())
            QTest::newRow(hwy::TargetName(target)) << qint64{target};
    }

    void everyTargetFollowsTheFormulas()
    {
        QFETCH(qint64, target);
        const support::HeldTarget held(target);
        unsigned seed = 0;
        for (const ValueRange range : {ValueRange{0, 256}, {-1, 3}, {0.1, 0.7}, {-1e-300, 1e-300}, {1e6, 1e6 + 1}})
            for (std::size_t count = 0; count < 70; ++count) {
                ++seed;
                const auto values = valuesFor(range, count, seed, seed % 2);
                const QByteArray where = QByteArray("seed ") + QByteArray::number(seed);
                std::vector<std::uint32_t> got(count + 1, 7);
                Scale(range, ColorMap::turbo).paint(values, got.data());
                for (std::size_t i = 0; i < count; ++i)
                    QVERIFY2(got[i] == colorOf(values[i], range, ColorMap::turbo), where);
                QCOMPARE(got[count], 7U);

                for (const bool diverging : {false, true}) {
                    const FadeScale scale{range.lo, range.hi - range.lo, diverging};
                    std::vector<std::uint32_t> faded(count + 1, 0xff012345);
                    fade(values, scale, faded.data());
                    for (std::size_t i = 0; i < count; ++i)
                        QVERIFY2(faded[i] == fadedAs(0xff012345, values[i], scale), where);
                    QCOMPARE(faded[count], 0xff012345U);
                }
                holdsLimits(values, where);
            }
    }

    void everyTargetWidens_data() { everyTargetFollowsTheFormulas_data(); }

    void everyTargetWidens()
    {
        QFETCH(qint64, target);
        const support::HeldTarget held(target);
        std::vector<float> numbers{NAN, HUGE_VALF, -0.0F, 0x1p-149F};
        for (int i = 0; i < 60; ++i)
            numbers.push_back(0.1F * static_cast<float>(i));
        for (std::size_t offset = 0; offset < 3; ++offset)
            for (std::size_t count = 0; count <= numbers.size(); ++count) {
                std::vector<std::byte> bytes(offset + 4 * count);
                std::copy_n(reinterpret_cast<const std::byte*>(numbers.data()), 4 * count,
                            bytes.begin() + static_cast<std::ptrdiff_t>(offset));
                std::vector<double> wide(count + 1, -1);
                widen(bytes.data() + offset, std::span(wide).first(count));
                for (std::size_t i = 0; i < count; ++i)
                    QVERIFY(std::isnan(numbers[i]) ? std::isnan(wide[i]) : wide[i] == double{numbers[i]});
                QCOMPARE(wide[count], -1.0);
            }
    }

private:
    static void holdsLimits(const std::vector<double>& values, const QByteArray& where)
    {
        double lo = inf;
        double hi = -inf;
        bool isFinite = true;
        for (const double value : values) {
            isFinite &= std::isfinite(value);
            lo = std::isfinite(value) && value < lo ? value : lo;
            hi = std::isfinite(value) && value > hi ? value : hi;
        }
        const auto limits = limitsOf(values);
        QVERIFY2(limits.lo == lo && limits.hi == hi && limits.isFinite == isFinite, where);
    }
};

QTEST_APPLESS_MAIN(TestRowKernels)
#include "test_row_kernels.moc"
