// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "tests/core/engine/naive.h"
#include "tests/support/random_tensor.h"
#include "tests/support/shape_cases.h"

#include <QtTest>
#include <fmt/format.h>

#include <cstring>

using namespace core;

/// Planes of several tiles and blocks, in every order of memory and of axes: all answers have the bits that a contiguous copy
/// of the tensor gives, and coordinates are those of a plain loop.
namespace {

const support::ShapeCase largeCases[] = {
    {{3, 5, 70, 67}, "NCHW"},
    {{4, 16, 64, 128}, "NCHW"},
    {{9, 3, 65, 64}, "NCHW"},
    {{2, 3, 4, 40, 41}, "NCDHW"},
    {{70, 67, 5}, "HWC"},
    {{2, 70, 67, 3}, "NHWC"},
    {{66, 2, 65, 3}, "HNWC"},
    {{5, 2, 66, 65}, "CNWH"},
    {{3, 66, 2, 65}, "CHNW"},
    {{2, 80, 90, 4}, "CHWN"},
    {{4, 17, 19, 15, 3}, "NDHWC"},
    {{130, 140}, "WH"},
    // Slices of whole tiles between each other's elements.
    {{2, 64, 64, 70}, "CHWD"},
    {{3, 64, 2, 64, 5}, "CWNHD"},
};

/// The elements in row-major order, whatever the order of memory.
bool sameBytes(const Tensor& found, const Tensor& b)
{
    const Tensor a = found.toContiguous();
    return a.dtype() == b.dtype() && a.shape() == b.shape() && std::equal(a.data(), a.data() + a.bytes(), b.data());
}

bool sameBits(double a, double b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

bool sameBits(const std::vector<double>& a, const std::vector<double>& b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool same(const Sum& a, const Sum& b)
{
    return a.isInteger == b.isInteger && a.integer == b.integer && sameBits(a.real, b.real);
}

bool same(const Statistics& a, const Statistics& b)
{
    return a.finite == b.finite && a.zeros == b.zeros && a.nan == b.nan && a.min == b.min && a.max == b.max &&
           sameBits(a.std.value_or(-1), b.std.value_or(-1)) && same(a.sum, b.sum);
}

/// The tensor as it lies, and its contiguous copy.
struct Pair
{
    std::unique_ptr<LoadedTensor> found;
    std::unique_ptr<LoadedTensor> expected;
};

std::string differentScan(const Pair& pair)
{
    if (!same(pair.found->statistics(), pair.expected->statistics()))
        return "statistics";
    for (std::size_t i = 0; i < pair.expected->planeStatistics().size(); ++i)
        if (!same(pair.found->planeStatistics()[i], pair.expected->planeStatistics()[i]))
            return "statistics of planes";
    return {};
}

std::string differentRun(const Pair& pair, const std::string& condition)
{
    const Extents& extents = pair.expected->extents();
    Query query;
    query.where = Where::parse(condition);
    for (const Reduction reduction :
         {Reduction::count, Reduction::sum, Reduction::max, Reduction::mean, Reduction::l1, Reduction::l2}) {
        query.heatMaps.push_back({reduction, false, {}});
        query.heatMaps.push_back({reduction, true, extents.batches - 1});
    }
    query.masks = {{0, 0}, {extents.batches - 1, extents.channels - 1}};
    for (const bool hotSums : {false, true}) {
        query.hotSums = hotSums;
        const Result a = pair.found->run(query);
        const Result b = pair.expected->run(query);
        if (a.counts != b.counts)
            return "counts";
        if (!std::equal(a.hotSums.begin(), a.hotSums.end(), b.hotSums.begin(), b.hotSums.end(),
                        [](const Sum& x, const Sum& y) { return same(x, y); }))
            return "sums";
        for (std::size_t i = 0; i < b.heatMaps.size(); ++i)
            if (!sameBytes(a.heatMaps[i], b.heatMaps[i]))
                return fmt::format("map {}", i);
        for (std::size_t i = 0; i < b.masks.size(); ++i)
            if (!sameBytes(a.masks[i], b.masks[i]))
                return fmt::format("mask {}", i);
    }
    return {};
}

std::string differentOperations(const Pair& pair, const Pair& other, const std::string& condition)
{
    for (const double p : {1.0, 2.0})
        if (!sameBits(pair.found->norms({p}), pair.expected->norms({p})))
            return "norms";
    const Fused a = pair.found->fuse(*other.found, {2});
    const Fused b = pair.expected->fuse(*other.expected, {2});
    if (!sameBytes(std::get<Tensor>(Content(a.values)), std::get<Tensor>(Content(b.values))))
        return "fusion";
    SelectQuery query;
    query.where = Where::parse(condition);
    query.update = Update::replace;
    query.other = other.found.get();
    const Selected c = pair.found->select(query);
    query.other = other.expected.get();
    const Selected d = pair.expected->select(query);
    if (c.before != d.before || c.after != d.after || !sameBytes(std::get<Tensor>(c.values), std::get<Tensor>(d.values)))
        return "update";
    if (isComplex(pair.found->dtype()))
        return {};
    if (isInteger(pair.found->dtype()) && pair.found->labelCounts().counts != pair.expected->labelCounts().counts)
        return "counts of ids";
    LabelQuery labels;
    labels.values = true;
    const LabelMap e = pair.found->labels(labels);
    const LabelMap f = pair.expected->labels(labels);
    return sameBytes(e.labels, f.labels) && sameBytes(*e.values, *f.values) ? std::string() : "labels";
}

/// Maps asked alone and together, with and without counts and an index.
std::string differentMaps(const Tensor& tensor, const char* letters)
{
    const auto engine = makeCpuEngine(2);
    const Selection selection = Selection::all(Layout::parse(letters, tensor.rank()));
    const Pair pair{engine->load(tensor, selection), engine->load(tensor.toContiguous(), selection)};
    const std::int64_t last = pair.expected->extents().batches - 1;
    const std::vector<Reduction> kinds[] = {{Reduction::count},
                                            {Reduction::sum},
                                            {Reduction::max, Reduction::mean},
                                            {Reduction::count, Reduction::max, Reduction::sum},
                                            {Reduction::l1, Reduction::l2}};
    for (const bool indexed : {false, true}) {
        if (indexed) {
            pair.found->buildIndex();
            pair.expected->buildIndex();
        }
        for (const std::string condition : {"> 0.5", "abs > 1"})
            for (const auto& reductions : kinds)
                for (const bool counts : {false, true}) {
                    Query query;
                    query.where = Where::parse(condition);
                    query.counts = counts;
                    for (const Reduction reduction : reductions) {
                        query.heatMaps.push_back({reduction, false, {}});
                        query.heatMaps.push_back({reduction, false, last});
                    }
                    const Result a = pair.found->run(query);
                    const Result b = pair.expected->run(query);
                    if (counts && a.counts != b.counts)
                        return fmt::format("{}: counts", condition);
                    for (std::size_t i = 0; i < b.heatMaps.size(); ++i)
                        if (!sameBytes(a.heatMaps[i], b.heatMaps[i]))
                            return fmt::format("{}: map of {}", condition, reductionName(query.heatMaps[i].reduction));
                }
    }
    const LabelMap a = pair.found->labels({});
    const LabelMap b = pair.expected->labels({});
    return sameBytes(a.labels, b.labels) ? std::string() : "labels";
}

/// Windows at many places and the stream, against a plain loop.
std::string differentRows(const LoadedTensor& tensor, const std::vector<naive::Element>& elements, const std::string& condition)
{
    const auto hot = naive::test(condition, tensor.dtype());
    std::vector<std::int64_t> expected;
    std::int64_t rows = 0;
    for (const naive::Element& element : elements)
        if (hot(element)) {
            expected.insert(expected.end(), element.indices.begin(), element.indices.end());
            ++rows;
        }
    const auto rank = static_cast<std::int64_t>(tensor.shape().size());
    Where where = Where::parse(condition);
    where.comparison = Comparison::exact;
    for (const bool counts : {true, false})
        for (std::int64_t step = 0; step <= 6; ++step) {
            Query query;
            query.where = where;
            query.counts = counts;
            query.rows = RowWindow{std::max(rows - 60, std::int64_t{0}) * step / 6, 60};
            const Result result = tensor.run(query);
            const std::int64_t n = std::min(std::int64_t{60}, rows - query.rows->first);
            const auto begin = expected.begin() + query.rows->first * rank;
            if (result.rows->indices != std::vector<std::int64_t>(begin, begin + n * rank))
                return fmt::format("rows from {}", query.rows->first);
            for (std::int64_t i = 0; i < n; ++i)
                if (!isComplex(tensor.dtype()) &&
                    result.rows->values[static_cast<std::size_t>(i)] !=
                        tensor.value(std::span(result.rows->indices)
                                         .subspan(static_cast<std::size_t>(i * rank), static_cast<std::size_t>(rank))))
                    return "values of rows";
        }
    std::vector<std::int64_t> streamed;
    std::vector<Scalar> values;
    tensor.coordinates(where, true, [&](const RowBlock& block) {
        streamed.insert(streamed.end(), block.indices.begin(), block.indices.end());
        values.insert(values.end(), block.values.begin(), block.values.end());
        return true;
    });
    return streamed == expected && std::ssize(values) == rows ? std::string() : "stream";
}

} // namespace

class TestLayouts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void answersOfEveryOrder_data();
    void answersOfEveryOrder();
    void mapsOfEveryOrder_data();
    void mapsOfEveryOrder();
    void mapsOfExpandedPlanes_data() { mapsOfEveryOrder_data(); }
    void mapsOfExpandedPlanes();
};

void TestLayouts::answersOfEveryOrder_data()
{
    QTest::addColumn<int>("dtype");
    for (const DType dtype : {DType::f32, DType::u8, DType::f8e5m2, DType::c64})
        QTest::newRow(dtypeName(dtype).data()) << static_cast<int>(dtype);
}

void TestLayouts::answersOfEveryOrder()
{
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    const std::string condition = isComplex(type) ? "abs > 1.5" : "> 1.5";
    std::uint64_t seed = 0;
    const auto engine = makeCpuEngine(2);
    for (const auto& [shape, letters] : largeCases)
        for (const support::Strides strides :
             {support::Strides::contiguous, support::Strides::permuted, support::Strides::everySecond,
              support::Strides::reversed, support::Strides::expanded, support::Strides::channelsLast}) {
            support::Random random(++seed);
            const Selection selection = Selection::all(Layout::parse(letters, static_cast<int>(shape.size())));
            const auto pairOf = [&](const Tensor& tensor) {
                return Pair{engine->load(tensor, selection), engine->load(tensor.toContiguous(), selection)};
            };
            const Tensor tensor = support::randomTensor(type, shape, strides, random);
            const Pair pair = pairOf(tensor);
            const Pair other = pairOf(support::randomTensor(type, shape, support::Strides::permuted, random));
            // The loop takes its time.
            const bool looksAtRows = type == DType::f32 || strides == support::Strides::permuted;
            const auto elements = looksAtRows ? naive::elements(tensor, selection) : std::vector<naive::Element>();
            std::string wrong = differentScan(pair);
            wrong = wrong.empty() ? differentRun(pair, condition) : wrong;
            wrong = wrong.empty() ? differentOperations(pair, other, condition) : wrong;
            wrong = wrong.empty() && looksAtRows ? differentRows(*pair.found, elements, condition) : wrong;
            pair.found->buildIndex();
            wrong = wrong.empty() ? differentRun(pair, condition) : wrong;
            wrong = wrong.empty() && looksAtRows ? differentRows(*pair.found, elements, condition) : wrong;
            QVERIFY2(wrong.empty(),
                     qPrintable(QString::fromStdString(fmt::format("seed {}: {} {} {}: {}", seed, shapeText(shape), letters,
                                                                   support::stridesName(strides), wrong))));
        }
}

void TestLayouts::mapsOfEveryOrder_data()
{
    QTest::addColumn<int>("dtype");
    for (const DType dtype : {DType::f32, DType::u8, DType::i8, DType::boolean})
        QTest::newRow(dtypeName(dtype).data()) << static_cast<int>(dtype);
}

void TestLayouts::mapsOfEveryOrder()
{
    QFETCH(int, dtype);
    std::uint64_t seed = 100;
    for (const auto& [shape, letters] : largeCases)
        for (const support::Strides strides : {support::Strides::permuted, support::Strides::everySecond,
                                               support::Strides::reversed, support::Strides::channelsLast}) {
            support::Random random(++seed);
            const Tensor tensor = support::randomTensor(static_cast<DType>(dtype), shape, strides, random);
            const std::string wrong = differentMaps(tensor, letters);
            QVERIFY2(wrong.empty(),
                     qPrintable(QString::fromStdString(fmt::format("seed {}: {} {} {}: {}", seed, shapeText(shape), letters,
                                                                   support::stridesName(strides), wrong))));
        }
}

void TestLayouts::mapsOfExpandedPlanes()
{
    QFETCH(int, dtype);
    support::Random random(3);
    const auto type = static_cast<DType>(dtype);
    // More channels than short sums of codes hold, in one case.
    const Shape shapes[] = {{3, 5, 4, 66, 67}, {2, 300, 1, 9, 40}, {2, 3, 5, 0, 7}};
    for (const Shape& shape : shapes)
        for (unsigned repeated = 1; repeated < 8; ++repeated) {
            Shape stored = shape;
            for (std::size_t axis = 0; axis < 3; ++axis)
                stored[2 + axis] = repeated >> axis & 1 ? 1 : shape[2 + axis];
            const Tensor once = support::randomTensor(
                type, stored, repeated % 2 ? support::Strides::permuted : support::Strides::reversed, random);
            core::Strides strides(once.strides().begin(), once.strides().end());
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (repeated >> axis & 1)
                    strides[2 + axis] = 0;
            const std::string wrong =
                differentMaps(Tensor(type, shape, strides, once.storage(), once.data() - once.storage().bytes.data()), "NCDHW");
            QVERIFY2(wrong.empty(),
                     qPrintable(QString::fromStdString(fmt::format("{} repeated {}: {}", shapeText(shape), repeated, wrong))));
        }
}

QTEST_APPLESS_MAIN(TestLayouts)
#include "test_layouts.moc"
