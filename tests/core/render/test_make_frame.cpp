// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/render/render.h"
#include "tests/support/fake_engine.h"

#include <QTest>
#include <cstring>
#include <random>

using namespace core;

namespace {

Where greater(double t)
{
    Where where;
    where.condition.kind = ConditionKind::gt;
    where.condition.a.real = t;
    return where;
}

/// What test and fake share: a random tensor [2, 3, 4, 5] (or with depth 6 before the rows) and what was asked of the engine.
struct Bench
{
    support::FakeControl control;
    std::vector<Query> queries;
    std::vector<float> values;
    std::unique_ptr<LoadedTensor> tensor;

    explicit Bench(bool depth = false)
    {
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        const Shape shape = depth ? Shape{2, 3, 6, 4, 5} : Shape{2, 3, 4, 5};
        values.resize(static_cast<std::size_t>(elementCount(shape)));
        for (auto& v : values)
            v = normal(random);
        control.at = [this](const char*, const Query* query, const Job&) {
            if (query)
                queries.push_back(*query);
        };
        tensor = support::FakeEngine(control).load(Tensor::fromValues(DType::f32, shape, values),
                                                   Selection::all(Layout::guess(tensorRank(depth))), {});
    }
    static int tensorRank(bool depth) { return depth ? 5 : 4; }

    Frame frame(const Request& request, const Frame* previous = nullptr)
    {
        queries.clear();
        return makeFrame(*tensor, "fake", request, previous);
    }
};

Request requestFor(ViewKind view, double t)
{
    Request request;
    request.view = view;
    request.where = greater(t);
    request.rows = {0, 10};
    return request;
}

} // namespace

class TestMakeFrame : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// Counts, map, mask and rows by a naive loop of the test's own.
    void everythingComesFromOnePass()
    {
        Bench bench;
        auto request = requestFor(ViewKind::channel, 0.25);
        request.number = 17;
        request.batch = 1;
        request.channel = 2;
        const auto frame = bench.frame(request);
        QCOMPARE(bench.queries.size(), std::size_t{1});
        QCOMPARE(frame.request.number, std::uint64_t{17});
        QCOMPARE(frame.engine, std::string("fake"));
        QCOMPARE(frame.elements, std::int64_t{120});
        std::int64_t count = 0;
        for (std::size_t plane = 0; plane < 6; ++plane) {
            std::int64_t here = 0;
            for (std::size_t i = 0; i < 20; ++i)
                here += bench.values[plane * 20 + i] > 0.25F;
            QCOMPARE((*frame.counts)[plane], here);
            count += here;
        }
        QCOMPARE(frame.count, count);
        for (std::size_t i = 0; i < 20; ++i)
            QCOMPARE(bool((*frame.mask)[i]), bench.values[100 + i] > 0.25F);
        QCOMPARE(frame.rows->rows(), std::min<std::int64_t>(10, count));
        QCOMPARE(frame.picture->width, 5);
        QCOMPARE(frame.picture->height, 4);
        QCOMPARE(frame.colors, ColorMap::coolwarm);
        QCOMPARE(frame.range.lo, -frame.range.hi);
        std::int64_t inBins = 0;
        for (const auto bin : frame.distribution->histogram.bins)
            inBins += bin;
        QCOMPARE(inBins, std::int64_t{120});
    }

    void heatMapIsThatOfTheBatchItem()
    {
        Bench bench;
        auto request = requestFor(ViewKind::heat, 0);
        request.batch = 1;
        request.reduction = Reduction::count;
        const auto frame = bench.frame(request);
        QCOMPARE(frame.colors, ColorMap::inferno);
        QVERIFY(!frame.mask);
        for (std::size_t i = 0; i < 20; ++i) {
            std::int64_t hot = 0;
            for (std::size_t channel = 0; channel < 3; ++channel)
                hot += bench.values[60 + channel * 20 + i] > 0;
            std::int64_t got = 0;
            std::memcpy(&got, frame.map->data() + i * 8, 8);
            QCOMPARE(got, hot);
        }
    }

    void movingTheThresholdKeepsThePlane()
    {
        Bench bench;
        const auto first = bench.frame(requestFor(ViewKind::channel, 0));
        const auto second = bench.frame(requestFor(ViewKind::channel, 1), &first);
        QCOMPARE(second.picture, first.picture);
        QCOMPARE(second.distribution, first.distribution);
        QCOMPARE(bench.control.histograms.load(), 1);
        QVERIFY(second.mask != first.mask);
        QVERIFY(second.count < first.count);
        const auto third = bench.frame(requestFor(ViewKind::mask, 1), &second);
        QCOMPARE(third.picture, first.picture);
        QCOMPARE(third.mask, second.mask);
        QVERIFY(bench.queries.empty());
    }

    void scrollingRowsAsksForRowsOnly()
    {
        Bench bench;
        const auto first = bench.frame(requestFor(ViewKind::heat, 0));
        auto request = requestFor(ViewKind::heat, 0);
        request.rows = {5, 7};
        const auto second = bench.frame(request, &first);
        QCOMPARE(bench.queries.size(), std::size_t{1});
        QVERIFY(!bench.queries[0].counts && bench.queries[0].heatMaps.empty() && bench.queries[0].masks.empty());
        QCOMPARE(second.rows->firstRow, std::int64_t{5});
        QCOMPARE(second.picture, first.picture);
        QCOMPARE(second.count, first.count);
    }

    void otherColorsAskForNothing()
    {
        Bench bench;
        const auto first = bench.frame(requestFor(ViewKind::heat, 0));
        auto request = requestFor(ViewKind::heat, 0);
        request.colors = ColorMap::gray;
        const auto second = bench.frame(request, &first);
        QVERIFY(bench.queries.empty());
        QVERIFY(second.picture != first.picture);
        QCOMPARE(second.colors, ColorMap::gray);
        QCOMPARE(second.rows->rows(), first.rows->rows());
    }

    void planeHistogramFollowsThePlane()
    {
        Bench bench;
        auto request = requestFor(ViewKind::channel, 0);
        request.planeHistogram = true;
        const auto first = bench.frame(request);
        request.channel = 1;
        const auto second = bench.frame(request, &first);
        QVERIFY(second.distribution != first.distribution);
        QVERIFY(second.picture != first.picture);
    }

    void depthPicksTheSlice()
    {
        Bench bench(true);
        auto request = requestFor(ViewKind::mask, 0);
        request.depth = 4;
        const auto frame = bench.frame(request);
        QCOMPARE(frame.map->rank(), 2);
        for (std::size_t i = 0; i < 20; ++i)
            QCOMPARE(bool((*frame.mask)[i]), bench.values[4 * 20 + i] > 0);
        request.view = ViewKind::heat;
        request.depth = 5;
        double sum = 0;
        std::memcpy(&sum, bench.frame(request, &frame).map->data(), 8);
        double expected = 0;
        for (std::size_t channel = 0; channel < 3; ++channel)
            expected += std::max(bench.values[channel * 120 + 100], 0.F);
        QCOMPARE(sum, expected);
    }

    void positionsOutsideAreBroughtIn()
    {
        Bench bench;
        auto request = requestFor(ViewKind::channel, 0);
        request.channel = 99;
        QCOMPARE(bench.frame(request).request.channel, std::int64_t{2});
    }

    void wallCarriesItsMask()
    {
        Bench bench;
        const auto frame = bench.frame(requestFor(ViewKind::wall, 0.5));
        QVERIFY(frame.wall && frame.mask && !frame.map);
        for (std::size_t tile = 0; tile < 3; ++tile) {
            const auto column = static_cast<int>(tile) % frame.wall->columns;
            const auto row = static_cast<int>(tile) / frame.wall->columns;
            const auto at =
                static_cast<std::size_t>(row * (4 + frame.wall->gap) * frame.picture->width + column * (5 + frame.wall->gap));
            for (std::size_t y = 0; y < 4; ++y)
                for (std::size_t x = 0; x < 5; ++x)
                    QCOMPARE(bool((*frame.mask)[at + y * static_cast<std::size_t>(frame.picture->width) + x]),
                             bench.values[tile * 20 + y * 5 + x] > 0.5F);
        }
    }

    /// Of very large planes a wall shows every step-th pixel, and asks for no more of a mask.
    void thinnedWallsCarryTheirMasks()
    {
        constexpr std::int64_t height = 2101;
        constexpr std::int64_t width = 3003;
        const Shape shape{1, 3, height, width};
        std::vector<float> values(static_cast<std::size_t>(elementCount(shape)));
        std::mt19937 random(5);
        std::normal_distribution<float> normal;
        for (auto& v : values)
            v = normal(random);
        const auto tensor =
            makeCpuEngine(2)->load(Tensor::fromValues(DType::f32, shape, values), Selection::all(Layout::guess(4)));
        for (const bool indexed : {false, true}) {
            if (indexed)
                tensor->buildIndex();
            const auto frame = makeFrame(*tensor, "cpu", requestFor(ViewKind::wall, 0.5), nullptr);
            QVERIFY(frame.wall && frame.mask && frame.wall->step > 1);
            const auto& grid = *frame.wall;
            for (std::int64_t tile = 0; tile < 3; ++tile)
                for (std::int64_t y = 0; y < grid.tileHeight; ++y)
                    for (std::int64_t x = 0; x < grid.tileWidth; ++x) {
                        const auto row = tile / grid.columns * (grid.tileHeight + grid.gap) + y;
                        const auto column = tile % grid.columns * (grid.tileWidth + grid.gap) + x;
                        const float value =
                            values[static_cast<std::size_t>((tile * height + y * grid.step) * width + x * grid.step)];
                        const bool isHot = (*frame.mask)[static_cast<std::size_t>(row * frame.picture->width + column)];
                        if (isHot != (value > 0.5F))
                            QFAIL(qPrintable(QStringLiteral("tile %1, %2, %3").arg(tile).arg(y).arg(x)));
                    }
        }
    }

    /// The order by count stays during a drag and settles at its end, mask and picture together.
    void wallCarriesItsValues()
    {
        Bench bench;
        auto request = requestFor(ViewKind::wall, 0.5);
        request.batch = 1;
        request.wallOrder = WallOrder::count;
        const auto frame = bench.frame(request);
        QCOMPARE(frame.tiles->size(), std::size_t{3});
        std::int64_t hot = 0;
        for (std::size_t tile = 0; tile < 3; ++tile) {
            const auto& values = (*frame.tiles)[tile];
            QCOMPARE(values.shape(), (Shape{4, 5}));
            const auto channel = static_cast<std::size_t>(frame.wall->channels[tile]);
            for (std::size_t i = 0; i < 20; ++i) {
                const float expected = bench.values[60 + channel * 20 + i];
                float value = 0;
                const auto at = static_cast<std::int64_t>(i) / 5 * values.strides()[0] +
                                static_cast<std::int64_t>(i) % 5 * values.strides()[1];
                std::memcpy(&value, values.data() + at * std::int64_t{sizeof value}, sizeof value);
                QCOMPARE(value, expected);
                hot += expected > 0.5F;
            }
        }
        QCOMPARE(frame.maskCount, std::optional(MaskCount{hot, 60}));
        // Another threshold lends the values and counts anew.
        request.where = greater(-100);
        const auto next = bench.frame(request, &frame);
        QVERIFY(next.wall->channels != frame.wall->channels || next.tiles == frame.tiles);
        QCOMPARE(next.maskCount, std::optional(MaskCount{60, 60}));
        QCOMPARE(bench.frame(request, &next).maskCount, next.maskCount);
    }

    void maskOfASliceIsCounted()
    {
        Bench bench(true);
        auto request = requestFor(ViewKind::mask, 0.5);
        request.depth = 2;
        const auto frame = bench.frame(request);
        std::int64_t hot = 0;
        for (std::size_t i = 0; i < 20; ++i)
            hot += bench.values[2 * 20 + i] > 0.5F;
        QCOMPARE(frame.maskCount, std::optional(MaskCount{hot, 20}));
        QVERIFY(!frame.tiles);
    }

    void wallOrderSettlesAfterTheDrag()
    {
        Bench bench;
        auto request = requestFor(ViewKind::wall, -10);
        request.wallOrder = WallOrder::count;
        const auto first = bench.frame(request);
        QCOMPARE(first.wall->channels, (std::vector<std::int64_t>{0, 1, 2}));
        request.dragging = true;
        std::optional<Frame> moved;
        for (double t = -2; t < 2 && (!moved || *moved->counts == *first.counts); t += 0.25) {
            request.where = greater(t);
            moved = bench.frame(request, &first);
            auto counts = *moved->counts;
            if (std::is_sorted(counts.begin(), counts.begin() + 3, std::greater<>()))
                moved.reset();
        }
        QVERIFY(moved);
        QCOMPARE(moved->wall->channels, first.wall->channels);
        QCOMPARE(moved->picture, first.picture);
        request = moved->request;
        request.dragging = false;
        const auto settled = bench.frame(request, &*moved);
        QVERIFY(settled.wall->channels != first.wall->channels);
        QVERIFY(settled.picture != first.picture);
        const auto& order = settled.wall->channels;
        for (std::size_t i = 1; i < 3; ++i)
            QVERIFY((*settled.counts)[static_cast<std::size_t>(order[i - 1])] >=
                    (*settled.counts)[static_cast<std::size_t>(order[i])]);
        QCOMPARE(settled.mask->size(), settled.picture->pixels.size());
    }

    /// Too large for a heat map: the plane instead; too large at all: no picture. Counts stay.
    void hugePlanesAreLimited()
    {
        class Huge : public support::FakeTensor
        {
        public:
            Huge(support::FakeControl& control, std::int64_t height, std::int64_t width)
                : FakeTensor(control, Tensor::fromValues(DType::f32, {1, 1}, std::vector<float>{1}),
                             Selection::all(Layout::guess(2)))
            {
                m_extents.height = height;
                m_extents.width = width;
            }
            Result run(const Query& query, const Job&) const override
            {
                Result result;
                result.counts = {7};
                result.count = 7;
                if (!query.heatMaps.empty())
                    throw Error("no heat map was wanted");
                for (std::size_t i = 0; i < query.masks.size(); ++i)
                    result.masks.push_back(repeated(DType::boolean));
                return result;
            }
            Tensor plane(PlaneIndex) const override { return repeated(DType::f32); }
            Histogram histogram(std::optional<PlaneIndex>, int, const Job&) const override { return {}; }

        private:
            Tensor repeated(DType dtype) const
            {
                return Tensor(dtype, {m_extents.height, m_extents.width}, {0, 0},
                              Storage::fromVector(std::vector<std::byte>(4)));
            }
        };
        support::FakeControl control;
        const auto plane = makeFrame(Huge(control, 6000, 6000), "fake", requestFor(ViewKind::heat, 0), nullptr);
        QCOMPARE(plane.request.view, ViewKind::channel);
        QCOMPARE(plane.picture->width, 6000);
        QVERIFY(plane.note.find("6000 x 6000") != std::string::npos);
        const auto none = makeFrame(Huge(control, 1, 300'000'000), "fake", requestFor(ViewKind::mask, 0), nullptr);
        QVERIFY(!none.picture && !none.mask && !none.note.empty());
        QCOMPARE(none.count, std::int64_t{7});
    }

    void emptyTensorHasNoPicture()
    {
        support::FakeControl control;
        const auto tensor = support::FakeEngine(control).load(Tensor::fromValues(DType::f32, {0, 4}, std::vector<float>{}),
                                                              Selection::all(Layout::guess(2)), {});
        for (const auto view : {ViewKind::heat, ViewKind::channel, ViewKind::wall, ViewKind::mask}) {
            const auto frame = makeFrame(*tensor, "fake", requestFor(view, 0), nullptr);
            QVERIFY(!frame.picture);
            QCOMPARE(frame.count, std::int64_t{0});
        }
    }
};

QTEST_GUILESS_MAIN(TestMakeFrame)
#include "test_make_frame.moc"
