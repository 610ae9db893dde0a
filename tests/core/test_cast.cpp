// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cast.h"
#include "core/error.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>

namespace {

template <class T>
std::vector<T> valuesOf(const core::Tensor& tensor)
{
    std::vector<T> values(static_cast<std::size_t>(tensor.elements()));
    std::memcpy(values.data(), tensor.data(), values.size() * sizeof(T));
    return values;
}

} // namespace

// Expected values are PyTorch's own: torch.tensor(...).to(dtype).
class TestCast : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void floats()
    {
        const std::vector<float> numbers{0.0f, -0.0f, 1.5f, -2.7f, 300.25f, 65520.0f, 1e-8f};
        const auto tensor = core::Tensor::fromValues(core::DType::f32, {7}, numbers);
        QCOMPARE(valuesOf<std::int64_t>(core::cast(tensor, core::DType::i64)),
                 (std::vector<std::int64_t>{0, 0, 1, -2, 300, 65520, 0}));
        QCOMPARE(valuesOf<std::uint16_t>(core::cast(tensor, core::DType::f16)),
                 (std::vector<std::uint16_t>{0x0000, 0x8000, 0x3e00, 0xc166, 0x5cb1, 0x7c00, 0x0000}));
        QCOMPARE(valuesOf<std::uint16_t>(core::cast(tensor, core::DType::bf16)),
                 (std::vector<std::uint16_t>{0x0000, 0x8000, 0x3fc0, 0xc02d, 0x4396, 0x4780, 0x322c}));
        QCOMPARE(valuesOf<std::uint8_t>(core::cast(tensor, core::DType::boolean)),
                 (std::vector<std::uint8_t>{0, 0, 1, 1, 1, 1, 1}));
    }

    void beyondTheRange()
    {
        constexpr auto inf = std::numeric_limits<double>::infinity();
        const std::vector<double> numbers{1e300, -1e300, inf, -inf, std::nan(""), 127.9, -128.9, 9223372036854775807.0};
        const auto tensor = core::Tensor::fromValues(core::DType::f64, {8}, numbers);
        QCOMPARE(valuesOf<std::int8_t>(core::cast(tensor, core::DType::i8)),
                 (std::vector<std::int8_t>{127, -128, 127, -128, 0, 127, -128, 127}));
        QCOMPARE(valuesOf<std::int64_t>(core::cast(tensor, core::DType::i64)).back(), std::numeric_limits<std::int64_t>::max());
        QCOMPARE(valuesOf<std::uint64_t>(core::cast(tensor, core::DType::u64)).at(1), std::uint64_t{0});
    }

    void integersAndViews()
    {
        const std::vector<std::int64_t> numbers{1, 2, 3, 4, 16777217, -6};
        const auto tensor = core::Tensor::fromValues(core::DType::i64, {2, 3}, numbers);
        QCOMPARE(valuesOf<float>(core::cast(tensor, core::DType::f32)), (std::vector<float>{1, 2, 3, 4, 16777216, -6}));
        // A column: strided.
        QCOMPARE(valuesOf<float>(core::cast(tensor.select(1, 2), core::DType::f32)), (std::vector<float>{3, -6}));
        QCOMPARE(core::cast(tensor, core::DType::i64).data(), tensor.data());
    }

    void smallFloats()
    {
        // float8_e4m3fn: 0x38 is 1, 0xb8 is -1, 0x7e is 448.
        const std::vector<std::uint8_t> bits{0x38, 0xb8, 0x7e};
        const auto tensor = core::Tensor::fromValues(core::DType::f8e4m3fn, {3}, bits);
        QCOMPARE(valuesOf<float>(core::cast(tensor, core::DType::f32)), (std::vector<float>{1, -1, 448}));
        QCOMPARE(valuesOf<std::int32_t>(core::cast(tensor, core::DType::i32)), (std::vector<std::int32_t>{1, -1, 448}));
        QVERIFY_EXCEPTION_THROWN(core::cast(tensor, core::DType::c64), core::Error);
        QVERIFY_EXCEPTION_THROWN(
            core::cast(core::Tensor::fromValues(core::DType::f32, {0}, std::vector<float>{}), core::DType::f8e5m2),
            core::Error);
    }
};

QTEST_GUILESS_MAIN(TestCast)
#include "test_cast.moc"
