// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "core/engine/memory_plan.h"
#include "core/error.h"
#include "tests/core/engine/naive.h"
#include "tests/support/random_tensor.h"
#include "tests/support/vector_targets.h"

#include <QtTest>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <thread>

using namespace core;

/// What comes from histograms, codes and the max map equals what a tensor without an index answers, bit for bit, and counts
/// equal a plain loop.
namespace {

/// Values without order in memory: about a normal distribution, some outliers, few exact zeros.
template <class Stored>
Stored rounded(double value)
{
    if constexpr (std::is_same_v<Stored, Half>)
        return toHalf(value);
    else if constexpr (std::is_same_v<Stored, BFloat16>)
        return toBFloat16(static_cast<float>(value));
    else
        return static_cast<Stored>(value);
}

template <class Stored>
Tensor spread(DType dtype, const Shape& shape, double scale, double shift = 0)
{
    support::Random random(17);
    std::vector<Stored> values(static_cast<std::size_t>(elementCount(shape)));
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; };
    for (Stored& value : values) {
        const double normal = uniform() + uniform() + uniform() + uniform();
        value = rounded<Stored>(shift + scale * (random() % 400 == 0 ? 50 * normal : normal));
    }
    return Tensor::fromValues<Stored>(dtype, shape, values);
}

/// The same elements, channels next to each other in memory.
Tensor channelsLast(const Tensor& tensor)
{
    const Shape& s = tensor.shape();
    const Strides strides = {s[1] * s[2] * s[3], 1, s[3] * s[1], s[1]};
    const auto size = static_cast<std::size_t>(itemSize(tensor.dtype()));
    std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.bytes()));
    const Tensor view(tensor.dtype(), s, strides, Storage::fromVector(bytes));
    support::forIndices(s, [&](const std::vector<std::int64_t>& indices) {
        std::memcpy(bytes.data() + (support::elementAt(view, indices) - view.data()), support::elementAt(tensor, indices),
                    size);
    });
    return Tensor(tensor.dtype(), s, strides, Storage::fromVector(std::move(bytes)));
}

bool sameBytes(const Tensor& a, const Tensor& b)
{
    return a.dtype() == b.dtype() && a.shape() == b.shape() && std::equal(a.data(), a.data() + a.bytes(), b.data());
}

/// Thresholds on stops, beside them, and at special places.
std::vector<std::string> conditions(const LoadedTensor& tensor)
{
    std::vector<std::string> texts = {"> 0",    ">= 0",    "< 0",       "<= 0",           "!= 0",
                                      "== 0",   "> 0.3",   "abs > 0.7", "between -1 0.5", "outside -0.25 1.5",
                                      "> 1e30", "< -1e30", ">= -1e300"};
    const auto add = [&](double stop) {
        for (const char* form : {"> {:.17g}", "<= {:.17g}", ">= {:.17g}"})
            texts.push_back(fmt::format(fmt::runtime(form), stop));
        texts.push_back(fmt::format("outside {:.17g} {:.17g}", std::min(stop, 0.5), std::max(stop, 0.5)));
    };
    const Statistics all = tensor.statistics();
    if (!all.min)
        return texts;
    const auto real = [](const Scalar& value) { return std::visit([](auto v) { return static_cast<double>(v); }, value); };
    for (const double part : {0.0, 0.41, 0.72, 1.0}) {
        const double stop = tensor.nearestStop(real(*all.min) * (1 - part) + real(*all.max) * part);
        if (std::isfinite(stop)) {
            add(stop);
            texts.push_back(fmt::format("> {:.17g}", stop + 1e-3));
        }
    }
    if (isFloating(tensor.dtype()))
        for (const char* text : {"nan", "inf", "finite"})
            texts.push_back(text);
    return texts;
}

struct Pair
{
    std::unique_ptr<LoadedTensor> plain;
    std::unique_ptr<LoadedTensor> quick;

    Pair(const Tensor& tensor, const Selection& selection, int threads)
        : plain(makeCpuEngine(1)->load(tensor, selection)), quick(makeCpuEngine(threads)->load(tensor, selection))
    {
        quick->buildIndex();
    }
};

Query fullQuery(const LoadedTensor& tensor, const Where& where)
{
    const Extents& extents = tensor.extents();
    Query query;
    query.where = where;
    const std::int64_t lastBatch = extents.batches - 1;
    query.heatMaps = {{Reduction::count, false, lastBatch}, {Reduction::max, false, lastBatch}, {Reduction::count, false, {}},
                      {Reduction::max, false, {}},          {Reduction::sum, false, 0},         {Reduction::mean, false, 0}};
    query.masks = {{0, 0}, {lastBatch, extents.channels - 1}};
    return query;
}

/// Empty when all answers are the same, else what is not.
std::string difference(const Pair& pair, const Where& where)
{
    Query query = fullQuery(*pair.quick, where);
    const Result expected = pair.plain->run(query);
    const Result found = pair.quick->run(query);
    if (found.counts != expected.counts || found.count != expected.count)
        return "counts";
    for (std::size_t i = 0; i < expected.heatMaps.size(); ++i)
        if (!sameBytes(found.heatMaps[i], expected.heatMaps[i]))
            return fmt::format("heat map {}", i);
    for (std::size_t i = 0; i < expected.masks.size(); ++i)
        if (!sameBytes(found.masks[i], expected.masks[i]))
            return fmt::format("mask {}", i);
    if (!found.mapsAreExact || !found.exact)
        return "exact";
    // One map at a time goes other ways than all in one pass.
    for (const HeatMapQuery& one : query.heatMaps) {
        Query single;
        single.where = where;
        single.counts = false;
        single.heatMaps = {one};
        if (!sameBytes(pair.quick->run(single).heatMaps[0], pair.plain->run(single).heatMaps[0]))
            return fmt::format("single {} map", reductionName(one.reduction));
    }
    for (const std::int64_t first : {std::int64_t{0}, expected.count / 3, expected.count - 40}) {
        Query rows;
        rows.where = where;
        rows.rows = RowWindow{std::max(first, std::int64_t{0}), 60};
        const Result a = pair.plain->run(rows);
        const Result b = pair.quick->run(rows);
        if (a.rows->indices != b.rows->indices || a.rows->values.size() != b.rows->values.size())
            return "rows";
    }
    return {};
}

/// Counts by a plain loop over indices.
std::string countDifference(const Tensor& tensor, const Pair& pair, const std::string& text)
{
    const Where where = [&] {
        Where parsed = Where::parse(text);
        parsed.comparison = Comparison::exact;
        return parsed;
    }();
    Query query;
    query.where = where;
    const Result found = pair.quick->run(query);
    const auto hot = naive::test(text, tensor.dtype());
    std::vector<std::int64_t> counts(found.counts.size());
    for (const naive::Element& e : naive::elements(tensor, pair.quick->selection()))
        counts[static_cast<std::size_t>(e.batch * pair.quick->extents().channels + e.channel)] += hot(e);
    return counts == found.counts ? std::string() : "counts by a plain loop";
}

void check(const Tensor& tensor, const Selection& selection, int threads, const std::string& what)
{
    const Pair pair(tensor, selection, threads);
    bool isExact = false;
    for (const std::string& text : conditions(*pair.quick)) {
        Where where = Where::parse(text);
        isExact = !isExact;
        where.comparison = isExact ? Comparison::exact : Comparison::torch;
        try {
            const std::string wrong = difference(pair, where);
            QVERIFY2(wrong.empty(), qPrintable(QString::fromStdString(fmt::format("{}: {}: {}", what, text, wrong))));
        } catch (const Error&) {
            // A number that the dtype cannot be compared with.
        }
    }
}

void checkCounts(const Tensor& tensor, const std::string& what)
{
    const Pair pair(tensor, Selection::all(Layout::guess(tensor.rank())), 2);
    for (const std::string& text : conditions(*pair.quick)) {
        // The loop takes thresholds as float64.
        const Condition condition = Where::parse(text).condition;
        if (std::max(std::abs(condition.a.real), std::abs(condition.b.real)) > 0x1p53)
            continue;
        const std::string wrong = countDifference(tensor, pair, text);
        QVERIFY2(wrong.empty(), qPrintable(QString::fromStdString(fmt::format("{}: {}: {}", what, text, wrong))));
    }
}

} // namespace

class TestQuickAnswers : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void equalPlainOnes_data();
    void equalPlainOnes();
    void hold4096Stops();
    void holdChannelsLast();
    void holdManyChannels();
    void holdSelections();
    void holdOneRulePerChannel();
    void areTheSameOnEveryTarget();
    void countLargePlanesInChunks();
    void draftsAreNear();
    void surviveAStop();
    void comeWhileTheIndexIsBuilt();
    void zonesHoldEveryValue();
    void memoryIsKeptToALimit();

private:
    static void checkDraft(const Tensor& tensor);
    static void checkDraftOfBytes();
};

void TestQuickAnswers::equalPlainOnes_data()
{
    QTest::addColumn<int>("dtype");
    for (const DType dtype : support::allDTypes)
        if (!isComplex(dtype))
            QTest::newRow(dtypeName(dtype).data()) << static_cast<int>(dtype);
}

void TestQuickAnswers::equalPlainOnes()
{
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    support::Random random(3);
    for (const Shape& shape : {Shape{2, 5, 20, 31}, Shape{1, 1, 1, 1}, Shape{3, 9, 1, 1}})
        for (const support::Strides strides : support::allStrides) {
            const Tensor tensor = support::randomTensor(type, shape, strides, random);
            check(tensor, Selection::all(Layout::guess(4)), 2, support::stridesName(strides));
            if (QTest::currentTestFailed())
                return;
        }
    checkCounts(support::randomTensor(type, {2, 5, 20, 31}, support::Strides::contiguous, random), "random");
    checkCounts(support::randomTensor(type, {2, 3, 13, 17}, support::Strides::contiguous, random, false), "finite");
}

void TestQuickAnswers::hold4096Stops()
{
    for (const int threads : {1, 2, 5}) {
        check(spread<float>(DType::f32, {2, 6, 150, 131}, 1), Selection::all(Layout::guess(4)), threads, "float32");
        check(spread<double>(DType::f64, {1, 3, 150, 131}, 1e100), Selection::all(Layout::guess(4)), threads, "float64");
        check(spread<std::int32_t>(DType::i32, {1, 3, 150, 131}, 1e5), Selection::all(Layout::guess(4)), threads, "int32");
        check(spread<std::int64_t>(DType::i64, {1, 3, 150, 131}, 1e17), Selection::all(Layout::guess(4)), threads, "int64");
        check(spread<Half>(DType::f16, {2, 6, 150, 131}, 1), Selection::all(Layout::guess(4)), threads, "float16");
        check(spread<BFloat16>(DType::bf16, {2, 6, 150, 131}, 1e30), Selection::all(Layout::guess(4)), threads, "bfloat16");
        check(spread<std::int16_t>(DType::i16, {2, 6, 150, 131}, 300), Selection::all(Layout::guess(4)), threads, "int16");
        check(spread<std::uint16_t>(DType::u16, {2, 6, 150, 131}, 300, 32000), Selection::all(Layout::guess(4)), threads,
              "uint16");
    }
    checkCounts(spread<float>(DType::f32, {2, 6, 150, 131}, 1), "float32");
    checkCounts(spread<std::int64_t>(DType::i64, {1, 3, 150, 131}, 1e15), "int64");
    checkCounts(spread<Half>(DType::f16, {2, 6, 150, 131}, 1), "float16");
    checkCounts(spread<std::uint16_t>(DType::u16, {2, 6, 150, 131}, 300, 32000), "uint16");
}

void TestQuickAnswers::holdChannelsLast()
{
    check(channelsLast(spread<float>(DType::f32, {2, 35, 70, 67}, 1)), Selection::all(Layout::guess(4)), 2, "float32");
    check(channelsLast(spread<float>(DType::f32, {2, 3, 170, 167}, 1)), Selection::all(Layout::guess(4)), 2, "pictures");
    check(channelsLast(spread<std::int8_t>(DType::i8, {2, 35, 40, 67}, 30)), Selection::all(Layout::guess(4)), 2, "int8");
    check(channelsLast(spread<double>(DType::f64, {1, 20, 40, 67}, 30)), Selection::all(Layout::guess(4)), 3, "float64");
    check(channelsLast(spread<Half>(DType::f16, {2, 35, 70, 67}, 1)), Selection::all(Layout::guess(4)), 2, "float16");
}

void TestQuickAnswers::holdManyChannels()
{
    // More than the accumulators of a byte hold.
    check(spread<float>(DType::f32, {2, 700, 9, 15}, 1), Selection::all(Layout::guess(4)), 2, "float32");
    check(spread<std::int8_t>(DType::i8, {2, 700, 9, 15}, 40), Selection::all(Layout::guess(4)), 2, "int8");
    check(spread<BFloat16>(DType::bf16, {2, 700, 9, 15}, 1), Selection::all(Layout::guess(4)), 2, "bfloat16");
    check(Tensor::fromValues<std::uint8_t>(DType::u8, {1, 600, 1, 70}, std::vector<std::uint8_t>(42000, 255)),
          Selection::all(Layout::guess(4)), 2, "full");
    check(Tensor::fromValues<float>(DType::f32, {1, 600, 1, 70}, std::vector<float>(42000, 3)),
          Selection::all(Layout::guess(4)), 2, "constant");
}

void TestQuickAnswers::holdSelections()
{
    const Tensor tensor = spread<float>(DType::f32, {3, 4, 5, 30, 31}, 1);
    Selection selection = Selection::all(Layout::parse("NCDHW", 5));
    check(tensor, selection, 2, "depth");
    selection.fixed[1] = 2;
    check(tensor, selection, 2, "one channel");
    selection.fixed[1].reset();
    selection.fixed[0] = 1;
    selection.fixed[2] = 4;
    check(tensor, selection, 2, "one batch item and depth");
    check(tensor, Selection::all(Layout::parse("N-HWC", 5)), 2, "channels as the last axis");
    check(spread<float>(DType::f32, {50, 61}, 1), Selection::all(Layout::guess(2)), 2, "matrix");
}

void TestQuickAnswers::holdOneRulePerChannel()
{
    const Tensor tensor = spread<float>(DType::f32, {2, 7, 90, 61}, 1);
    const Pair pair(tensor, Selection::all(Layout::guess(4)), 2);
    for (const char* text : {"sigma 1", "percentile 90", "max 0.5", "otsu"}) {
        Where where = Where::parse(text);
        where.perChannel = true;
        const std::string wrong = difference(pair, where);
        QVERIFY2(wrong.empty(), qPrintable(QString::fromStdString(text + (": " + wrong))));
    }
}

void TestQuickAnswers::areTheSameOnEveryTarget()
{
    for (const std::int64_t target : support::vectorTargets()) {
        const support::HeldTarget held(target);
        check(spread<float>(DType::f32, {2, 6, 37, 131}, 1), Selection::all(Layout::guess(4)), 2, "float32");
        check(spread<std::int16_t>(DType::i16, {2, 6, 37, 31}, 100), Selection::all(Layout::guess(4)), 2, "int16");
        check(spread<std::int8_t>(DType::i8, {2, 300, 7, 31}, 30), Selection::all(Layout::guess(4)), 2, "int8");
        support::Random random(8);
        check(support::randomTensor(DType::f64, {2, 5, 20, 31}, support::Strides::contiguous, random),
              Selection::all(Layout::guess(4)), 2, "special values");
    }
}

void TestQuickAnswers::countLargePlanesInChunks()
{
    const Tensor tensor = spread<float>(DType::f32, {1, 2, 1030, 1100}, 1);
    QVERIFY(1030 * 1100 > TensorIndex::mostChunkElements);
    check(tensor, Selection::all(Layout::guess(4)), 2, "large planes");
    check(channelsLast(tensor), Selection::all(Layout::guess(4)), 2, "large planes, channels last");
    const Tensor bytes = channelsLast(spread<std::int8_t>(DType::i8, {2, 3, 400, 1001}, 30));
    QVERIFY(400 * 1001 > 3 * TensorIndex::fewestChunkElements);
    check(bytes, Selection::all(Layout::guess(4)), 2, "bytes, channels last");
}

void TestQuickAnswers::draftsAreNear()
{
    checkDraft(spread<float>(DType::f32, {2, 40, 60, 61}, 1));
    checkDraft(spread<Half>(DType::f16, {2, 40, 60, 61}, 1));
    checkDraft(spread<BFloat16>(DType::bf16, {2, 40, 60, 61}, 1));
    checkDraftOfBytes();
}

void TestQuickAnswers::checkDraft(const Tensor& tensor)
{
    const Pair pair(tensor, Selection::all(Layout::guess(4)), 2);
    Query query;
    query.where = Where::parse(fmt::format("> {:.17g}", pair.quick->nearestStop(0.2)));
    query.heatMaps = {{Reduction::count, false, 1}, {Reduction::sum, false, 1}};
    const Result exact = pair.quick->run(query);
    query.draft = true;
    const Result draft = pair.quick->run(query);
    QVERIFY(exact.mapsAreExact && !draft.mapsAreExact);
    QCOMPARE(draft.counts, exact.counts);
    const auto at = [](const Result& result, std::size_t map, std::int64_t i) {
        double real = 0;
        std::int64_t whole = 0;
        const std::byte* const value = result.heatMaps[map].data() + i * 8;
        std::memcpy(&real, value, sizeof real);
        std::memcpy(&whole, value, sizeof whole);
        return map == 0 ? static_cast<double>(whole) : real;
    };
    double countsApart = 0;
    for (std::int64_t i = 0; i < exact.heatMaps[0].elements(); ++i) {
        countsApart += std::abs(at(draft, 0, i) - at(exact, 0, i));
        // Most values lie within 4: a code is 4 / 190 wide. An element that counts on one side only adds its value.
        QVERIFY(std::abs(at(draft, 1, i) - at(exact, 1, i)) <
                at(exact, 0, i) * 0.02 + std::abs(at(draft, 0, i) - at(exact, 0, i)) * 0.3 + 1.5);
    }
    QVERIFY(countsApart < 0.02 * static_cast<double>(exact.heatMaps[0].elements()) * 40);
}

void TestQuickAnswers::checkDraftOfBytes()
{
    Query query;
    query.draft = true;
    query.heatMaps = {{Reduction::count, false, 1}, {Reduction::sum, false, 1}};
    // A draft of bytes is exact: they are their own codes.
    const Pair bytes(spread<std::int8_t>(DType::i8, {2, 40, 60, 61}, 30), Selection::all(Layout::guess(4)), 2);
    query.where = Where::parse("> 3");
    const Result found = bytes.quick->run(query);
    QVERIFY(found.mapsAreExact);
    query.draft = false;
    const Result expected = bytes.plain->run(query);
    QVERIFY(sameBytes(found.heatMaps[0], expected.heatMaps[0]) && sameBytes(found.heatMaps[1], expected.heatMaps[1]));
}

void TestQuickAnswers::surviveAStop()
{
    const Tensor tensor = spread<float>(DType::f32, {4, 8, 200, 210}, 1);
    const Selection selection = Selection::all(Layout::guess(4));
    const auto plain = makeCpuEngine(1)->load(tensor, selection);
    const auto quick = makeCpuEngine(2)->load(tensor, selection);
    std::stop_source source;
    Job job;
    job.stop = source.get_token();
    job.progress = [&](double done) {
        if (done > 0.3)
            source.request_stop();
    };
    QVERIFY_THROWS_EXCEPTION(Cancelled, quick->buildIndex(job));
    QCOMPARE(quick->nearestStop(0.25), 0.25);
    Query query;
    query.where = Where::parse("> 0.25");
    QCOMPARE(quick->run(query).counts, plain->run(query).counts);
    quick->buildIndex();
    QVERIFY(quick->nearestStop(0.25) != 0.25);
    query.where = Where::parse(fmt::format("> {:.17g}", quick->nearestStop(0.25)));
    QCOMPARE(quick->run(query).counts, plain->run(query).counts);
}

void TestQuickAnswers::comeWhileTheIndexIsBuilt()
{
    const Tensor tensor = spread<float>(DType::f32, {4, 8, 200, 210}, 1);
    const Selection selection = Selection::all(Layout::guess(4));
    const auto plain = makeCpuEngine(1)->load(tensor, selection);
    const auto quick = makeCpuEngine(2)->load(tensor, selection);
    Query query;
    query.where = Where::parse("> 0.25");
    query.heatMaps = {{Reduction::count, false, 2}, {Reduction::max, false, 2}};
    const Result expected = plain->run(query);
    std::atomic<bool> isBuilt = false;
    std::thread builder([&] {
        quick->buildIndex();
        isBuilt = true;
    });
    bool same = true;
    for (bool last = false; !last;) {
        last = isBuilt;
        const Result found = quick->run(query);
        same = same && found.counts == expected.counts && sameBytes(found.heatMaps[0], expected.heatMaps[0]) &&
               sameBytes(found.heatMaps[1], expected.heatMaps[1]);
    }
    builder.join();
    QVERIFY(same);
}

void TestQuickAnswers::zonesHoldEveryValue()
{
    support::Random random(4);
    for (const support::Strides strides : support::allStrides) {
        const Tensor tensor = support::randomTensor(DType::f32, {2, 3, 50, 51}, strides, random);
        const Selection selection = Selection::all(Layout::guess(4));
        const PlaneGrid grid(tensor, selection);
        const FirstScan scan = scanFirst(BlockReader(grid), {true, true}, nullptr, Workers(2), {});
        const auto elements = naive::elements(tensor, selection);
        std::vector<ZoneRange<float>> ranges(6 * 3);
        std::vector<float> largest(2 * 50 * 51, -INFINITY);
        for (const naive::Element& e : elements) {
            const auto value = static_cast<float>(e.re);
            const auto inPlane = static_cast<std::size_t>(e.row * 51 + e.column);
            auto& range = ranges[static_cast<std::size_t>(e.batch * 3 + e.channel) * 3 + inPlane / 1024];
            if (value < range.lowest)
                range.lowest = value;
            if (value > range.highest)
                range.highest = value;
            float& most = largest[static_cast<std::size_t>(e.batch) * 50 * 51 + inPlane];
            most = value > most ? value : most;
        }
        for (std::int64_t plane = 0; plane < 6; ++plane)
            for (std::size_t block = 0; block < 3; ++block) {
                const auto& found = scan.zones.plane<float>(plane)[block];
                const auto& expected = ranges[static_cast<std::size_t>(plane) * 3 + block];
                QVERIFY(found.lowest == expected.lowest && found.highest == expected.highest);
            }
        QVERIFY(std::equal(largest.begin(), largest.end(), scan.maxMap.values<float>()));
    }
}

void TestQuickAnswers::memoryIsKeptToALimit()
{
    const Tensor tensor = spread<float>(DType::f32, {2, 64, 64, 64}, 1);
    const Selection selection = Selection::all(Layout::guess(4));
    const PlaneGrid grid(tensor, selection);
    const MemoryPlan roomy = planMemory(grid, memoryLimit(tensor));
    QVERIFY(roomy.scan.zones && roomy.scan.maxMap && roomy.index.codes && roomy.leftOut.empty());
    const MemoryPlan tight = planMemory(grid, 300'000);
    QVERIFY(!tight.index.codes && tight.scan.maxMap);
    QCOMPARE(tight.leftOut, std::string("codes (1 MB) do not fit beside the tensor: count maps read its values"));
    const MemoryPlan none = planMemory(grid, 0);
    QVERIFY(!none.index.codes && !none.scan.maxMap && !none.scan.zones && none.index.histogramBytes == 0);
    // Codes of 16-bit values are half of the tensor: the rest still fits beside them.
    const Tensor halves = spread<Half>(DType::f16, {1, 1, 32, 32}, 1);
    for (const std::int64_t batches : {1, 4, 16}) {
        const PlaneGrid large(Tensor(DType::f16, {batches, 64, 1024, 1024}, {0, 0, 0, 1}, halves.storage()), selection);
        const MemoryPlan plan = planMemory(large, batches * 64 * 1024 * 1024 + (24 << 20));
        QVERIFY(plan.index.codes && plan.scan.zones && plan.scan.maxMap == (batches < 16));
        QVERIFY(plan.index.histogramBytes >= histogramBytes(large.extents, 2048));
    }
    // An expanded tensor holds less than it shows.
    const Tensor expanded(DType::f32, {1000000, 1000, 64, 64}, {0, 0, 64, 1}, tensor.storage());
    QVERIFY(memoryLimit(expanded) <= static_cast<std::int64_t>(tensor.storage().bytes.size()) / 2 + (24 << 20));
}

QTEST_APPLESS_MAIN(TestQuickAnswers)
#include "test_quick_answers.moc"
