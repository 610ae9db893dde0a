// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/indexed_values.h"

#include "core/engine/bins.h"
#include "tests/core/engine/cases.h"
#include "tests/support/vector_targets.h"

#include <QtTest>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <span>

using namespace core;

/// Percentiles, Otsu's threshold and histograms of a tensor with an index equal those of its values alone, bit for bit.
namespace {

struct Built
{
    Tensor tensor;
    Selection selection;
    PlaneGrid grid;
    Workers workers{2};
    BlockReader reader{grid};
    FirstScan scan;
    Statistics all;
    std::shared_ptr<const TensorIndex> index;

    Built(Tensor of, Selection selected, bool codes, std::int64_t histogramBytes = 1 << 26)
        : tensor(std::move(of)), selection(std::move(selected)), grid(tensor, selection),
          scan(scanFirst(reader, {true, false}, nullptr, workers, {}))
    {
        all = statisticsOf({});
        index = buildTensorIndex(reader, all, {histogramBytes, codes, nullptr}, workers, {});
    }

    Statistics statisticsOf(const PlaneChoice& planes) const
    {
        std::vector<const PlaneStatistics*> chosen;
        for (std::size_t i = 0; i < scan.planes.size(); ++i) {
            const auto plane = static_cast<std::int64_t>(i);
            if ((!planes.batch || plane / grid.extents.channels == *planes.batch) &&
                (!planes.channel || plane % grid.extents.channels == *planes.channel))
                chosen.push_back(&scan.planes[i]);
        }
        return combine(chosen).values;
    }

    ValueSet plain(const PlaneChoice& planes) const { return denseValues(reader, workers, planes, statisticsOf(planes)); }
    ValueSet indexed(const PlaneChoice& planes) const
    {
        ValueSet values = plain(planes);
        setBins(values, planes, index, reader, scan.zones, workers);
        return values;
    }
};

/// Every finite value of a set put between edges on its own.
std::vector<std::int64_t> countOneByOne(const std::vector<double>& edges, const ValueSet& values)
{
    std::vector<std::int64_t> counts(edges.size() - 1);
    std::mutex mutex;
    withSeenType(values.dtype, [&](auto seen) {
        values.forEach({}, [&](const std::byte* block, std::int64_t n) {
            const std::lock_guard lock(mutex);
            for (std::int64_t i = 0; i < n; ++i) {
                auto stored = seen;
                std::memcpy(&stored, block + i * static_cast<std::int64_t>(sizeof stored), sizeof stored);
                const auto value = static_cast<double>(toCompare(stored));
                if (!std::isfinite(value))
                    continue;
                const auto above = std::upper_bound(edges.begin(), edges.end(), value);
                ++counts[static_cast<std::size_t>(std::min(above, edges.end() - 1) - edges.begin()) - 1];
            }
        });
    });
    return counts;
}

/// Empty when both are the same.
std::string difference(const ValueSet& plain, const ValueSet& indexed)
{
    const auto isSame = [](double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); };
    for (const double fraction : {0.0, 0.001, 0.25, 0.4999, 0.5, 0.733, 0.9, 0.999, 1.0}) {
        const double expected = quantile(fraction, plain, {});
        const double found = quantile(fraction, indexed, {});
        if (!isSame(expected, found))
            return fmt::format("quantile {}: {} instead of {}", fraction, found, expected);
    }
    if (!isSame(otsuThreshold(plain, {}), otsuThreshold(indexed, {})))
        return "otsu";
    for (const int bins : {1, 7, 64, 512}) {
        const Histogram expected = histogramOf(bins, plain, {});
        const Histogram found = histogramOf(bins, indexed, {});
        if (!isSame(found.lo, expected.lo) || !isSame(found.hi, expected.hi) || found.bins != expected.bins)
            return fmt::format("histogram of {} bins", bins);
        const std::vector<double> edges = binEdges(found.lo, found.hi, bins);
        if (std::is_sorted(edges.begin(), edges.end(), std::less_equal<>()) && found.bins != countOneByOne(edges, plain))
            return fmt::format("histogram of {} bins, one by one", bins);
        // Edges that are a little off, as Otsu's are.
        std::vector<double> rounded = edges;
        for (double& edge : std::span(rounded).subspan(1, edges.size() - 2))
            edge = static_cast<double>(static_cast<float>(edge));
        if (std::is_sorted(rounded.begin(), rounded.end(), std::less_equal<>()) &&
            countBins(rounded, indexed, {}) != countOneByOne(rounded, plain))
            return fmt::format("histogram of {} rounded bins", bins);
    }
    return {};
}

void check(const Built& built, const std::string& name)
{
    const Extents& extents = built.grid.extents;
    for (const PlaneChoice& planes : {PlaneChoice{}, PlaneChoice{std::nullopt, extents.channels - 1},
                                      PlaneChoice{extents.batches - 1, std::nullopt}, PlaneChoice{0, 0}}) {
        if (extents.elements() == 0)
            continue;
        const ValueSet plain = built.plain(planes);
        if (plain.statistics.finite == 0)
            continue;
        const ValueSet indexed = built.indexed(planes);
        QVERIFY2(indexed.bins, name.c_str());
        const std::string wrong = difference(plain, indexed);
        QVERIFY2(wrong.empty(), qPrintable(QString::fromStdString(name + ": " + wrong)));
    }
}

template <class Stored, class Draw>
Tensor filled(DType dtype, const Shape& shape, Draw draw)
{
    support::Random random(5);
    std::vector<Stored> values(static_cast<std::size_t>(elementCount(shape)));
    for (Stored& value : values)
        value = draw(random);
    return Tensor::fromValues<Stored>(dtype, shape, values);
}

double uniform(support::Random& random)
{
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

template <class Stored, class Draw>
void checkFilled(DType dtype, const Shape& shape, const std::string& name, Draw draw)
{
    for (const bool codes : {false, true})
        check(Built(filled<Stored>(dtype, shape, draw), Selection::all(Layout::guess(static_cast<int>(shape.size()))), codes),
              name);
}

} // namespace

class TestIndexedValues : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void equalTheCaseTable_data();
    void equalTheCaseTable();
    void equalSpecialValues();
    void equalCrowdedBins();
    void equalLargePlanes();
    void equalWideIntegers();
    void areTheSameOnEveryTarget();
    void skipBlocks();
    void obeyAStop();
    void areUsedByTheEngine();
};

void TestIndexedValues::equalTheCaseTable_data()
{
    QTest::addColumn<int>("dtype");
    for (const DType dtype : support::allDTypes)
        if (!isComplex(dtype))
            QTest::newRow(dtypeName(dtype).data()) << static_cast<int>(dtype);
}

void TestIndexedValues::equalTheCaseTable()
{
    QFETCH(int, dtype);
    for (std::uint64_t seed = 0; seed < 25; ++seed)
        for (const support::Strides strides : support::allStrides) {
            const naive::Case c = naive::makeCase(seed, static_cast<DType>(dtype), strides);
            for (const bool codes : {false, true}) {
                const Built built(c.tensor, c.selection, codes);
                if (built.index)
                    check(built, c.name);
                if (QTest::currentTestFailed())
                    return;
            }
        }
}

void TestIndexedValues::equalSpecialValues()
{
    const Shape shape{2, 3, 40, 50};
    checkFilled<float>(DType::f32, shape, "equal", [](auto&) { return 5.f; });
    checkFilled<float>(DType::f32, shape, "zeros of both signs", [](auto& random) { return random() % 2 ? 0.f : -0.f; });
    checkFilled<float>(DType::f32, shape, "two values", [](auto& random) { return random() % 2 ? 1.f : -0.f; });
    checkFilled<float>(DType::f32, shape, "rectified",
                       [](auto& random) { return static_cast<float>(std::max(uniform(random) - 0.5, 0.0)); });
    checkFilled<float>(DType::f32, shape, "denormals", [](auto& random) {
        return static_cast<float>(random() % 8) * std::numeric_limits<float>::denorm_min();
    });
    checkFilled<float>(DType::f32, shape, "ends of the range", [](auto& random) {
        constexpr float some[] = {3.4e38f, -3.4e38f, INFINITY, -INFINITY, NAN, 0, -0.f, 1e-45f, -1e-45f, 1};
        return some[random() % 10];
    });
    checkFilled<double>(DType::f64, shape, "far apart", [](auto& random) { return random() % 2 ? -1.7e308 : 1.7e308; });
    checkFilled<double>(DType::f64, shape, "neighbours",
                        [](auto& random) { return 1 + static_cast<double>(random() % 5) * 0x1p-52; });
    checkFilled<double>(DType::f64, shape, "on edges", [](auto& random) { return static_cast<double>(random() % 513) / 512; });
    checkFilled<float>(DType::f32, shape, "on edges of thirds",
                       [](auto& random) { return static_cast<float>(random() % 385) / 384 - 1.f / 3; });
    checkFilled<Half>(DType::f16, shape, "on edges",
                      [](auto& random) { return toHalf(static_cast<float>(random() % 513) / 512); });
    checkFilled<BFloat16>(DType::bf16, shape, "outliers", [](auto& random) {
        return toBFloat16(static_cast<float>(random() % 500 == 0 ? 1e30 * uniform(random) : uniform(random)));
    });
    checkFilled<std::int32_t>(DType::i32, shape, "one value per bin",
                              [](auto& random) { return static_cast<std::int32_t>(random() % 400) - 77; });
    checkFilled<std::uint8_t>(DType::boolean, shape, "bool",
                              [](auto& random) { return static_cast<std::uint8_t>(random() % 2); });
}

/// Bins with more values than are looked at one by one, all of them different or many the same.
void TestIndexedValues::equalCrowdedBins()
{
    const Shape shape{1, 2, 1030, 1100};
    checkFilled<float>(DType::f32, shape, "logarithmic",
                       [](auto& random) { return static_cast<float>(std::pow(10, -30 * uniform(random))); });
    checkFilled<double>(DType::f64, shape, "logarithmic", [](auto& random) { return std::pow(10, -200 * uniform(random)); });
    checkFilled<float>(DType::f32, shape, "negative floor", [](auto& random) {
        return random() % 4 ? -0.17f + static_cast<float>(random() % 3) * 1e-8f : static_cast<float>(uniform(random));
    });
    checkFilled<std::int64_t>(DType::i64, shape, "crowded integers", [](auto& random) {
        return random() % 100 ? static_cast<std::int64_t>(random() % 1000000) : static_cast<std::int64_t>(random() >> 1);
    });
}

void TestIndexedValues::equalLargePlanes()
{
    const Shape shape{2, 1, 1200, 1101};
    QVERIFY(1200 * 1101 > TensorIndex::mostChunkElements);
    const auto draw = [](auto& random) {
        const double normal = uniform(random) + uniform(random) + uniform(random) - 1.5;
        return static_cast<float>(random() % 900 == 0 ? 30 * normal : normal);
    };
    checkFilled<float>(DType::f32, shape, "float32", draw);
    checkFilled<Half>(DType::f16, shape, "float16", [&](auto& random) { return toHalf(draw(random)); });
    // Channels-last, few bins.
    const Tensor dense = filled<float>(DType::f32, {2, 60, 70, 40}, draw);
    const Tensor view(DType::f32, {2, 40, 60, 70}, {168000, 1, 2800, 40}, dense.storage());
    check(Built(view, Selection::all(Layout::guess(4)), true), "channels last");
    check(Built(view, Selection::all(Layout::guess(4)), false, 40000), "channels last, few bins");
}

void TestIndexedValues::equalWideIntegers()
{
    const Shape shape{2, 2, 60, 70};
    checkFilled<std::int64_t>(DType::i64, shape, "int64", [](auto& random) { return static_cast<std::int64_t>(random()); });
    checkFilled<std::uint64_t>(DType::u64, shape, "uint64", [](auto& random) { return random(); });
    checkFilled<std::int64_t>(DType::i64, shape, "about 2^53", [](auto& random) {
        return (std::int64_t{1} << 53) + static_cast<std::int64_t>(random() % 9000);
    });
    checkFilled<std::uint64_t>(DType::u64, shape, "top",
                               [](auto& random) { return std::numeric_limits<std::uint64_t>::max() - random() % 3; });
    checkFilled<std::int16_t>(DType::i16, shape, "int16", [](auto& random) { return static_cast<std::int16_t>(random()); });
    checkFilled<std::uint16_t>(DType::u16, shape, "uint16", [](auto& random) { return static_cast<std::uint16_t>(random()); });
    checkFilled<std::uint32_t>(DType::u32, shape, "uint32", [](auto& random) { return static_cast<std::uint32_t>(random()); });
}

void TestIndexedValues::areTheSameOnEveryTarget()
{
    for (const std::int64_t target : support::vectorTargets()) {
        const support::HeldTarget held(target);
        const Shape shape{1, 3, 37, 131};
        checkFilled<float>(DType::f32, shape, "float32", [](auto& random) {
            return random() % 9 ? static_cast<float>(random() % 700) / 512 : random() % 2 ? NAN : -INFINITY;
        });
        checkFilled<double>(DType::f64, shape, "float64", [](auto& random) { return uniform(random) * 1e200; });
        checkFilled<Half>(DType::f16, shape, "float16",
                          [](auto& random) { return toHalf(static_cast<float>(3 * uniform(random))); });
        checkFilled<std::uint64_t>(DType::u64, shape, "uint64", [](auto& random) { return random(); });
        checkFilled<std::uint32_t>(DType::u32, shape, "uint32",
                                   [](auto& random) { return static_cast<std::uint32_t>(random()); });
        checkFilled<std::int8_t>(DType::i8, shape, "int8", [](auto& random) { return static_cast<std::int8_t>(random()); });
    }
}

/// Values in order: most blocks cannot hold what is looked for.
void TestIndexedValues::skipBlocks()
{
    float next = -1;
    const Tensor tensor = filled<float>(DType::f32, {1, 3, 300, 301}, [&](auto&) { return next += 1e-5f; });
    check(Built(tensor, Selection::all(Layout::guess(4)), false), "ascending");
}

void TestIndexedValues::obeyAStop()
{
    const Built built(
        filled<float>(DType::f32, {1, 4, 200, 300}, [](auto& random) { return static_cast<float>(uniform(random)); }),
        Selection::all(Layout::guess(4)), true);
    std::stop_source source;
    source.request_stop();
    const ValueSet values = built.indexed({});
    QVERIFY_THROWS_EXCEPTION(Cancelled, (void)quantile(0.7, values, Job{source.get_token(), {}}));
    QCOMPARE(quantile(0.7, values, {}), quantile(0.7, built.plain({}), {}));
}

void TestIndexedValues::areUsedByTheEngine()
{
    const Tensor tensor = filled<float>(DType::f32, {2, 3, 90, 100},
                                        [](auto& random) { return static_cast<float>(std::max(uniform(random) - 0.3, 0.0)); });
    const Selection selection = Selection::all(Layout::guess(4));
    const auto engine = makeCpuEngine(2);
    const auto plain = engine->load(tensor, selection);
    const auto indexed = engine->load(tensor, selection);
    indexed->buildIndex();
    for (const bool perChannel : {false, true})
        for (const char* rule : {"percentile 90.3", "percentile 10", "otsu"}) {
            Query query;
            query.where = Where::parse(rule);
            query.where.perChannel = perChannel;
            const Result expected = plain->run(query);
            const Result found = indexed->run(query);
            QCOMPARE(found.thresholds.size(), expected.thresholds.size());
            for (std::size_t i = 0; i < expected.thresholds.size(); ++i)
                QVERIFY(found.thresholds[i].a == expected.thresholds[i].a);
            QCOMPARE(found.counts, expected.counts);
        }
    QCOMPARE(indexed->histogram(std::nullopt, 512).bins, plain->histogram(std::nullopt, 512).bins);
    QCOMPARE(indexed->histogram(PlaneIndex{1, 2}, 512).bins, plain->histogram(PlaneIndex{1, 2}, 512).bins);
}

QTEST_APPLESS_MAIN(TestIndexedValues)
#include "test_indexed_values.moc"
