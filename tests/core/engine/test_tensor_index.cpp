// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/tensor_index.h"

#include "core/engine/statistics.h"
#include "core/engine/value_keys.h"

#include <QtTest>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>

using namespace core;

namespace {

enum class Kind { smooth, constant, outliers, few, special };

double draw(Kind kind, std::mt19937_64& random)
{
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
    switch (kind) {
    case Kind::smooth:
        return uniform + static_cast<double>(random() >> 11) * 0x1p-53 - 1;
    case Kind::constant:
        return 5;
    case Kind::outliers:
        return random() % 1000 == 0 ? uniform * 1e30 : uniform * 0.01;
    case Kind::few:
        return static_cast<double>(random() % 3) - 1;
    default: {
        constexpr double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 3e38, -3e38, 1e-45, 1.0};
        return random() % 2 ? special[random() % 9] : uniform;
    }
    }
}

template <class Stored>
Stored store(double value)
{
    if constexpr (std::is_same_v<Stored, Half>)
        return toHalf(value);
    else if constexpr (std::is_same_v<Stored, BFloat16>)
        return toBFloat16(static_cast<float>(value));
    else if constexpr (std::is_floating_point_v<Stored>)
        return static_cast<Stored>(value);
    else
        return std::isfinite(value) ? static_cast<Stored>(static_cast<std::int64_t>(std::clamp(value, -1e15, 1e15) * 37))
                                    : Stored{};
}

/// Bits as 8-bit floats take them.
template <>
Float8 store<Float8>(double value)
{
    return {static_cast<std::uint8_t>(std::isnan(value) ? 0x7f : static_cast<int>(std::clamp(value, -1.0, 1.0) * 120))};
}

template <class Stored>
Tensor makeTensor(DType dtype, const Shape& shape, Kind kind)
{
    std::mt19937_64 random(11);
    std::vector<Stored> values(static_cast<std::size_t>(elementCount(shape)));
    for (Stored& value : values)
        value = store<Stored>(draw(kind, random));
    return Tensor::fromValues<Stored>(dtype, shape, values);
}

/// Values of a tensor in its own order, widened; integers exactly.
template <class Stored>
std::vector<long double> valuesOf(const Tensor& tensor)
{
    std::vector<long double> out;
    const Tensor dense = tensor.toContiguous();
    for (std::int64_t i = 0; i < dense.elements(); ++i) {
        Stored value;
        std::memcpy(&value, dense.data() + i * static_cast<std::int64_t>(sizeof value), sizeof value);
        if constexpr (std::is_same_v<Stored, Float8>)
            out.push_back(float8ToFloat(tensor.dtype(), value.bits));
        else if constexpr (std::is_same_v<Stored, Half> || std::is_same_v<Stored, BFloat16>)
            out.push_back(toFloat(value));
        else
            out.push_back(value);
    }
    return out;
}

bool meets(long double value, const Condition& condition)
{
    const auto a = static_cast<long double>(condition.a.real);
    switch (condition.kind) {
    case ConditionKind::gt:
        return value > a;
    case ConditionKind::ge:
        return value >= a;
    case ConditionKind::lt:
        return value < a;
    case ConditionKind::le:
        return value <= a;
    case ConditionKind::nan:
        return value != value;
    case ConditionKind::finite:
        return std::isfinite(value);
    case ConditionKind::inf:
        return std::isinf(value);
    case ConditionKind::outside:
        return value < a || value > static_cast<long double>(condition.b.real);
    default:
        return value != a;
    }
}

struct Built
{
    Tensor tensor;
    Selection selection;
    PlaneGrid grid;
    Workers workers{2};
    BlockReader reader{grid};
    Statistics all;
    std::shared_ptr<const TensorIndex> index;

    explicit Built(Tensor of, std::int64_t budget = 1 << 28)
        : tensor(std::move(of)), selection(Selection::all(Layout::guess(tensor.rank()))), grid(tensor, selection)
    {
        std::vector<const PlaneStatistics*> pointers;
        const auto planes = scanPlanes(reader, workers, {});
        for (const PlaneStatistics& plane : planes)
            pointers.push_back(&plane);
        all = combine(pointers).values;
        index = buildTensorIndex(reader, all, {budget, true, nullptr}, workers, {});
    }
};

/// Every answer of the index equals a count, one by one; returns how many conditions it answered.
template <class Stored>
int check(const Built& built, const std::vector<Condition>& conditions)
{
    int answered = 0;
    const auto values = valuesOf<Stored>(built.tensor);
    const auto planes = static_cast<std::size_t>(built.grid.extents.planes());
    const std::size_t elements = values.size() / planes;
    for (const Condition& condition : conditions) {
        const auto counts = built.index->counts(HotTest(built.tensor.dtype(), Comparison::exact, {condition}));
        if (!counts)
            continue;
        ++answered;
        for (std::size_t plane = 0; plane < planes; ++plane) {
            std::int64_t expected = 0;
            for (std::size_t i = 0; i < elements; ++i)
                expected += meets(values[plane * elements + i], condition);
            if ((*counts)[plane] != expected) {
                qWarning("kind %d a %.17g plane %zu", static_cast<int>(condition.kind), condition.a.real, plane);
                QTest::qFail("counts differ", __FILE__, __LINE__);
                return answered;
            }
        }
    }
    return answered;
}

Condition make(ConditionKind kind, double a, double b = 0)
{
    return {kind, Number::fromReal(a), Number::fromReal(b)};
}

template <class Stored>
void checkDType(DType dtype, Kind kind, const Shape& shape)
{
    const Built built(makeTensor<Stored>(dtype, shape, kind));
    if (!built.index) {
        QVERIFY(!built.all.min);
        return;
    }
    const auto stops = built.index->stops();
    QVERIFY(!stops.empty());
    QVERIFY(std::is_sorted(stops.begin(), stops.end()));
    std::vector<Condition> conditions;
    for (const double stop : stops)
        conditions.push_back(make(ConditionKind::gt, stop));
    // Beyond 2^53 a stop as float64 may be another integer.
    const bool isExact = std::abs(stops.front()) < 0x1p53 && std::abs(stops.back()) < 0x1p53;
    const int answered = check<Stored>(built, conditions);
    if (isExact || isFloating(dtype))
        QCOMPARE(answered, static_cast<int>(stops.size()));
    std::vector<Condition> others = {
        make(ConditionKind::nan, 0),       make(ConditionKind::finite, 0),     make(ConditionKind::inf, 0),
        make(ConditionKind::ne, 0),        make(ConditionKind::gt, -INFINITY), make(ConditionKind::gt, INFINITY),
        make(ConditionKind::ge, INFINITY), make(ConditionKind::lt, 1e300),     make(ConditionKind::le, -INFINITY),
        make(ConditionKind::gt, 0.5),      make(ConditionKind::ge, 0),         make(ConditionKind::lt, 0)};
    for (std::size_t i = 0; i < stops.size(); i += 1 + stops.size() / 8) {
        others.push_back(make(ConditionKind::le, stops[i]));
        others.push_back(make(ConditionKind::ge, stops[i]));
        others.push_back(make(ConditionKind::gt, stops[i] + 1e-3));
        others.push_back(make(ConditionKind::outside, stops[i], stops.back()));
    }
    check<Stored>(built, others);
}

void checkAll(Kind kind, const Shape& shape)
{
    checkDType<std::uint8_t>(DType::boolean, kind == Kind::smooth ? Kind::constant : kind, shape);
    checkDType<std::uint8_t>(DType::u8, kind, shape);
    checkDType<std::int8_t>(DType::i8, kind, shape);
    checkDType<std::uint16_t>(DType::u16, kind, shape);
    checkDType<std::int16_t>(DType::i16, kind, shape);
    checkDType<std::uint32_t>(DType::u32, kind, shape);
    checkDType<std::int32_t>(DType::i32, kind, shape);
    checkDType<std::uint64_t>(DType::u64, kind, shape);
    checkDType<std::int64_t>(DType::i64, kind, shape);
    checkDType<Half>(DType::f16, kind, shape);
    checkDType<BFloat16>(DType::bf16, kind, shape);
    checkDType<float>(DType::f32, kind, shape);
    checkDType<double>(DType::f64, kind, shape);
    checkDType<Float8>(DType::f8e4m3fn, kind, shape);
}

} // namespace

class TestTensorIndex : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void countsEqualScans_data();
    void countsEqualScans();
    void seesPermutedPlanes();
    void splitsLargePlanes();
    void keepsToItsBudget();
    void helpsOnlyWhereItCan();
    void stopsAreSpreadOverTheBulk();
    void stepsBetweenStops();
    void obeysAStop();
    void engineAnswersTheSameWithIt();
    void keysKeepOrder();
};

void TestTensorIndex::countsEqualScans_data()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("smooth") << static_cast<int>(Kind::smooth);
    QTest::newRow("constant") << static_cast<int>(Kind::constant);
    QTest::newRow("outliers") << static_cast<int>(Kind::outliers);
    QTest::newRow("few values") << static_cast<int>(Kind::few);
    QTest::newRow("special") << static_cast<int>(Kind::special);
}

void TestTensorIndex::countsEqualScans()
{
    QFETCH(int, kind);
    checkAll(static_cast<Kind>(kind), {2, 3, 20, 31});
    checkAll(static_cast<Kind>(kind), {1, 2, 3, 1});
}

void TestTensorIndex::seesPermutedPlanes()
{
    // Channels-last memory: planes are strided.
    const Tensor dense = makeTensor<float>(DType::f32, {2, 40, 50, 3}, Kind::smooth);
    const Tensor view(DType::f32, {2, 3, 40, 50}, {6000, 1, 150, 3}, dense.storage());
    const Built built(view);
    std::vector<Condition> conditions;
    for (const double stop : built.index->stops())
        conditions.push_back(make(ConditionKind::gt, stop));
    QCOMPARE(check<float>(built, conditions), static_cast<int>(conditions.size()));
}

void TestTensorIndex::splitsLargePlanes()
{
    const Built built(makeTensor<float>(DType::f32, {1, 1, 400, 500}, Kind::special));
    std::vector<Condition> conditions;
    const auto stops = built.index->stops();
    for (std::size_t i = 0; i < stops.size(); i += 97)
        conditions.push_back(make(ConditionKind::gt, stops[i]));
    QCOMPARE(check<float>(built, conditions), static_cast<int>(conditions.size()));
}

void TestTensorIndex::keepsToItsBudget()
{
    const Tensor tensor = makeTensor<float>(DType::f32, {4, 8, 64, 64}, Kind::smooth);
    const Built roomy(tensor);
    QCOMPARE(roomy.index->bytes(), 32 * (1024 + 2) * 4);
    const Built tight(tensor, 40000);
    QVERIFY(tight.index->bytes() <= 40000);
    QVERIFY(tight.index->stops().size() > 200);
    QVERIFY(!Built(tensor, 1000).index);
}

void TestTensorIndex::helpsOnlyWhereItCan()
{
    const Built complex(Tensor::fromValues<std::complex<float>>(DType::c64, {1, 1, 1, 2}, {{1, 2}, {3, 4}}));
    QVERIFY(!complex.index);
    const Built nothingFinite(Tensor::fromValues<float>(DType::f32, {1, 1, 1, 2}, {NAN, INFINITY}));
    QVERIFY(!nothingFinite.index);
    // 8-bit values are their own codes.
    QVERIFY(!Built(makeTensor<std::int8_t>(DType::i8, {1, 2, 8, 8}, Kind::smooth)).index->codes());
    QVERIFY(Built(makeTensor<Half>(DType::f16, {1, 2, 8, 8}, Kind::smooth)).index->codes());
    QVERIFY(Built(makeTensor<BFloat16>(DType::bf16, {1, 2, 8, 8}, Kind::smooth)).index->codes());
    QVERIFY(Built(makeTensor<std::int16_t>(DType::i16, {1, 2, 8, 8}, Kind::smooth)).index->codes());
    QVERIFY(Built(makeTensor<std::uint16_t>(DType::u16, {1, 2, 8, 8}, Kind::few)).index->codes());
    const Built empty(Tensor::fromValues<float>(DType::f32, {2, 0, 3, 4}, {}));
    QVERIFY(!empty.index);
    // One threshold per channel: all of them have to be edges.
    const Built usual(makeTensor<float>(DType::f32, {1, 2, 8, 8}, Kind::smooth));
    const Condition low = make(ConditionKind::gt, usual.index->stops()[3]);
    const Condition high = make(ConditionKind::gt, usual.index->stops()[9]);
    const auto ofLow = usual.index->counts(HotTest(DType::f32, Comparison::torch, {low}));
    const auto ofHigh = usual.index->counts(HotTest(DType::f32, Comparison::torch, {high}));
    const auto ofBoth = usual.index->counts(HotTest(DType::f32, Comparison::torch, {low, high}));
    QVERIFY(ofLow && ofHigh && ofBoth);
    QVERIFY((*ofBoth)[0] == (*ofLow)[0] && (*ofBoth)[1] == (*ofHigh)[1]);
    QVERIFY(!usual.index->counts(HotTest(DType::f32, Comparison::torch, {low, make(ConditionKind::gt, 1e-9)})));
}

void TestTensorIndex::stopsAreSpreadOverTheBulk()
{
    // One value of 1e6 among numbers around 0: most stops still lie where the numbers are.
    std::mt19937_64 random(3);
    std::vector<float> values(64 * 64 * 4);
    for (float& value : values)
        value = static_cast<float>(draw(Kind::smooth, random));
    values[777] = 1e6f;
    const Built built(Tensor::fromValues<float>(DType::f32, {1, 4, 64, 64}, values));
    const auto stops = built.index->stops();
    QVERIFY(std::count_if(stops.begin(), stops.end(), [](double stop) { return std::abs(stop) < 1; }) > 500);
    QCOMPARE(stops.back(), 1e6);
}

void TestTensorIndex::stepsBetweenStops()
{
    const std::vector<double> stops = {-1, 0, 0.5, 4};
    QCOMPARE(nearestStop(stops, 0.2), 0.0);
    QCOMPARE(nearestStop(stops, 0.3), 0.5);
    QCOMPARE(nearestStop(stops, -9), -1.0);
    QCOMPARE(nearestStop(stops, 9), 4.0);
    QCOMPARE(stepStop(stops, 0.1, 1), 0.5);
    QCOMPARE(stepStop(stops, 0.5, -2), -1.0);
    QCOMPARE(stepStop(stops, 0.5, 100), 4.0);
    QCOMPARE(stepStop(stops, 0.5, std::numeric_limits<std::int64_t>::min()), -1.0);
    QCOMPARE(nearestStop({}, 0.25), 0.25);
    QCOMPARE(stepStop({}, 0.25, 3), 0.25);
    // Without stops a step is a part of the range, which may be more than a number holds.
    Statistics all;
    all.min = -1.5e308;
    all.max = 1.5e308;
    QCOMPARE(stepByRange(all, 5e305, 1), 5e305 + 3 * (1e308 / 512));
    QCOMPARE(stepByRange(all, 7, 0), 7.0);
}

void TestTensorIndex::obeysAStop()
{
    const Tensor tensor = makeTensor<float>(DType::f32, {2, 3, 40, 50}, Kind::smooth);
    const Built built(tensor);
    std::stop_source source;
    source.request_stop();
    QVERIFY_THROWS_EXCEPTION(Cancelled, (void)buildTensorIndex(built.reader, built.all, {1 << 28, true, nullptr}, built.workers,
                                                               Job{source.get_token(), {}}));
}

void TestTensorIndex::engineAnswersTheSameWithIt()
{
    const Tensor tensor = makeTensor<float>(DType::f32, {3, 4, 40, 50}, Kind::special);
    const auto engine = makeCpuEngine(2);
    const Selection selection = Selection::all(Layout::guess(4));
    const auto plain = engine->load(tensor, selection);
    const auto indexed = engine->load(tensor, selection);
    indexed->buildIndex();
    QVERIFY(indexed->nearestStop(0.3) != 0.3);
    QCOMPARE(plain->nearestStop(0.3), 0.3);
    for (const double value : {-1.0, 0.0, 0.3, indexed->nearestStop(0.3), indexed->stepStop(0.3, 100), 2.0}) {
        Query query;
        query.where.condition = make(ConditionKind::gt, value);
        query.heatMaps = {{Reduction::sum, false, 1}, {Reduction::max, false, {}}};
        query.masks = {{2, 1}};
        query.rows = RowWindow{2000, 70};
        const Result expected = plain->run(query);
        const Result found = indexed->run(query);
        QCOMPARE(found.counts, expected.counts);
        QCOMPARE(found.count, expected.count);
        QVERIFY(found.rows->indices == expected.rows->indices);
        for (std::size_t i = 0; i < 2; ++i)
            QVERIFY(std::equal(found.heatMaps[i].data(), found.heatMaps[i].data() + found.heatMaps[i].bytes(),
                               expected.heatMaps[i].data()));
        QVERIFY(std::equal(found.masks[0].data(), found.masks[0].data() + 2000, expected.masks[0].data()));
    }
}

void TestTensorIndex::keysKeepOrder()
{
    const std::vector<float> ascending = {-INFINITY, -3.4e38f, -1, -1e-45f, -0.0f, 0.0f, 1e-45f, 1, 3.4e38f, INFINITY};
    for (std::size_t i = 1; i < ascending.size(); ++i)
        QVERIFY(keyOf(ascending[i - 1]) < keyOf(ascending[i]));
    QCOMPARE(firstKeyFrom<float>(0.0f), keyOf(-0.0f));
    QCOMPARE(lastKeyTo<float>(-0.0f), keyOf(0.0f));
    QVERIFY(keyOf(std::uint64_t{0}) < keyOf(std::uint64_t{1} << 63));
    for (int bits = 0; bits < 65536; ++bits) {
        const Half half{static_cast<std::uint16_t>(bits)};
        QCOMPARE(valueOfKey<Half>(keyOf(half)).bits, half.bits);
        if (std::isfinite(toFloat(half)) && toFloat(half) != 0) {
            QCOMPARE(firstKeyFrom<Half>(toFloat(half)), keyOf(half));
            QCOMPARE(firstKeyFrom<Half>(std::nextafter(toFloat(half), INFINITY)), keyOf(half) + 1);
            QCOMPARE(lastKeyTo<Half>(std::nextafter(toFloat(half), -INFINITY)), keyOf(half) - 1);
        }
    }
}

QTEST_GUILESS_MAIN(TestTensorIndex)
#include "test_tensor_index.moc"
