// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/render.h"
#include "tests/support/fake_engine.h"

#include <QTest>
#include <numeric>

using namespace core;

namespace {

/// A loaded tensor [N, C, H, W] whose elements count up from 0.
std::unique_ptr<LoadedTensor> counting(support::FakeControl& control, const Shape& shape)
{
    std::vector<float> values(static_cast<std::size_t>(elementCount(shape)));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i);
    const auto selection = Selection::all(Layout::guess(static_cast<int>(shape.size())));
    return support::FakeEngine(control).load(Tensor::fromValues(DType::f32, shape, values), selection, {});
}

std::vector<std::int64_t> upTo(std::int64_t count)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

} // namespace

class TestWall : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void tilesLieWhereTheGridSays()
    {
        support::FakeControl control;
        const auto tensor = counting(control, {2, 5, 3, 4});
        WallOptions options;
        options.batch = 1;
        options.order = {4, 0, 3, 1, 2};
        options.colors = ColorMap::gray;
        options.range = RangeChoice{RangeChoice::Kind::typed, 0, 256};
        const auto wall = renderWall(*tensor, options);
        QCOMPARE(wall.grid.channels, options.order);
        QCOMPARE(wall.grid.tileWidth, 4);
        QCOMPARE(wall.grid.tileHeight, 3);
        QCOMPARE(wall.grid.step, 1);
        for (int tile = 0; tile < 5; ++tile)
            for (int y = 0; y < 3; ++y)
                for (int x = 0; x < 4; ++x) {
                    const int left = tile % wall.grid.columns * (4 + wall.grid.gap);
                    const int top = tile / wall.grid.columns * (3 + wall.grid.gap);
                    const auto value = 60 + options.order[static_cast<std::size_t>(tile)] * 12 + y * 4 + x;
                    QCOMPARE(wall.image.row(top + y)[left + x], colorTable(ColorMap::gray)[static_cast<std::size_t>(value)]);
                }
    }

    void limitsAreSharedOrOwn()
    {
        support::FakeControl control;
        const auto tensor = counting(control, {1, 2, 1, 2});
        WallOptions options;
        options.order = {0, 1};
        options.colors = ColorMap::gray;
        auto wall = renderWall(*tensor, options);
        QCOMPARE(wall.range, (ValueRange{0, 3}));
        QCOMPARE(wall.image.row(0)[1] & 255, 85U);
        options.ownScale = true;
        wall = renderWall(*tensor, options);
        QCOMPARE(wall.image.row(0)[0] & 255, 0U);
        QCOMPARE(wall.image.row(0)[1] & 255, 255U);
    }

    void manyAndLargePlanesStayBounded()
    {
        support::FakeControl control;
        const auto many = counting(control, {1, 4096, 2, 2});
        WallOptions options;
        options.order = upTo(4096);
        const auto wall = renderWall(*many, options);
        QCOMPARE(wall.grid.step, 1);
        QCOMPARE(wall.grid.columns, 64);
        const auto large = counting(control, {1, 20, 1500, 1000});
        options.order = upTo(20);
        const auto thin = renderWall(*large, options);
        QCOMPARE(thin.grid.step, 2);
        QCOMPARE(thin.grid.tileWidth, 500);
        QVERIFY(static_cast<std::int64_t>(thin.image.width) * thin.image.height <= std::int64_t{1} << 24);
        QCOMPARE(thin.range.hi, 3e7);
    }

    void nothingToShowIsNoPicture()
    {
        support::FakeControl control;
        const auto tensor = counting(control, {1, 3, 0, 4});
        WallOptions options;
        options.order = upTo(3);
        const auto wall = renderWall(*tensor, options);
        QCOMPARE(wall.image.width, 0);
        QCOMPARE(wall.grid.columns, 0);
    }
};

QTEST_GUILESS_MAIN(TestWall)
#include "test_wall.moc"
