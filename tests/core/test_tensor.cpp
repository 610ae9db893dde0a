// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/tensor.h"

#include <QTest>
#include <cstring>
#include <limits>
#include <numeric>

namespace {

std::vector<std::int32_t> counting(int n)
{
    std::vector<std::int32_t> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 0);
    return values;
}

std::vector<std::int32_t> valuesOf(const core::Tensor& tensor)
{
    const core::Tensor dense = tensor.toContiguous();
    std::vector<std::int32_t> values(static_cast<std::size_t>(dense.elements()));
    if (!values.empty())
        std::memcpy(values.data(), dense.data(), values.size() * 4);
    return values;
}

core::Tensor view(core::Shape shape, core::Strides strides, std::int64_t offset = 0)
{
    return core::Tensor(core::DType::i32, std::move(shape), std::move(strides),
                        core::Tensor::fromValues(core::DType::i32, {24}, counting(24)).storage(), offset * 4);
}

} // namespace

class TestTensor : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void packsStridedViews()
    {
        // Expected orders by hand: permuted, expanded, reversed, every second.
        QCOMPARE(valuesOf(view({2, 3}, {1, 2})), (std::vector<std::int32_t>{0, 2, 4, 1, 3, 5}));
        QCOMPARE(valuesOf(view({2, 2, 2}, {0, 1, 0})), (std::vector<std::int32_t>{0, 0, 1, 1, 0, 0, 1, 1}));
        QCOMPARE(valuesOf(view({4}, {-2}, 6)), (std::vector<std::int32_t>{6, 4, 2, 0}));
        QCOMPARE(valuesOf(view({2, 3}, {12, 2}, 1)), (std::vector<std::int32_t>{1, 3, 5, 13, 15, 17}));
        QCOMPARE(valuesOf(view({}, {}, 7)), (std::vector<std::int32_t>{7}));
        QCOMPARE(valuesOf(view({0, 5}, {5, 1})), std::vector<std::int32_t>{});
    }

    void packingAlignsUnalignedData()
    {
        std::vector<std::byte> bytes(1 + 4 * 4);
        const auto values = counting(4);
        std::memcpy(bytes.data() + 1, values.data(), 16);
        const core::Tensor odd = core::Tensor::contiguous(core::DType::i32, {4}, core::Storage::fromVector(bytes), 1);
        const core::Tensor packed = odd.toContiguous();
        QCOMPARE(reinterpret_cast<std::uintptr_t>(packed.data()) % 64, 0u);
        QCOMPARE(valuesOf(packed), values);
    }

    void selects()
    {
        const core::Tensor tensor = view({2, 3, 4}, {12, 4, 1});
        const core::Tensor plane = tensor.select(1, 2);
        QCOMPARE(plane.shape(), (core::Shape{2, 4}));
        QCOMPARE(valuesOf(plane), (std::vector<std::int32_t>{8, 9, 10, 11, 20, 21, 22, 23}));
        QVERIFY_THROWS_EXCEPTION(core::Error, tensor.select(1, 3));
    }

    void knowsContiguity()
    {
        QVERIFY(view({2, 3, 4}, {12, 4, 1}).isContiguous());
        QVERIFY(view({1, 3, 1}, {99, 1, 77}).isContiguous());
        QVERIFY(!view({2, 3}, {1, 2}).isContiguous());
        QVERIFY(!view({2, 2}, {0, 1}).isContiguous());
    }

    void refusesViewsPastTheStorage()
    {
        constexpr auto huge = std::numeric_limits<std::int64_t>::max();
        QVERIFY_THROWS_EXCEPTION(core::Error, view({25}, {1}));
        QVERIFY_THROWS_EXCEPTION(core::Error, view({2}, {-1}));
        QVERIFY_THROWS_EXCEPTION(core::Error, view({3}, {huge / 2}));
        QVERIFY_THROWS_EXCEPTION(core::Error, view({huge, huge}, {0, 0}));
        QVERIFY_THROWS_EXCEPTION(core::Error, view({-1}, {1}));
        QVERIFY_THROWS_EXCEPTION(core::Error, view({1}, {1}, -1));
        QVERIFY_THROWS_EXCEPTION(core::Error, view({2, 2}, {1}));
        QVERIFY_THROWS_EXCEPTION(core::Error, view(core::Shape(65, 1), core::Strides(65, 1)));
        QCOMPARE(view(core::Shape(64, 1), core::Strides(64, 1)).rank(), 64);
    }
};

QTEST_APPLESS_MAIN(TestTensor)
#include "test_tensor.moc"
