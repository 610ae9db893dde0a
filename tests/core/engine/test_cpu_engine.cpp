// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "core/error.h"
#include "tests/core/engine/cases.h"

#include <QTest>
#include <fmt/format.h>

#include <cstring>

using namespace core;
using naive::Case;
using naive::Element;
using naive::makeCase;

namespace {

/// Equal, or both NaN.
bool same(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

double asDouble(const Scalar& value)
{
    return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

template <class T>
std::vector<T> valuesOf(const Tensor& tensor)
{
    std::vector<T> out(static_cast<std::size_t>(tensor.elements()));
    if (!out.empty())
        std::memcpy(out.data(), tensor.data(), out.size() * sizeof(T));
    return out;
}

std::vector<double> asDoubles(const Tensor& tensor)
{
    std::vector<double> out;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        out.push_back(static_cast<double>(support::realPart(tensor.dtype(), tensor.data() + i * itemSize(tensor.dtype()))));
    return out;
}

const char* randomCondition(DType dtype, support::Random& random)
{
    static const char* real[] = {"> 0.5",        ">= 1",    "< -1.5",     "<= 0", "== 1", "!= 0",   "between -1 2",
                                 "outside -3 3", "abs > 2", "abs >= 1.5", "nan",  "inf",  "finite", "> 1e300"};
    static const char* complex[] = {"== 1", "!= 0", "abs > 2", "abs >= 1.5", "nan", "inf", "finite"};
    return isComplex(dtype) ? complex[random() % std::size(complex)] : real[random() % std::size(real)];
}

#define CHECK(condition, text)                                                                                                 \
    do {                                                                                                                       \
        if (!(condition))                                                                                                      \
            QFAIL(qPrintable(QString::fromStdString(c.name + ", " + text)));                                                   \
    } while (false)

void checkCounts(const Case& c, const Result& result, const std::function<bool(const Element&)>& hot, const std::string& where)
{
    std::vector<std::int64_t> counts(c.planes());
    std::vector<std::vector<double>> values(c.planes(), std::vector<double>(c.planeElements()));
    std::vector<__int128> integers(c.planes());
    for (const Element& e : c.elements) {
        if (!hot(e))
            continue;
        ++counts[c.planeOf(e)];
        values[c.planeOf(e)][c.inPlane(e)] = static_cast<double>(e.magnitude(c.tensor.dtype()));
        if (!isFloating(c.tensor.dtype()) && !isComplex(c.tensor.dtype()))
            integers[c.planeOf(e)] += static_cast<__int128>(e.re);
    }
    CHECK(result.counts == counts, where + ": counts");
    std::int64_t total = 0;
    for (std::size_t plane = 0; plane < c.planes(); ++plane) {
        total += counts[plane];
        if (result.hotSums.empty())
            continue;
        const Sum& sum = result.hotSums[plane];
        CHECK(sum.isInteger ? sum.integer == integers[plane] : same(sum.real, naive::laneSum(values[plane])),
              fmt::format("{}: hot sum of plane {}: {} expected {}", where, plane, sum.toDouble(),
                          naive::laneSum(values[plane])));
    }
    CHECK(result.count == total, where + ": count");
}

void checkMap(const Case& c, const HeatMapQuery& query, const Tensor& map, const std::function<bool(const Element&)>& hot,
              const std::string& where)
{
    const std::size_t batches = query.batch ? 1 : static_cast<std::size_t>(c.extents.batches);
    const std::size_t pixels = batches * c.planeElements();
    std::vector<double> sum(pixels), count(pixels), max(pixels, std::nan("")), absolute(pixels), square(pixels);
    std::vector<std::vector<const Element*>> byPixel(pixels);
    for (const Element& e : c.elements)
        if ((!query.batch || *query.batch == e.batch) && (query.allValues || hot(e)))
            byPixel[static_cast<std::size_t>(query.batch ? 0 : e.batch) * c.planeElements() + c.inPlane(e)].push_back(&e);
    for (std::size_t i = 0; i < pixels; ++i) {
        std::sort(byPixel[i].begin(), byPixel[i].end(),
                  [](const Element* a, const Element* b) { return a->channel < b->channel; });
        for (const Element* e : byPixel[i]) {
            const bool anyNan = isComplex(c.tensor.dtype()) && query.allValues && (std::isnan(e->re) || std::isnan(e->im));
            const double v = anyNan ? std::nan("") : static_cast<double>(e->magnitude(c.tensor.dtype()));
            sum[i] += v;
            absolute[i] += std::abs(v);
            square[i] += v * v;
            max[i] = count[i] == 0 || v > max[i] || std::isnan(v) ? v : max[i];
            ++count[i];
        }
    }
    const std::vector<double> actual = asDoubles(map);
    CHECK(actual.size() == pixels, where + ": size of the map");
    for (std::size_t i = 0; i < pixels; ++i) {
        double expected = 0;
        switch (query.reduction) {
        case Reduction::sum:
            expected = sum[i];
            break;
        case Reduction::count:
            expected = count[i];
            break;
        case Reduction::max:
            expected = max[i];
            break;
        case Reduction::mean:
            expected = count[i] > 0 ? sum[i] / count[i] : std::nan("");
            break;
        case Reduction::l1:
            expected = absolute[i];
            break;
        case Reduction::l2:
            expected = std::sqrt(square[i]);
            break;
        }
        CHECK(same(actual[i], expected), fmt::format("{}: {} map, pixel {}: {} expected {}", where,
                                                     reductionName(query.reduction), i, actual[i], expected));
    }
    const DType dtype = c.tensor.dtype();
    const DType expectedType = query.reduction == Reduction::count                       ? DType::i64
                               : query.reduction != Reduction::max || !isFloating(dtype) ? DType::f64
                               : isFloat8(dtype)                                         ? DType::f32
                                                                                         : dtype;
    CHECK(map.dtype() == expectedType, where + ": dtype of the map");
    Shape shape{static_cast<std::int64_t>(batches), c.extents.height, c.extents.width};
    if (c.extents.hasDepth)
        shape.insert(shape.begin() + 1, c.extents.depth);
    CHECK(map.shape() == shape, where + ": shape of the map " + shapeText(map.shape()));
}

void checkMask(const Case& c, PlaneIndex plane, const Tensor& mask, const std::function<bool(const Element&)>& hot,
               const std::string& where)
{
    std::vector<std::uint8_t> expected(c.planeElements());
    for (const Element& e : c.elements)
        if (e.batch == plane.batch && e.channel == plane.channel)
            expected[c.inPlane(e)] = hot(e);
    CHECK(mask.dtype() == DType::boolean && valuesOf<std::uint8_t>(mask) == expected, where + ": mask");
}

/// Expected rows: hot elements in own order.
void checkRows(const Case& c, const Coordinates& rows, const RowWindow& window, const std::function<bool(const Element&)>& hot,
               const std::string& where)
{
    std::vector<std::int64_t> indices;
    std::vector<double> values;
    std::int64_t row = 0;
    for (const Element& e : c.elements) {
        if (!hot(e))
            continue;
        if (row >= window.first && row < window.first + window.count) {
            indices.insert(indices.end(), e.indices.begin(), e.indices.end());
            values.push_back(static_cast<double>(e.magnitude(c.tensor.dtype())));
        }
        ++row;
    }
    CHECK(rows.indices == indices, where + ": coordinates");
    CHECK(rows.values.size() == values.size() && rows.rank == c.tensor.rank() && rows.firstRow == window.first,
          where + ": rows");
    for (std::size_t i = 0; i < values.size(); ++i)
        CHECK(same(asDouble(rows.values[i]), values[i]), fmt::format("{}: value of row {}", where, i));
}

void checkStatistics(const Case& c, const LoadedTensor& loaded)
{
    const DType dtype = c.tensor.dtype();
    std::vector<Statistics> expected(c.planes());
    std::vector<std::vector<double>> values(c.planes(), std::vector<double>(c.planeElements()));
    std::vector<std::vector<long double>> finite(c.planes());
    for (const Element& e : c.elements) {
        Statistics& s = expected[c.planeOf(e)];
        const bool isNan = std::isnan(e.re) || std::isnan(e.im);
        const bool isInf = !isNan && (std::isinf(e.re) || std::isinf(e.im));
        s.nan += isNan;
        s.positiveInf += isInf && (isComplex(dtype) || e.re > 0);
        s.negativeInf += isInf && !isComplex(dtype) && e.re < 0;
        s.zeros += e.re == 0 && e.im == 0;
        if (isNan || isInf)
            continue;
        values[c.planeOf(e)][c.inPlane(e)] = static_cast<double>(e.re);
        finite[c.planeOf(e)].push_back(e.re);
    }
    const std::vector<Statistics>& actual = loaded.planeStatistics();
    CHECK(actual.size() == c.planes(), "number of planes");
    for (std::size_t plane = 0; plane < c.planes(); ++plane) {
        const Statistics& a = actual[plane];
        const Statistics& x = expected[plane];
        const std::vector<long double>& v = finite[plane];
        CHECK(a.elements == c.extents.planeElements() && a.finite == static_cast<std::int64_t>(v.size()) && a.nan == x.nan &&
                  a.positiveInf == x.positiveInf && a.negativeInf == x.negativeInf && a.zeros == x.zeros,
              fmt::format("counts of plane {}", plane));
        CHECK(a.ordered == !isComplex(dtype), "ordered");
        if (isComplex(dtype) || v.empty()) {
            CHECK(!a.min && !a.max && !a.mean && !a.std, "statistics of nothing");
            continue;
        }
        long double sum = 0;
        __int128 integerSum = 0;
        for (const long double value : v) {
            sum += value;
            integerSum += isFloating(dtype) ? 0 : static_cast<__int128>(value);
        }
        const long double mean = sum / v.size();
        long double squares = 0;
        for (const long double value : v)
            squares += (value - mean) * (value - mean);
        const double std = static_cast<double>(std::sqrt(squares / v.size()));
        CHECK(asDouble(*a.min) == static_cast<double>(*std::min_element(v.begin(), v.end())), "min");
        CHECK(asDouble(*a.max) == static_cast<double>(*std::max_element(v.begin(), v.end())), "max");
        CHECK(a.sum.isInteger == !isFloating(dtype), "kind of the sum");
        CHECK(a.sum.isInteger ? a.sum.integer == integerSum : a.sum.real == naive::laneSum(values[plane]), "sum");
        long double absolute = 0;
        for (const long double value : v)
            absolute += std::abs(value) / v.size();
        CHECK(std::abs(*a.mean - static_cast<double>(mean)) <= 1e-12 * static_cast<double>(absolute), "mean");
        CHECK(std::abs(*a.std - std) <= 1e-11 * std + 1e-300, fmt::format("std {} expected {}", *a.std, std));
    }
}

} // namespace

class TestCpuEngine : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void naiveLoops_data()
    {
        QTest::addColumn<int>("dtype");
        for (const DType dtype : support::allDTypes)
            QTest::newRow(std::string(dtypeName(dtype)).c_str()) << static_cast<int>(dtype);
    }
    /// Every output against plain loops, over strides, shapes, layouts, selections and conditions.
    void naiveLoops()
    {
        QFETCH(int, dtype);
        const auto engine = makeCpuEngine(2);
        for (std::uint64_t i = 0; i < 140; ++i) {
            const support::Strides strides = support::allStrides[i % std::size(support::allStrides)];
            const Case c = makeCase(1000 * static_cast<std::uint64_t>(dtype) + i, static_cast<DType>(dtype), strides);
            const auto loaded = engine->load(c.tensor, c.selection);
            checkStatistics(c, *loaded);
            if (!QTest::currentTestFailed())
                checkQuery(c, *loaded);
            if (QTest::currentTestFailed())
                return;
        }
    }

private:
    static void checkQuery(const Case& c, const LoadedTensor& loaded)
    {
        support::Random random(c.seed);
        const std::string where = randomCondition(c.tensor.dtype(), random);
        const auto hot = naive::test(where, c.tensor.dtype());
        Query query;
        query.where = Where::parse(where);
        query.where.comparison = Comparison::exact;
        query.hotSums = random() % 2;
        for (const Reduction reduction :
             {Reduction::sum, Reduction::count, Reduction::max, Reduction::mean, Reduction::l1, Reduction::l2})
            if (random() % 2) {
                query.heatMaps.push_back({reduction, random() % 3 == 0, std::nullopt});
                if (c.extents.batches > 0 && random() % 2)
                    query.heatMaps.back().batch =
                        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(c.extents.batches));
            }
        if (c.planes() > 0)
            query.masks.push_back(
                {c.extents.batches - 1, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(c.extents.channels))});
        query.rows = RowWindow{static_cast<std::int64_t>(random() % 30), static_cast<std::int64_t>(random() % 80)};
        const Result result = loaded.run(query);
        checkCounts(c, result, hot, where);
        for (std::size_t i = 0; i < query.heatMaps.size() && !QTest::currentTestFailed(); ++i)
            checkMap(c, query.heatMaps[i], result.heatMaps[i], hot, where);
        for (std::size_t i = 0; i < query.masks.size() && !QTest::currentTestFailed(); ++i)
            checkMask(c, query.masks[i], result.masks[i], hot, where);
        if (!QTest::currentTestFailed())
            checkRows(c, *result.rows, *query.rows, hot, where);
        Coordinates all;
        all.rank = c.tensor.rank();
        loaded.coordinates(query.where, true, [&](const RowBlock& block) {
            all.indices.insert(all.indices.end(), block.indices.begin(), block.indices.end());
            all.values.insert(all.values.end(), block.values.begin(), block.values.end());
            return block.rows == static_cast<std::int64_t>(block.values.size());
        });
        if (!QTest::currentTestFailed())
            checkRows(c, all, {0, 1 << 30}, hot, where + ", streamed");
    }
};

QTEST_GUILESS_MAIN(TestCpuEngine)
#include "test_cpu_engine.moc"
