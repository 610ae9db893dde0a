// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "tests/support/random_tensor.h"
#include "tests/support/torch_reference.h"

#include <QTest>
#include <fmt/format.h>

#include <cmath>

using namespace core;

namespace {

const char* const thresholds[] = {"0",
                                  "1",
                                  "-1",
                                  "2",
                                  "300",
                                  "-129",
                                  "0.5",
                                  "0.1",
                                  "-0.25",
                                  "1.5",
                                  "16777216.5",
                                  "65504.0",
                                  "1e300",
                                  "inf",
                                  "-inf",
                                  "1e-40",
                                  "9223372036854775807",
                                  "0.09997558594"};
const char* const operators[] = {">", ">=", "<", "<=", "==", "!="};

struct Drawn
{
    Tensor tensor;
    std::string name;
};

Drawn draw(DType dtype, std::uint64_t seed)
{
    static const Shape shapes[] = {{},
                                   {1000},
                                   {40, 50},
                                   {3, 20, 30},
                                   {2, 5, 17, 23},
                                   {2, 3, 4, 5, 6},
                                   {0, 3, 4, 4},
                                   {2, 2, 2, 2, 2, 2, 3},
                                   {1, 1, 300, 400}};
    support::Random random(seed);
    const support::Strides strides = support::allStrides[random() % std::size(support::allStrides)];
    const Shape& shape = shapes[random() % std::size(shapes)];
    return {support::randomTensor(dtype, shape, strides, random),
            fmt::format("seed {}: {} {} {}", seed, dtypeName(dtype), shapeText(shape), support::stridesName(strides))};
}

/// All axes analysed: more than five would be held, so the leading ones are merged by taking the tensor as a row of elements.
Selection whole(const Tensor& tensor)
{
    Selection selection = Selection::all(Layout::guess(tensor.rank()));
    for (std::size_t axis = 0; axis < selection.fixed.size(); ++axis)
        if (selection.fixed[axis])
            selection.fixed[axis] = tensor.shape()[axis] - 1;
    return selection;
}

/// Rows of LibTorch's nonzero that lie in the selected part.
std::vector<std::int64_t> selectedRows(const std::vector<std::int64_t>& rows, const Selection& selection)
{
    const std::size_t rank = selection.fixed.size();
    std::vector<std::int64_t> out;
    for (std::size_t row = 0; rank > 0 && row < rows.size() / rank; ++row) {
        bool isSelected = true;
        for (std::size_t axis = 0; axis < rank; ++axis)
            isSelected = isSelected && selection.fixed[axis].value_or(rows[row * rank + axis]) == rows[row * rank + axis];
        if (isSelected)
            out.insert(out.end(), rows.begin() + static_cast<std::ptrdiff_t>(row * rank),
                       rows.begin() + static_cast<std::ptrdiff_t>((row + 1) * rank));
    }
    return out;
}

void compareRows(const Drawn& drawn, const LoadedTensor& loaded, const std::string& where)
{
    const Where parsed = Where::parse(where);
    std::vector<std::int64_t> rows;
    std::int64_t count = 0;
    loaded.coordinates(parsed, false, [&](const RowBlock& block) {
        rows.insert(rows.end(), block.indices.begin(), block.indices.end());
        count += block.rows;
        return true;
    });
    const std::vector<std::int64_t> expected =
        selectedRows(torch_reference::nonzero(drawn.tensor, parsed.condition), loaded.selection());
    if (rows != expected)
        QFAIL(qPrintable(
            QString::fromStdString(fmt::format("{}, {}: {} rows, LibTorch {}", drawn.name, where, count, expected.size()))));
    Query query;
    query.where = parsed;
    QCOMPARE(loaded.run(query).count, count);
}

} // namespace

class TestAgainstTorch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qInfo("LibTorch %s", torch_reference::prepare().c_str()); }

    void conditions_data() { dtypes(); }
    /// The elements that LibTorch's comparison and nonzero name, in their order.
    void conditions()
    {
        QFETCH(int, dtype);
        const auto engine = makeCpuEngine(2);
        for (std::uint64_t i = 0; i < 25; ++i) {
            const Drawn drawn = draw(static_cast<DType>(dtype), 5000 * static_cast<std::uint64_t>(dtype) + i);
            if (!torch_reference::hasOrder(drawn.tensor.dtype()))
                QSKIP("LibTorch has no order on this dtype");
            const auto loaded = engine->load(drawn.tensor, whole(drawn.tensor));
            for (std::size_t k = 0; k < std::size(operators); ++k)
                compareRows(drawn, *loaded,
                            fmt::format("{} {}", operators[k], thresholds[(i * 7 + k) % std::size(thresholds)]));
            for (const char* where : {"nan", "inf", "finite"})
                compareRows(drawn, *loaded, where);
            if (isFloating(drawn.tensor.dtype()))
                compareRows(drawn, *loaded, fmt::format("abs > {}", thresholds[i % std::size(thresholds)]));
            if (QTest::currentTestFailed())
                return;
        }
    }

    void complex()
    {
        const auto engine = makeCpuEngine(2);
        for (const DType dtype : {DType::c64, DType::c128})
            for (std::uint64_t i = 0; i < 30; ++i) {
                const Drawn drawn = draw(dtype, 777 + i);
                const auto loaded = engine->load(drawn.tensor, whole(drawn.tensor));
                for (const char* where : {"== 0", "== 1", "!= 0.5", "nan", "inf", "finite"})
                    compareRows(drawn, *loaded, where);
                for (const char* where : {"abs > 1", "abs >= 2.5", "abs > 0.1"})
                    compareRows(drawn, *loaded, where);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    void numbers_data() { dtypes(); }
    /// Sums within 1e-12 of the sum of magnitudes, integers exactly; minimum, maximum and quantiles exactly.
    void numbers()
    {
        QFETCH(int, dtype);
        const auto type = static_cast<DType>(dtype);
        if (isComplex(type))
            QSKIP("complex values have no order");
        const auto engine = makeCpuEngine(2);
        for (std::uint64_t i = 0; i < 25; ++i) {
            Drawn drawn = draw(type, 9000 * static_cast<std::uint64_t>(dtype) + i);
            if (drawn.tensor.rank() > 5)
                continue;
            const auto loaded = engine->load(drawn.tensor, whole(drawn.tensor));
            const Statistics s = loaded->statistics();
            const double percent = static_cast<double>(i * 13 % 101);
            const auto expected = torch_reference::numbers(drawn.tensor, percent / 100);
            const auto fail = [&](const char* what, double a, double b) {
                return qPrintable(QString::fromStdString(fmt::format("{}: {} {}, LibTorch {}", drawn.name, what, a, b)));
            };
            QCOMPARE(s.min.has_value(), expected.has_value());
            if (!expected)
                continue;
            const double near = 1e-12 * expected->absoluteSum;
            QVERIFY2(std::abs(s.sum.toDouble() - expected->sum) <= near, fail("sum", s.sum.toDouble(), expected->sum));
            const auto real = [](const Scalar& v) { return std::visit([](auto x) { return static_cast<double>(x); }, v); };
            QVERIFY2(real(*s.min) == expected->min, fail("min", real(*s.min), expected->min));
            QVERIFY2(real(*s.max) == expected->max, fail("max", real(*s.max), expected->max));
            const double n = static_cast<double>(s.finite);
            QVERIFY2(std::abs(*s.mean - expected->mean) <= near / n, fail("mean", *s.mean, expected->mean));
            QVERIFY2(std::abs(*s.std - expected->std) <= 1e-11 * (expected->std + std::abs(expected->mean)),
                     fail("std", *s.std, expected->std));
            Query query;
            query.where = Where::parse(fmt::format("percentile {}", percent));
            query.where.comparison = Comparison::exact;
            const double threshold = *loaded->run(query).thresholds[0].a;
            QVERIFY2(threshold == expected->quantile, fail("quantile", threshold, expected->quantile));
            if (isInteger(type) && isSigned(type))
                QVERIFY2(static_cast<std::int64_t>(s.sum.integer) == torch_reference::integerSum(drawn.tensor),
                         fail("integer sum", 0, 0));
        }
    }

    /// Heat maps of hot values are the channel sums of where(x > t, x.double(), 0), to rounding.
    void channelSums()
    {
        support::Random random(31);
        for (const DType dtype : {DType::f32, DType::f16, DType::i32, DType::u8}) {
            const Tensor tensor = support::randomTensor(dtype, {2, 37, 21, 33}, support::Strides::channelsLast, random, false);
            Query query;
            query.where = Where::parse("> 1");
            query.heatMaps = {{Reduction::sum, false, std::nullopt}};
            const Result result = makeCpuEngine(2)->load(tensor, Selection::all(Layout::guess(4)))->run(query);
            const std::vector<double> expected = torch_reference::channelSums(tensor, query.where.condition);
            const auto* actual = reinterpret_cast<const double*>(result.heatMaps[0].data());
            for (std::size_t i = 0; i < expected.size(); ++i)
                QVERIFY(std::abs(actual[i] - expected[i]) <= 1e-12 * std::abs(expected[i]));
        }
    }

private:
    static void dtypes()
    {
        QTest::addColumn<int>("dtype");
        for (const DType dtype : support::allDTypes)
            QTest::newRow(std::string(dtypeName(dtype)).c_str()) << static_cast<int>(dtype);
    }
};

QTEST_GUILESS_MAIN(TestAgainstTorch)
#include "test_against_torch.moc"
