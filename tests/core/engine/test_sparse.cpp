// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "core/error.h"
#include "tests/support/random_tensor.h"

#include <QTest>
#include <fmt/format.h>

#include <cmath>
#include <cstring>

using namespace core;

namespace {

/// A dense tensor and the same as a sparse one.
struct Pair
{
    Tensor dense;
    SparseTensor sparse;
    std::string name;
};

Tensor indexTensor(const Shape& shape, const std::vector<std::int64_t>& values, bool narrow)
{
    if (!narrow)
        return Tensor::fromValues(DType::i64, shape, values);
    return Tensor::fromValues(DType::i32, shape, std::vector<std::int32_t>(values.begin(), values.end()));
}

/// A tensor that is mostly zeros: stored elements at `isStored`.
Tensor mostlyZeros(DType dtype, const Shape& shape, support::Random& random, std::vector<bool>& isStored)
{
    const Tensor full = support::randomTensor(dtype, shape, support::Strides::contiguous, random);
    std::vector<std::byte> bytes(full.data(), full.data() + full.bytes());
    isStored.assign(static_cast<std::size_t>(full.elements()), false);
    const auto size = static_cast<std::size_t>(itemSize(dtype));
    for (std::size_t i = 0; i < isStored.size(); ++i) {
        isStored[i] = random() % 5 == 0;
        if (!isStored[i])
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * size), size, std::byte{0});
    }
    return Tensor::contiguous(dtype, shape, Storage::fromVector(std::move(bytes)));
}

/// COO with `denseAxes` dense axes, entries in random order.
Pair makeCoo(DType dtype, const Shape& shape, std::size_t denseAxes, support::Random& random)
{
    std::vector<bool> isStored;
    Pair out;
    out.dense = mostlyZeros(dtype, shape, random, isStored);
    const std::size_t sparseAxes = shape.size() - denseAxes;
    const Shape outer(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(sparseAxes));
    const Shape inner(shape.begin() + static_cast<std::ptrdiff_t>(sparseAxes), shape.end());
    const auto part = static_cast<std::size_t>(elementCount(inner));
    const auto size = static_cast<std::size_t>(itemSize(dtype));
    std::vector<std::vector<std::int64_t>> entries;
    std::size_t at = 0;
    support::forIndices(outer, [&](const std::vector<std::int64_t>& indices) {
        bool any = false;
        for (std::size_t i = 0; i < part; ++i)
            any = any || isStored[at * part + i];
        if (any)
            entries.push_back(indices);
        ++at;
    });
    std::shuffle(entries.begin(), entries.end(), random);
    std::vector<std::int64_t> indices(sparseAxes * entries.size());
    std::vector<std::byte> values;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        std::vector<std::int64_t> first = entries[i];
        for (std::size_t axis = 0; axis < sparseAxes; ++axis)
            indices[axis * entries.size() + i] = first[axis];
        first.resize(shape.size(), 0);
        const std::byte* from = support::elementAt(out.dense, first);
        values.insert(values.end(), from, from + part * size);
    }
    Shape valueShape = inner;
    valueShape.insert(valueShape.begin(), static_cast<std::int64_t>(entries.size()));
    out.sparse.kind = StorageKind::coo;
    out.sparse.shape = shape;
    out.sparse.indices =
        indexTensor({static_cast<std::int64_t>(sparseAxes), static_cast<std::int64_t>(entries.size())}, indices, random() % 2);
    out.sparse.values = Tensor::contiguous(dtype, valueShape, Storage::fromVector(std::move(values)));
    out.name = fmt::format("coo, {} dense axes", denseAxes);
    return out;
}

/// CSR, CSC, BSR or BSC of a matrix.
Pair makeCompressed(DType dtype, StorageKind kind, std::int64_t rows, std::int64_t columns, support::Random& random)
{
    const bool isBlocked = kind == StorageKind::bsr || kind == StorageKind::bsc;
    const bool byRow = kind == StorageKind::csr || kind == StorageKind::bsr;
    const std::int64_t block[2] = {isBlocked ? 2 : 1, isBlocked ? 3 : 1};
    std::vector<bool> isStored;
    Pair out;
    out.dense = mostlyZeros(dtype, {rows, columns}, random, isStored);
    const std::int64_t outerCount = byRow ? rows / block[0] : columns / block[1];
    const std::int64_t innerCount = byRow ? columns / block[1] : rows / block[0];
    std::vector<std::int64_t> pointers{0};
    std::vector<std::int64_t> plain;
    std::vector<std::byte> values;
    for (std::int64_t outer = 0; outer < outerCount; ++outer) {
        for (std::int64_t inner = 0; inner < innerCount; ++inner) {
            const std::int64_t row = (byRow ? outer : inner) * block[0];
            const std::int64_t column = (byRow ? inner : outer) * block[1];
            bool any = false;
            std::vector<std::byte> bytes;
            for (std::int64_t i = 0; i < block[0]; ++i)
                for (std::int64_t k = 0; k < block[1]; ++k) {
                    any = any || isStored[static_cast<std::size_t>((row + i) * columns + column + k)];
                    const std::byte* from = support::elementAt(out.dense, {row + i, column + k});
                    bytes.insert(bytes.end(), from, from + itemSize(dtype));
                }
            if (!any)
                continue;
            plain.push_back(inner);
            values.insert(values.end(), bytes.begin(), bytes.end());
        }
        pointers.push_back(static_cast<std::int64_t>(plain.size()));
    }
    const auto stored = static_cast<std::int64_t>(plain.size());
    const bool narrow = random() % 2;
    out.sparse.kind = kind;
    out.sparse.shape = {rows, columns};
    out.sparse.indices = indexTensor({outerCount + 1}, pointers, narrow);
    out.sparse.plainIndices = indexTensor({stored}, plain, narrow);
    out.sparse.values = Tensor::contiguous(dtype, isBlocked ? Shape{stored, block[0], block[1]} : Shape{stored},
                                           Storage::fromVector(std::move(values)));
    out.name = std::string(storageKindName(kind));
    return out;
}

bool sameBytes(const Tensor& a, const Tensor& b)
{
    if (a.dtype() != b.dtype() || a.shape() != b.shape())
        return false;
    for (std::int64_t i = 0; i < a.elements(); ++i) {
        const long double x = support::realPart(a.dtype(), a.data() + i * itemSize(a.dtype()));
        const long double y = support::realPart(b.dtype(), b.data() + i * itemSize(b.dtype()));
        if (x != y && !(std::isnan(x) && std::isnan(y)))
            return false;
    }
    return true;
}

bool sameScalar(const Scalar& a, const Scalar& b)
{
    const double x = std::visit([](auto v) { return static_cast<double>(v); }, a);
    const double y = std::visit([](auto v) { return static_cast<double>(v); }, b);
    return a.index() == b.index() && (a == b || (std::isnan(x) && std::isnan(y)));
}

bool sameRows(const Coordinates& a, const Coordinates& b)
{
    bool same = a.indices == b.indices && a.rows() == b.rows() && a.rank == b.rank;
    for (std::size_t i = 0; same && i < a.values.size(); ++i)
        same = sameScalar(a.values[i], b.values[i]);
    return same;
}

/// Values within rounding of each other: mean and deviation are added in another order.
bool isNear(std::optional<double> a, std::optional<double> b)
{
    return a.has_value() == b.has_value() &&
           (!a || std::abs(*a - *b) <= 1e-11 * std::max(std::abs(*a), std::abs(*b)) + 1e-290 || *a == *b);
}

bool sameStatistics(const Statistics& a, const Statistics& b)
{
    return a.elements == b.elements && a.finite == b.finite && a.zeros == b.zeros && a.nan == b.nan &&
           a.positiveInf == b.positiveInf && a.negativeInf == b.negativeInf && a.min == b.min && a.max == b.max &&
           a.sum.isInteger == b.sum.isInteger && a.sum.integer == b.sum.integer && a.sum.real == b.sum.real &&
           isNear(a.mean, b.mean) && isNear(a.std, b.std) && a.ordered == b.ordered;
}

Coordinates streamed(const LoadedTensor& tensor, const Where& where)
{
    Coordinates out;
    out.rank = static_cast<int>(tensor.shape().size());
    tensor.coordinates(where, true, [&](const RowBlock& block) {
        out.indices.insert(out.indices.end(), block.indices.begin(), block.indices.end());
        out.values.insert(out.values.end(), block.values.begin(), block.values.end());
        return true;
    });
    return out;
}

#define CHECK(condition, text)                                                                                                 \
    do {                                                                                                                       \
        if (!(condition))                                                                                                      \
            QFAIL(qPrintable(QString::fromStdString(name + ", " + text)));                                                     \
    } while (false)

void compareStatistics(const std::string& name, const LoadedTensor& sparse, const LoadedTensor& dense)
{
    CHECK(sparse.extents() == dense.extents() && sparse.dtype() == dense.dtype() && sparse.dense() == nullptr, "extents");
    for (std::size_t plane = 0; plane < dense.planeStatistics().size(); ++plane)
        CHECK(sameStatistics(sparse.planeStatistics()[plane], dense.planeStatistics()[plane]),
              fmt::format("statistics of plane {}", plane));
    if (isComplex(dense.dtype()))
        return;
    const Histogram a = sparse.histogram(std::nullopt, 13);
    const Histogram b = dense.histogram(std::nullopt, 13);
    CHECK(a.lo == b.lo && a.hi == b.hi && a.bins == b.bins, "histogram");
}

void compareQuery(const std::string& name, const std::string& where, const LoadedTensor& sparse, const LoadedTensor& dense,
                  support::Random& random)
{
    Query query;
    query.where = Where::parse(where);
    query.where.perChannel = random() % 2;
    query.hotSums = true;
    const Extents& extents = dense.extents();
    for (const Reduction reduction :
         {Reduction::sum, Reduction::count, Reduction::max, Reduction::mean, Reduction::l1, Reduction::l2})
        query.heatMaps.push_back({reduction, random() % 4 == 0, std::nullopt});
    query.heatMaps[0].batch = extents.batches - 1;
    query.masks = {{0, extents.channels - 1}};
    query.rows = RowWindow{static_cast<std::int64_t>(random() % 50), 30};
    const Result a = sparse.run(query);
    const Result b = dense.run(query);
    for (std::size_t i = 0; i < b.thresholds.size(); ++i)
        CHECK(isNear(a.thresholds[i].a, b.thresholds[i].a), fmt::format("threshold {}", i));
    CHECK(a.counts == b.counts && a.count == b.count, "counts");
    for (std::size_t i = 0; i < b.hotSums.size(); ++i)
        CHECK(a.hotSums[i].integer == b.hotSums[i].integer &&
                  (a.hotSums[i].real == b.hotSums[i].real || (std::isnan(a.hotSums[i].real) && std::isnan(b.hotSums[i].real))),
              fmt::format("hot sum {}", i));
    for (std::size_t i = 0; i < b.heatMaps.size(); ++i)
        CHECK(sameBytes(a.heatMaps[i], b.heatMaps[i]), fmt::format("heat map {}", reductionName(query.heatMaps[i].reduction)));
    CHECK(sameBytes(a.masks[0], b.masks[0]), "mask");
    CHECK(sameRows(*a.rows, *b.rows), "rows");
    CHECK(sameRows(streamed(sparse, query.where), streamed(dense, query.where)), "streamed rows");
}

void compare(const Pair& pair, support::Random& random)
{
    const auto engine = makeCpuEngine(2);
    const DType dtype = pair.dense.dtype();
    const int rank = pair.dense.rank();
    static const std::vector<const char*> layouts[] = {
        {}, {"W"}, {"HW", "CW", "NC", "WC"}, {"CHW", "HWC"}, {"NCHW", "WHDN", "-CHW"}};
    const std::vector<const char*>& choices = layouts[rank];
    Selection selection = Selection::all(Layout::parse(choices[random() % choices.size()], rank));
    for (std::size_t axis = 0; axis < selection.fixed.size(); ++axis)
        if (random() % 6 == 0)
            selection.fixed[axis] = pair.dense.shape()[axis] - 1;
    const auto sparse = engine->load(pair.sparse, selection);
    const auto dense = engine->load(pair.dense, selection);
    const std::string name =
        fmt::format("{} {} {} {}", dtypeName(dtype), pair.name, shapeText(pair.dense.shape()), selection.layout.letters());
    compareStatistics(name, *sparse, *dense);
    std::vector<const char*> conditions{"== 0", "!= 0", "abs > 1", "nan", "finite"};
    if (!isComplex(dtype))
        conditions = {"> 0",    ">= 0",          "< 1",           "!= 0",   "between -1 1", "abs >= 2",
                      "finite", "percentile 80", "percentile 10", "max .5", "otsu"};
    for (const char* where : conditions)
        if (!QTest::currentTestFailed())
            compareQuery(name + ", " + where, where, *sparse, *dense, random);
    if (QTest::currentTestFailed())
        return;
    support::forIndices(pair.dense.shape(), [&](const std::vector<std::int64_t>& indices) {
        CHECK(sameScalar(sparse->value(indices), dense->value(indices)), "value");
    });
    CHECK(sameBytes(sparse->plane({0, 0}), dense->plane({0, 0}).toContiguous()), "plane");
}

SparseTensor coo(const Shape& shape, const std::vector<std::int64_t>& indices, Tensor values)
{
    SparseTensor out;
    out.shape = shape;
    out.indices = Tensor::fromValues(DType::i64, {static_cast<std::int64_t>(shape.size()), values.elements()}, indices);
    out.values = std::move(values);
    return out;
}

std::string messageOf(const SparseTensor& tensor, const char* letters)
{
    try {
        makeCpuEngine(1)->load(tensor, Selection::all(Layout::parse(letters, static_cast<int>(tensor.shape.size()))));
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

} // namespace

class TestSparse : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalsDense_data()
    {
        QTest::addColumn<int>("dtype");
        for (const DType dtype : support::allDTypes)
            QTest::newRow(std::string(dtypeName(dtype)).c_str()) << static_cast<int>(dtype);
    }
    /// Every answer is that for the dense tensor.
    void equalsDense()
    {
        QFETCH(int, dtype);
        support::Random random(static_cast<std::uint64_t>(77 + dtype));
        const auto type = static_cast<DType>(dtype);
        for (int round = 0; round < 3; ++round) {
            compare(makeCoo(type, {300}, 0, random), random);
            compare(makeCoo(type, {100, 97}, 0, random), random);
            compare(makeCoo(type, {5, 8, 9}, 1, random), random);
            compare(makeCoo(type, {2, 3, 6, 7}, 2, random), random);
            compare(makeCoo(type, {4, 5}, 2, random), random);
            for (const StorageKind kind : {StorageKind::csr, StorageKind::csc, StorageKind::bsr, StorageKind::bsc})
                compare(makeCompressed(type, kind, 12, 18, random), random);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// Values of torch.sparse_coo_tensor(...).coalesce() of PyTorch 2.11.
    void duplicatesAreSummed()
    {
        const auto only = [](const SparseTensor& tensor) {
            return makeCpuEngine(1)->load(tensor, Selection::all(Layout::guess(1)))->value(std::vector<std::int64_t>{3});
        };
        const std::vector<std::int64_t> twice{3, 1, 3, 3};
        QCOMPARE(std::get<double>(only(coo({5}, twice, Tensor::fromValues<float>(DType::f32, {4}, {1e8f, 5, 1, 1})))), 1e8);
        const std::vector<Half> halves{toHalf(2048.0f), toHalf(5.0f), toHalf(1.0f), toHalf(1.0f)};
        QCOMPARE(std::get<double>(only(coo({5}, twice, Tensor::fromValues(DType::f16, {4}, halves)))), 2048.0);
        QCOMPARE(
            std::get<std::int64_t>(only(coo({5}, twice, Tensor::fromValues<std::uint8_t>(DType::u8, {4}, {200, 5, 100, 1})))),
            45);
        QCOMPARE(
            std::get<std::int64_t>(only(coo({5}, twice, Tensor::fromValues<std::uint8_t>(DType::boolean, {4}, {1, 0, 1, 0})))),
            1);
    }

    void storedOnly()
    {
        const SparseTensor tensor = coo({2, 3}, {0, 1, 1, 2, 0, 1}, Tensor::fromValues<float>(DType::f32, {3}, {-1, 0, 2}));
        const auto loaded = makeCpuEngine(1)->load(tensor, Selection::all(Layout::guess(2)));
        Query query;
        query.where = Where::parse("<= 0");
        query.rows = RowWindow{0, 10};
        QCOMPARE(loaded->run(query).count, 5);
        query.where.storedOnly = true;
        const Result result = loaded->run(query);
        QCOMPARE(result.count, 2);
        QCOMPARE(result.rows->indices, (std::vector<std::int64_t>{0, 2, 1, 0}));
        query.where = Where::parse("percentile 50");
        query.where.storedOnly = true;
        QCOMPARE(*loaded->run(query).thresholds[0].a, 0.0);
        query.where = Where::parse("percentile 100");
        QCOMPARE(*loaded->run(query).thresholds[0].a, 2.0);
    }

    /// A million by a million, one element each in a thousand rows: nothing is made dense.
    void millionByMillion()
    {
        constexpr std::int64_t side = 1000000;
        constexpr std::int64_t stored = 1000;
        std::vector<std::int64_t> indices(2 * stored);
        std::vector<float> values;
        for (std::int64_t i = 0; i < stored; ++i) {
            indices[static_cast<std::size_t>(i)] = i * 997;
            indices[static_cast<std::size_t>(stored + i)] = (i * 7919) % side;
            values.push_back(static_cast<float>(i + 1));
        }
        const auto loaded = makeCpuEngine(2)->load(coo({side, side}, indices, Tensor::fromValues(DType::f32, {stored}, values)),
                                                   Selection::all(Layout::guess(2)));
        QCOMPARE(loaded->extents().elements(), side * side);
        QCOMPARE(loaded->statistics().zeros, side * side - stored);
        QCOMPARE(*loaded->statistics().mean, 500500.0 / 1e12);
        Query query;
        query.where = Where::parse("> 990");
        query.rows = RowWindow{5, 100};
        Result result = loaded->run(query);
        QCOMPARE(result.count, 10);
        QCOMPARE(result.rows->rows(), 5);
        QCOMPARE(result.rows->indices[0], 995 * 997);
        query.where = Where::parse("<= 990");
        query.rows = RowWindow{side * side - 20, 100};
        result = loaded->run(query);
        QCOMPARE(result.count, side * side - 10);
        QCOMPARE(result.rows->rows(), 10);
        QCOMPARE(result.rows->indices.back(), side - 1);
        // Rank 10^12 - 2 and a little: just above the second largest value.
        query.where = Where::parse("percentile 99.9999999999");
        QCOMPARE(loaded->run(query).count, 1);
        query.rows.reset();
        query.masks = {{0, 0}};
        QVERIFY_THROWS_EXCEPTION(Error, loaded->run(query));
        QVERIFY_THROWS_EXCEPTION(Error, loaded->plane({0, 0}));
        QCOMPARE(loaded->histogram(std::nullopt, 10).bins[0], side * side - stored + 99);
    }

    /// Four thousand million planes, three of them not empty: what is stored is all that costs.
    void anyNumberOfPlanes()
    {
        constexpr std::int64_t channels = 2000000000;
        const SparseTensor tensor =
            coo({2, channels, 3}, {0, 0, 1, 5, 5, 9, 0, 2, 1}, Tensor::fromValues<float>(DType::f32, {3}, {4, 2, -8}));
        const auto loaded = makeCpuEngine(2)->load(tensor, Selection::all(Layout::parse("NCW", 3)));
        QCOMPARE(loaded->statistics().elements, 6 * channels);
        QCOMPARE(loaded->statistics().zeros, 6 * channels - 3);
        // By hand: channel 5 has mean 1 and std 1.53, T = -0.53, all hot; channel 9 has T = -1.33 - 2.98, -8 is cold; the empty
        // channels have T = 0 and nothing above it.
        Query query;
        query.counts = false;
        query.where = Where::parse("sigma -1");
        query.where.perChannel = true;
        query.rows = RowWindow{3, 4};
        const Result result = loaded->run(query);
        QCOMPARE(result.count, 11);
        QCOMPARE(result.rows->indices, (std::vector<std::int64_t>{0, 9, 0, 0, 9, 1, 0, 9, 2, 1, 5, 0}));
        std::vector<std::int64_t> rows;
        loaded->coordinates(query.where, false, [&](const RowBlock& block) {
            rows.insert(rows.end(), block.indices.begin(), block.indices.end());
            return true;
        });
        QCOMPARE(rows, (std::vector<std::int64_t>{0, 5, 0, 0, 5, 1, 0, 5, 2, 0, 9, 0, 0, 9, 1, 0, 9,
                                                  2, 1, 5, 0, 1, 5, 1, 1, 5, 2, 1, 9, 0, 1, 9, 2}));
        const auto countOf = [&](const char* where, bool storedOnly) {
            query.where = Where::parse(where);
            query.where.perChannel = query.where.rule.has_value();
            query.where.storedOnly = storedOnly;
            query.rows.reset();
            return loaded->run(query).count;
        };
        QCOMPARE(countOf("max 0.5", false), 1);
        QCOMPARE(countOf("percentile 0", true), 1);
        // As scikit-image: T in the first bin of both, so 2 and 4, and the zeros of channel 9.
        QCOMPARE(countOf("otsu", false), 7);
        QCOMPARE(countOf("<= 0", false), 6 * channels - 2);
        QCOMPARE(countOf("< 0", false), 1);
        // Lists of all planes are another matter.
        query.counts = true;
        QVERIFY_THROWS_EXCEPTION(Error, loaded->run(query));
        QVERIFY_THROWS_EXCEPTION(Error, loaded->planeStatistics());
        // One channel is a small tensor.
        auto selection = Selection::all(Layout::parse("NCW", 3));
        selection.fixed[1] = 9;
        QCOMPARE(makeCpuEngine(2)->load(tensor, selection)->planeStatistics().size(), std::size_t{2});
    }

    void refuses()
    {
        const auto values = [](std::int64_t n) {
            return Tensor::fromValues(DType::f32, {n}, std::vector<float>(static_cast<std::size_t>(n), 1));
        };
        QVERIFY(messageOf(coo({5}, {7}, values(1)), "W").find("index 7") != std::string::npos);
        QVERIFY(messageOf(coo({5}, {-1}, values(1)), "W").find("index -1") != std::string::npos);
        const auto many =
            makeCpuEngine(1)->load(coo({10000000, 10}, {0, 0}, values(1)), Selection::all(Layout::parse("CW", 2)));
        try {
            many->run({});
            QFAIL("ten million planes were listed");
        } catch (const Error& error) {
            QVERIFY2(std::string_view(error.what()).find("10000000 planes") != std::string_view::npos, error.what());
        }
        SparseTensor csr;
        csr.kind = StorageKind::csr;
        csr.shape = {2, 3};
        csr.plainIndices = Tensor::fromValues<std::int64_t>(DType::i64, {2}, {0, 1});
        csr.values = values(2);
        csr.indices = Tensor::fromValues<std::int64_t>(DType::i64, {3}, {0, 3, 2});
        QVERIFY(messageOf(csr, "HW").find("pointer 1") != std::string::npos);
        csr.indices = Tensor::fromValues<std::int64_t>(DType::i64, {3}, {0, 1, 3});
        QVERIFY(messageOf(csr, "HW").find("pointers") != std::string::npos);
        csr.indices = Tensor::fromValues<std::int64_t>(DType::i64, {2}, {0, 2});
        QVERIFY(messageOf(csr, "HW").find("do not fit") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestSparse)
#include "test_sparse.moc"
