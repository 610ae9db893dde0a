// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dtype.h"

#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>
#include <zlib.h>

namespace {

template <class T>
std::uint32_t checksum(const std::vector<T>& values)
{
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(values.data()), static_cast<uInt>(values.size() * sizeof(T))));
}

float withoutNan(float value, float instead)
{
    return std::isnan(value) ? instead : value;
}

} // namespace

/// Conversions against PyTorch 2.11: CRC-32 of the bytes that its own casts gave for the same inputs.
class TestDType : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void widensEveryHalf()
    {
        std::vector<float> half;
        std::vector<float> brain;
        for (std::uint32_t bits = 0; bits < 65536; ++bits) {
            half.push_back(core::toFloat(core::Half{static_cast<std::uint16_t>(bits)}));
            brain.push_back(core::toFloat(core::BFloat16{static_cast<std::uint16_t>(bits)}));
        }
        QCOMPARE(std::count_if(half.begin(), half.end(), [](float v) { return std::isnan(v); }), 2046);
        QCOMPARE(checksum(brain), 154866249u);
        // Hardware may quiet signalling NaN, so NaN counts as one value.
        std::transform(half.begin(), half.end(), half.begin(), [](float v) { return withoutNan(v, 12345.f); });
        QCOMPARE(checksum(half), 1386046950u);
    }

    void widensEveryFloat8_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<quint32>("expected");
        QTest::newRow("e4m3fn") << "float8_e4m3fn" << 1914574781u;
        QTest::newRow("e5m2") << "float8_e5m2" << 3165123288u;
        QTest::newRow("e4m3fnuz") << "float8_e4m3fnuz" << 4051282603u;
        QTest::newRow("e5m2fnuz") << "float8_e5m2fnuz" << 174129533u;
    }
    void widensEveryFloat8()
    {
        QFETCH(QString, name);
        QFETCH(quint32, expected);
        const auto dtype = core::dtypeFromName(name.toStdString());
        QVERIFY(dtype && core::isFloat8(*dtype));
        std::vector<float> values;
        for (unsigned bits = 0; bits < 256; ++bits)
            values.push_back(withoutNan(core::float8ToFloat(*dtype, static_cast<std::uint8_t>(bits)), 12345.f));
        QCOMPARE(checksum(values), expected);
    }

    void roundsLikePyTorch()
    {
        std::vector<core::Half> halfX, halfY;
        std::vector<core::BFloat16> brainX, brainY;
        for (std::uint32_t i = 0; i < 1u << 20; ++i) {
            const float x = withoutNan(std::bit_cast<float>(i * 2654435761u), 0.f);
            const float y = withoutNan(std::bit_cast<float>(i * 0x171u + 0x33000000u), 0.f);
            halfX.push_back(core::toHalf(x));
            halfY.push_back(core::toHalf(y));
            brainX.push_back(core::toBFloat16(x));
            brainY.push_back(core::toBFloat16(y));
        }
        QCOMPARE(checksum(halfX), 1632901847u);
        QCOMPARE(checksum(halfY), 3711610841u);
        QCOMPARE(checksum(brainX), 3824222334u);
        QCOMPARE(checksum(brainY), 3264676513u);
    }

    void namesReadBack()
    {
        for (int i = 0; i < core::dtypeCount; ++i) {
            const auto dtype = static_cast<core::DType>(i);
            QVERIFY(core::dtypeFromName(core::dtypeName(dtype)) == dtype);
        }
        QVERIFY(!core::dtypeFromName("float31"));
    }
};

QTEST_APPLESS_MAIN(TestDType)
#include "test_dtype.moc"
