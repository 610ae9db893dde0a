// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/blend_kernels.h"
#include "core/render/image.h"
#include "core/render/sample_kernels.h"
#include "tests/support/vector_targets.h"

#include <QTest>

#include <random>

using namespace core;

namespace {

unsigned partOf(std::uint32_t pixel, int part)
{
    return pixel >> 8 * part & 255;
}

std::uint32_t laidOver(std::uint32_t under, std::uint32_t over, unsigned alpha)
{
    const auto mixed = [&](int part) { return (partOf(under, part) * (255 - alpha) + partOf(over, part) * alpha + 127) / 255; };
    return rgba(mixed(0), mixed(1), mixed(2), std::max(under >> 24, alpha));
}

/// The average of `samples` for one pixel.
std::uint32_t averaged(const Samples& samples, std::size_t pixel)
{
    std::uint64_t sums[3] = {};
    std::uint64_t alpha = 0;
    std::uint64_t all = 0;
    for (int j = 0; j < samples.rows; ++j)
        for (int i = 0; i < samples.columns; ++i) {
            const auto second = samples.second ? static_cast<unsigned>(samples.second[pixel]) : 0U;
            const unsigned column = !samples.second ? 1 : i == 0 ? 256 - second : second;
            const std::uint64_t weight = (samples.rowWeight[j] * column + 15) / 16;
            const std::uint32_t one = samples.row[j][samples.column[i][pixel]];
            for (int part = 0; part < 3; ++part)
                sums[part] += weight * partOf(one, 3) * partOf(one, part);
            alpha += weight * partOf(one, 3);
            all += weight;
        }
    if (alpha == 0)
        return 0;
    const auto part = [&](int i) { return static_cast<unsigned>((sums[i] + alpha / 2) / alpha); };
    return rgba(part(0), part(1), part(2), static_cast<unsigned>((alpha + all / 2) / all));
}

class Pixels
{
public:
    explicit Pixels(unsigned seed) : m_random(seed) {}

    unsigned upTo(unsigned most) { return std::uniform_int_distribution<unsigned>(0, most)(m_random); }
    /// Transparent, opaque and translucent ones, some of the greatest value.
    std::vector<std::uint32_t> row(std::size_t count)
    {
        std::vector<std::uint32_t> pixels(count);
        for (auto& pixel : pixels) {
            const std::uint32_t alphas[] = {0, 255, upTo(255)};
            pixel = (upTo(5) ? upTo(0xffffff) : 0xffffff) | alphas[upTo(2)] << 24;
        }
        return pixels;
    }
    std::vector<std::int32_t> numbers(std::size_t count, unsigned most)
    {
        std::vector<std::int32_t> numbers(count);
        for (auto& number : numbers)
            number = static_cast<std::int32_t>(upTo(most));
        return numbers;
    }

private:
    std::mt19937 m_random;
};

} // namespace

class TestPixelKernels : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyTargetAverages_data()
    {
        QTest::addColumn<qint64>("target");
        for (const auto target : support::vectorTargets())
            QTest::newRow(hwy::TargetName(target)) << qint64{target};
    }

    void everyTargetAverages()
    {
        QFETCH(qint64, target);
        const support::HeldTarget held(target);
        constexpr std::size_t width = 37;
        for (unsigned seed = 0; seed < 400; ++seed) {
            Pixels random(seed);
            const std::size_t count = random.upTo(70);
            std::vector<std::vector<std::uint32_t>> rows;
            std::vector<std::vector<std::int32_t>> columns;
            for (int i = 0; i < Samples::most; ++i) {
                rows.push_back(random.row(width));
                columns.push_back(random.numbers(count, width - 1));
            }
            const auto second = random.numbers(count, 255);
            Samples samples;
            const bool isSmooth = seed % 2;
            samples.rows = 1 + static_cast<int>(random.upTo(3));
            samples.columns = isSmooth ? 2 : 1 + static_cast<int>(random.upTo(3));
            for (std::size_t i = 0; i < Samples::most; ++i) {
                samples.row[i] = rows[i].data();
                samples.column[i] = columns[i].data();
            }
            samples.second = isSmooth ? second.data() : nullptr;
            if (seed % 4 >= 2) {
                samples.rows = 2;
                samples.rowWeight[1] = random.upTo(255);
                samples.rowWeight[0] = 256 - samples.rowWeight[1];
            }
            std::vector<std::uint32_t> got(count + 1, 7);
            averageSamples(samples, static_cast<int>(count), got.data());
            for (std::size_t i = 0; i < count; ++i)
                QVERIFY2(got[i] == averaged(samples, i), QByteArray("seed ") + QByteArray::number(seed));
            QCOMPARE(got[count], 7U);
        }
    }

    void everyTargetBlends_data() { everyTargetAverages_data(); }

    void everyTargetBlends()
    {
        QFETCH(qint64, target);
        const support::HeldTarget held(target);
        for (unsigned opacity = 0; opacity < 256; ++opacity) {
            Pixels random(opacity);
            const std::size_t count = random.upTo(70);
            const auto under = random.row(count + 1);
            const auto over = random.row(count);
            std::vector<std::uint8_t> parts;
            for (std::size_t i = 0; i < count; ++i)
                parts.push_back(random.upTo(9) == 0 || i % 40 > 16 ? static_cast<std::uint8_t>(random.upTo(255)) : 0);
            auto laid = under;
            blendPixels(laid.data(), over.data(), opacity, static_cast<int>(count));
            auto colored = under;
            blendColor(colored.data(), rgba(255, 64, 32), parts.data(), opacity, static_cast<int>(count));
            for (std::size_t i = 0; i < count; ++i) {
                QCOMPARE(laid[i], laidOver(under[i], over[i], partOf(over[i], 3) * opacity / 255));
                QCOMPARE(colored[i], laidOver(under[i], rgba(255, 64, 32), parts[i] * opacity / 255));
            }
            QCOMPARE(laid[count], under[count]);
            QCOMPARE(colored[count], under[count]);
        }
    }

    void blendsEveryComponent()
    {
        for (unsigned alpha = 0; alpha < 256; ++alpha)
            for (unsigned under = 0; under < 256; ++under)
                for (unsigned over = 0; over < 256; ++over) {
                    const auto got = blend(rgba(under, over, under, 9), rgba(over, under, 255 - over), alpha);
                    if (got != laidOver(rgba(under, over, under, 9), rgba(over, under, 255 - over), alpha))
                        QFAIL(qPrintable(QStringLiteral("%1 over %2 with %3").arg(over).arg(under).arg(alpha)));
                }
    }
};

QTEST_APPLESS_MAIN(TestPixelKernels)
#include "test_pixel_kernels.moc"
