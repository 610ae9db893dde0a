// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/plane_grid.h"
#include "core/engine/strided_copy.h"
#include "tests/support/random_tensor.h"
#include "tests/support/vector_targets.h"

#include <QtTest>
#include <fmt/format.h>

#include <cstring>

using namespace core;

/// Boxes of every size of element between any two orders of their axes, with every width of vectors, against loops over
/// indices; nothing else is written.
class TestStridedCopy : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void copiesBoxes_data();
    void copiesBoxes();
    void turnsFewColumns_data() { copiesBoxes_data(); }
    void turnsFewColumns();
    void cutsBoxes();
    void ordersByMemory();
};

namespace {

/// A side of a copy: strides of the axes in some order, and what memory they take.
struct Side
{
    Strides strides;
    std::int64_t first = 0;
    std::int64_t elements = 0;
};

Side makeSide(const Shape& extents, std::int64_t spread, bool isTarget, support::Random& random)
{
    std::vector<std::size_t> order(extents.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    Side side;
    side.strides.resize(extents.size());
    std::int64_t step = spread;
    for (const std::size_t axis : order) {
        const bool isRepeated = !isTarget && random() % 8 == 0;
        side.strides[axis] = isRepeated ? 0 : step;
        step *= isRepeated ? 1 : extents[axis];
        if (random() % 4 == 0) {
            side.first += (extents[axis] - 1) * side.strides[axis];
            side.strides[axis] = -side.strides[axis];
        }
    }
    side.elements = step;
    return side;
}

/// Copies random elements at any address, of which nothing else is there; what differs, or nothing.
std::string copyAndCompare(const Shape& extents, const Side& from, const Side& to, int size, support::Random& random)
{
    constexpr std::int64_t margin = 64;
    const auto shift = static_cast<std::size_t>(random() % 64);
    std::vector<std::byte> source(shift + static_cast<std::size_t>(from.elements * size));
    for (std::byte& byte : source)
        byte = static_cast<std::byte>(random());
    std::vector<std::byte> target(shift + static_cast<std::size_t>((to.elements + 2 * margin) * size), std::byte{0xa5});
    std::vector<std::byte> expected = target;
    const std::byte* const first = source.data() + shift + from.first * size;
    const std::size_t begin = shift + static_cast<std::size_t>((to.first + margin) * size);
    std::vector<CopyAxis> axes;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
        axes.push_back({extents[axis], from.strides[axis], to.strides[axis]});
    support::forIndices(extents, [&](const std::vector<std::int64_t>& indices) {
        std::int64_t a = 0;
        std::int64_t b = 0;
        for (std::size_t axis = 0; axis < indices.size(); ++axis) {
            a += indices[axis] * from.strides[axis];
            b += indices[axis] * to.strides[axis];
        }
        std::memcpy(expected.data() + static_cast<std::int64_t>(begin) + b * size, first + a * size,
                    static_cast<std::size_t>(size));
    });
    copyBox(first, target.data() + begin, axes, size);
    return target == expected ? std::string() : fmt::format("{}, {} bytes, shifted by {}", shapeText(extents), size, shift);
}

} // namespace

void TestStridedCopy::copiesBoxes_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<std::int64_t>("target");
    for (const int size : {1, 2, 4, 8, 16})
        for (const std::int64_t target : support::vectorTargets())
            QTest::addRow("%d bytes, %s", size, hwy::TargetName(target)) << size << target;
}

void TestStridedCopy::copiesBoxes()
{
    QFETCH(int, size);
    QFETCH(std::int64_t, target);
    const support::HeldTarget held(target);
    const Shape shapes[] = {{},          {1},           {200},          {67, 130},          {16, 64},  {3, 500},
                            {500, 3},    {5, 0},        {2, 66, 70},    {4, 64, 128},       {2048, 9}, {3, 2, 40, 35},
                            {17, 70, 5}, {4, 16, 9, 7}, {17, 1024, 3},  {2, 3, 4, 33, 17},  {2, 2049}, {5, 3, 31, 8},
                            {129, 257},  {2, 8, 16, 5}, {2, 3, 5, 300}, {2, 3, 2, 3, 2, 67}};
    for (int seed = 0; seed < 300; ++seed) {
        support::Random random(static_cast<std::uint64_t>(seed));
        const Shape& extents = shapes[random() % std::size(shapes)];
        const Side from = makeSide(extents, random() % 3 ? 1 : 1 + static_cast<std::int64_t>(random() % 8), false, random);
        const Side to = makeSide(extents, random() % 4 ? 1 : 2, true, random);
        const std::string difference = copyAndCompare(extents, from, to, size, random);
        QVERIFY2(difference.empty(), qPrintable(QString::fromStdString(fmt::format("seed {}: {}", seed, difference))));
    }
}

void TestStridedCopy::turnsFewColumns()
{
    QFETCH(int, size);
    QFETCH(std::int64_t, target);
    const support::HeldTarget held(target);
    support::Random random(7);
    for (std::int64_t columns = 2; columns <= 17; ++columns)
        for (const std::int64_t rows : {1, 2, 7, 15, 16, 17, 31, 33, 64, 65, 200, 1100})
            for (const std::int64_t step : {columns, columns + 1, std::int64_t{16}, 3 * columns, -columns, -columns - 1}) {
                if (std::abs(step) < columns)
                    continue;
                const Side from{{step, 1}, step < 0 ? (rows - 1) * -step : 0, (rows - 1) * std::abs(step) + columns};
                const Side to{{1, rows}, 0, rows * columns};
                const std::string difference = copyAndCompare({rows, columns}, from, to, size, random);
                QVERIFY2(difference.empty(), qPrintable(QString::fromStdString(fmt::format("step {}: {}", step, difference))));
            }
}

void TestStridedCopy::cutsBoxes()
{
    support::Random random(5);
    for (const std::vector<StridedAxis>& axes : {std::vector<StridedAxis>{{7, 1}},
                                                 {{5, 3}, {4, 40}},
                                                 {{3, 1}, {4, -60}, {5, 3}},
                                                 {{2, 500}, {3, 7}, {1, 9}, {4, 31}, {5, 0}}}) {
        const StridedOrder order(axes);
        for (std::int64_t first = 0; first <= order.elements(); ++first)
            for (std::int64_t n = 0; first + n <= order.elements(); ++n) {
                std::vector<std::int64_t> offsets;
                order.forBoxes(first, n, [&](std::int64_t offset, std::span<const StridedAxis> box) {
                    const StridedOrder inside({box.begin(), box.end()});
                    for (std::int64_t i = 0; i < elementsOf(box); ++i)
                        offsets.push_back(offset + inside.offsetOf(i));
                });
                std::vector<std::int64_t> expected;
                for (std::int64_t i = first; i < first + n; ++i)
                    expected.push_back(order.offsetOf(i));
                QCOMPARE(offsets, expected);
            }
    }
}

void TestStridedCopy::ordersByMemory()
{
    // A transposed and reversed plane is one run; a repeated axis lies outside.
    const StridedOrder turned = StridedOrder({{4, -1}, {5, -4}}).inMemoryOrder();
    QVERIFY(turned.isContiguous());
    QCOMPARE(turned.offsetOf(0), std::int64_t{-19});
    const StridedOrder repeated = StridedOrder({{4, 3}, {3, 0}, {3, 1}}).inMemoryOrder();
    QCOMPARE(repeated.elements(), std::int64_t{36});
    QCOMPARE(repeated.axes().front().stride, std::int64_t{0});
    QCOMPARE(repeated.innerStride(), std::int64_t{1});
    QCOMPARE(repeated.offsetOf(35), std::int64_t{11});
}

QTEST_APPLESS_MAIN(TestStridedCopy)
#include "test_strided_copy.moc"
