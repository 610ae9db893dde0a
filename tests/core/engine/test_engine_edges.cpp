// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "core/error.h"
#include "tests/support/random_tensor.h"
#include "tests/support/vector_targets.h"

#include <QTest>
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

using namespace core;

namespace {

std::int64_t countOf(const Tensor& tensor, const std::string& where, Comparison comparison = Comparison::torch)
{
    Query query;
    query.where = Where::parse(where);
    query.where.comparison = comparison;
    return makeCpuEngine(1)->load(tensor, Selection::all(Layout::guess(tensor.rank())))->run(query).count;
}

void appendBits(std::vector<std::byte>& bytes, const void* from, std::size_t n)
{
    const auto* first = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), first, first + n);
}

/// All that an engine says about a tensor, as bits.
std::vector<std::byte> everything(const LoadedTensor& tensor, const char* where, bool perChannel)
{
    std::vector<std::byte> bits;
    const auto add = [&](double value) { appendBits(bits, &value, sizeof value); };
    for (const Statistics& s : tensor.planeStatistics()) {
        add(s.sum.real);
        add(s.mean.value_or(0));
        add(s.std.value_or(0));
    }
    add(tensor.statistics().std.value_or(0));
    Query query;
    query.where = Where::parse(where);
    query.where.perChannel = perChannel;
    query.hotSums = true;
    for (const Reduction reduction :
         {Reduction::sum, Reduction::count, Reduction::max, Reduction::mean, Reduction::l1, Reduction::l2})
        query.heatMaps.push_back({reduction, false, std::nullopt});
    query.heatMaps.push_back({Reduction::sum, true, 0});
    query.masks = {{0, 0}};
    query.rows = RowWindow{11, 500};
    const Result result = tensor.run(query);
    for (const Sum& sum : result.hotSums)
        add(sum.real);
    for (const std::int64_t count : result.counts)
        appendBits(bits, &count, sizeof count);
    for (const Threshold& threshold : result.thresholds)
        add(threshold.a.value_or(0));
    for (const Tensor& map : result.heatMaps)
        appendBits(bits, map.data(), static_cast<std::size_t>(map.bytes()));
    appendBits(bits, result.masks[0].data(), static_cast<std::size_t>(result.masks[0].bytes()));
    appendBits(bits, result.rows->indices.data(), result.rows->indices.size() * sizeof(std::int64_t));
    return bits;
}

/// The same elements at other strides: rows apart, axes swapped in memory.
Tensor scattered(const Tensor& tensor)
{
    const Shape& shape = tensor.shape();
    Strides strides(shape.size());
    std::int64_t step = 3;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        strides[axis] = step;
        step *= shape[axis] + 1;
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(step * itemSize(tensor.dtype())));
    const Tensor view(tensor.dtype(), shape, strides, Storage::fromVector(bytes));
    support::forIndices(shape, [&](const std::vector<std::int64_t>& indices) {
        const std::ptrdiff_t at = support::elementAt(view, indices) - view.data();
        std::memcpy(bytes.data() + at, support::elementAt(tensor, indices), static_cast<std::size_t>(itemSize(tensor.dtype())));
    });
    return Tensor(tensor.dtype(), shape, strides, Storage::fromVector(std::move(bytes)));
}

Tensor noise(const Shape& shape)
{
    support::Random random(5);
    return support::randomTensor(DType::f32, shape, support::Strides::contiguous, random, false);
}

/// Runs `work` with a stop requested at the first progress report; whether it was cancelled at once.
template <class Work>
bool stops(Work work)
{
    std::stop_source source;
    int reports = 0;
    Job job;
    job.stop = source.get_token();
    job.progress = [&](double) {
        ++reports;
        source.request_stop();
    };
    try {
        work(job);
    } catch (const Cancelled&) {
        return reports <= 1;
    }
    return false;
}

} // namespace

class TestEngineEdges : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Threads, strides and vector targets change no bit of any answer.
    void sameBits()
    {
        support::Random random(9);
        for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::f8e5m2, DType::u8, DType::i16,
                                  DType::i32, DType::i64, DType::u64, DType::c64})
            for (const Shape& shape : {Shape{2, 3, 90, 130}, Shape{1, 40, 7, 9}, Shape{3, 1, 1, 20000}}) {
                const Tensor tensor = support::randomTensor(dtype, shape, support::Strides::contiguous, random, false);
                const char* where = isComplex(dtype) ? "abs > 1" : "> 0.25";
                const Selection selection = Selection::all(Layout::guess(4));
                const std::vector<std::byte> one = everything(*makeCpuEngine(1)->load(tensor, selection), where, false);
                QVERIFY(!one.empty());
                for (const int threads : {2, 3})
                    QVERIFY(everything(*makeCpuEngine(threads)->load(tensor, selection), where, false) == one);
                QVERIFY(everything(*makeCpuEngine(2)->load(scattered(tensor), selection), where, false) == one);
                for (const std::int64_t target : support::vectorTargets()) {
                    const support::HeldTarget held(target);
                    QVERIFY2(everything(*makeCpuEngine(2)->load(tensor, selection), where, false) == one,
                             hwy::TargetName(target));
                }
            }
        const Tensor tensor = noise({2, 5, 60, 70});
        const auto loaded = makeCpuEngine(1)->load(tensor, Selection::all(Layout::guess(4)));
        const auto other = makeCpuEngine(3)->load(scattered(tensor), Selection::all(Layout::guess(4)));
        for (const char* rule : {"percentile 77", "sigma 1", "otsu"}) {
            const std::vector<std::byte> one = everything(*loaded, rule, true);
            QVERIFY(everything(*other, rule, true) == one);
            for (const std::int64_t target : support::vectorTargets()) {
                const support::HeldTarget held(target);
                const auto again = makeCpuEngine(2)->load(tensor, Selection::all(Layout::guess(4)));
                QVERIFY2(everything(*again, rule, true) == one, hwy::TargetName(target));
                again->buildIndex();
                QVERIFY2(everything(*again, rule, true) == one, hwy::TargetName(target));
            }
        }
    }

    void ranks()
    {
        const Tensor scalar = Tensor::fromValues<float>(DType::f32, {}, {2.5f});
        const auto loaded = makeCpuEngine(1)->load(scalar, Selection::all(Layout::guess(0)));
        Query query;
        query.where = Where::parse("> 2");
        query.heatMaps = {{Reduction::sum, false, std::nullopt}};
        query.rows = RowWindow{0, 5};
        const Result result = loaded->run(query);
        QCOMPARE(result.count, 1);
        QCOMPARE(result.heatMaps[0].shape(), (Shape{1, 1, 1}));
        QVERIFY(result.rows->rank == 0 && result.rows->rows() == 1 && result.rows->indices.empty());
        QCOMPARE(std::get<double>(loaded->value({})), 2.5);

        Shape shape(64, 1);
        shape[3] = 2;
        shape[40] = 3;
        shape[63] = 2;
        const Tensor deep = Tensor::fromValues<std::int32_t>(DType::i32, shape, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
        Selection selection = Selection::all(Layout::guess(64));
        QCOMPARE(makeCpuEngine(1)->load(deep, selection)->extents().elements(), 2);
        selection.fixed[3] = 1;
        selection.fixed[40] = 2;
        query.where = Where::parse("> 10");
        const Result last = makeCpuEngine(1)->load(deep, selection)->run(query);
        QCOMPARE(last.count, 1);
        QVERIFY(last.rows->indices[3] == 1 && last.rows->indices[40] == 2 && last.rows->indices[63] == 1);
        QCOMPARE(last.rows->indices.size(), 64u);
    }

    void empty()
    {
        for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 2, 4, 4}, Shape{2, 0, 4, 4}, Shape{2, 2, 0, 4}}) {
            const auto loaded = makeCpuEngine(2)->load(Tensor::fromValues<float>(DType::f32, shape, {}),
                                                       Selection::all(Layout::guess(static_cast<int>(shape.size()))));
            Query query;
            query.where = Where::parse("percentile 50");
            query.hotSums = true;
            query.heatMaps = {{Reduction::sum, false, std::nullopt}, {Reduction::max, true, std::nullopt}};
            query.rows = RowWindow{0, 5};
            const Result result = loaded->run(query);
            QCOMPARE(result.count, 0);
            QCOMPARE(result.rows->rows(), 0);
            QCOMPARE(static_cast<std::int64_t>(result.counts.size()), loaded->extents().planes());
            QVERIFY(!loaded->statistics().min && loaded->statistics().elements == 0);
            QVERIFY(loaded->histogram(std::nullopt, 4).bins.empty());
            int blocks = 0;
            loaded->coordinates(query.where, true, [&](const RowBlock&) { return ++blocks < 0; });
            QCOMPARE(blocks, 0);
            for (const char* rule : {"percentile 50", "sigma 1", "max 0.5", "otsu"}) {
                query.where = Where::parse(rule);
                query.where.perChannel = true;
                QCOMPARE(loaded->run(query).count, 0);
            }
        }
    }

    void refusesPlanesThatAreNotThere()
    {
        const Tensor dense = Tensor::fromValues<float>(DType::f32, {2, 0, 3, 3}, {});
        SparseTensor sparse;
        sparse.shape = dense.shape();
        sparse.indices = Tensor::fromValues<std::int64_t>(DType::i64, {4, 0}, {});
        sparse.values = Tensor::fromValues<float>(DType::f32, {0}, {});
        for (const Content& content : {Content(dense), Content(sparse)}) {
            const auto loaded = makeCpuEngine(1)->load(content, Selection::all(Layout::guess(4)));
            Query query;
            query.masks = {{0, 0}};
            QVERIFY_THROWS_EXCEPTION(Error, loaded->run(query));
            QVERIFY_THROWS_EXCEPTION(Error, loaded->plane({0, 0}));
            query.masks.clear();
            query.heatMaps = {{Reduction::sum, false, 1}};
            QCOMPARE(loaded->run(query).heatMaps[0].shape(), (Shape{1, 3, 3}));
            query.heatMaps[0].batch = 2;
            QVERIFY_THROWS_EXCEPTION(Error, loaded->run(query));
        }
    }

    void refusesMorePlanesThanCanBeListed()
    {
        const Tensor tensor = Tensor::fromValues<float>(DType::f32, {2'000'000'000, 2'000'000'000, 0, 1}, {});
        QVERIFY_THROWS_EXCEPTION(Error, makeCpuEngine(1)->load(tensor, Selection::all(Layout::guess(4))));
    }

    /// Values on the edge of what a dtype tells apart; right answers from PyTorch 2.11.
    void borders()
    {
        const Tensor bytes = Tensor::fromValues<std::uint8_t>(DType::u8, {5}, {0, 43, 44, 45, 255});
        QCOMPARE(countOf(bytes, "> 300"), 2);
        QCOMPARE(countOf(bytes, "> -1"), 0);
        QCOMPARE(countOf(bytes, "> -1", Comparison::exact), 5);
        QCOMPARE(countOf(bytes, "> 300", Comparison::exact), 0);
        const Tensor ints = Tensor::fromValues<std::int32_t>(DType::i32, {3}, {16777216, 16777217, 16777218});
        QCOMPARE(countOf(ints, "> 16777216.5"), 1);
        QCOMPARE(countOf(ints, "> 16777216.5", Comparison::exact), 2);
        const std::int64_t big = std::int64_t{1} << 53;
        const Tensor longs = Tensor::fromValues<std::int64_t>(DType::i64, {3}, {big, big + 1, big + 2});
        QCOMPARE(countOf(longs, "> 9007199254740992"), 2);
        QCOMPARE(countOf(longs, "> 9007199254740992.0"), 0);
        QCOMPARE(countOf(longs, "> 9007199254740992.5", Comparison::exact), 2);
        QCOMPARE(countOf(longs, "> 9223372036854775808"), 3);
        const Tensor floats =
            Tensor::fromValues<float>(DType::f32, {6}, {0.1f, std::nextafter(0.1f, 1.0f), 1e-45f, -0.0f, NAN, INFINITY});
        QCOMPARE(countOf(floats, "> 0.1"), 2);
        QCOMPARE(countOf(floats, "> 0.1", Comparison::exact), 3);
        QCOMPARE(countOf(floats, "> 0"), 4);
        QCOMPARE(countOf(floats, "== 0"), 1);
        QCOMPARE(countOf(floats, "!= 0"), 5);
        QCOMPARE(countOf(floats, "nan"), 1);
    }

    void complexHasNoOrder()
    {
        const auto loaded = makeCpuEngine(1)->load(Tensor::fromValues<std::complex<float>>(DType::c64, {2}, {{3, 4}, {0, 0}}),
                                                   Selection::all(Layout::guess(1)));
        Query query;
        query.where = Where::parse("abs >= 5");
        QCOMPARE(loaded->run(query).count, 1);
        QCOMPARE(std::get<double>(loaded->value(std::vector<std::int64_t>{0})), 5.0);
        for (const char* where : {"> 1", "<= 1", "between 0 1", "percentile 5", "otsu"}) {
            query.where = Where::parse(where);
            QVERIFY_THROWS_EXCEPTION(Error, loaded->run(query));
        }
    }

    void refusesPlacesOutside()
    {
        const Tensor tensor = noise({2, 3, 4, 5});
        Selection selection = Selection::all(Layout::guess(4));
        const auto loaded = makeCpuEngine(1)->load(tensor, selection);
        QVERIFY_THROWS_EXCEPTION(Error, loaded->plane({0, 3}));
        QVERIFY_THROWS_EXCEPTION(Error, loaded->plane({-1, 0}));
        QVERIFY_THROWS_EXCEPTION(Error, (void)loaded->value(std::vector<std::int64_t>{0, 0, 4, 0}));
        Query query;
        query.masks = {{2, 0}};
        QVERIFY_THROWS_EXCEPTION(Error, loaded->run(query));
        query.masks.clear();
        query.heatMaps = {{Reduction::sum, false, 2}};
        QVERIFY_THROWS_EXCEPTION(Error, loaded->run(query));
        selection.fixed[1] = 3;
        QVERIFY_THROWS_EXCEPTION(Error, makeCpuEngine(1)->load(tensor, selection));
    }

    /// Planes are views: no copy, the right strides.
    void planes()
    {
        const Tensor tensor = noise({2, 3, 4, 5});
        const auto loaded = makeCpuEngine(1)->load(tensor, Selection::all(Layout::parse("NHWC", 4)));
        const Tensor plane = loaded->plane({1, 4});
        QCOMPARE(plane.shape(), (Shape{3, 4}));
        QCOMPARE(plane.strides(), (Strides{20, 5}));
        QVERIFY(plane.data() == support::elementAt(tensor, {1, 0, 0, 4}));
    }

    void stopsAtOnce()
    {
        const auto engine = makeCpuEngine(2);
        const Tensor tensor = noise({4, 8, 256, 256});
        const Selection selection = Selection::all(Layout::guess(4));
        QVERIFY(stops([&](const Job& job) { engine->load(tensor, selection, job); }));
        QVERIFY(stops([&](const Job& job) { engine->load(scattered(noise({2, 8, 100, 100})), selection, job); }));
        const auto loaded = engine->load(tensor, selection);
        Query counts;
        counts.where = Where::parse("> 0");
        QVERIFY(stops([&](const Job& job) { loaded->run(counts, job); }));
        Query maps = counts;
        maps.heatMaps = {{Reduction::sum, false, std::nullopt}};
        QVERIFY(stops([&](const Job& job) { loaded->run(maps, job); }));
        Query rule;
        rule.where = Where::parse("percentile 50");
        QVERIFY(stops([&](const Job& job) { loaded->run(rule, job); }));
        QVERIFY(stops([&](const Job& job) { loaded->histogram(std::nullopt, 100, job); }));
        QVERIFY(stops([&](const Job& job) {
            loaded->coordinates(
                counts.where, false, [](const RowBlock&) { return true; }, job);
        }));
        // After being stopped it still answers.
        QVERIFY(loaded->run(rule).count > 0);
    }

    void sinkStopsEarly()
    {
        const auto loaded = makeCpuEngine(2)->load(noise({300000}), Selection::all(Layout::guess(1)));
        int blocks = 0;
        loaded->coordinates(Where(), false, [&](const RowBlock& block) {
            ++blocks;
            return block.indices.empty();
        });
        QCOMPARE(blocks, 1);
    }
};

QTEST_GUILESS_MAIN(TestEngineEdges)
#include "test_engine_edges.moc"
