// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "tests/support/random_tensor.h"

#include <QTest>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>

using namespace core;

namespace {

template <class T>
void append(std::vector<std::byte>& bytes, T value)
{
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// What PyTorch stores for a float32: the nearest code, ties to even; NaN for an infinity that the kind lacks.
std::uint8_t nearestFloat8(DType dtype, float value)
{
    static std::map<DType, std::map<float, std::uint8_t>> tables;
    std::map<float, std::uint8_t>& table = tables[dtype];
    const bool isNew = table.empty();
    for (int code = 0; isNew && code < 256; ++code)
        if (const float known = float8ToFloat(dtype, static_cast<std::uint8_t>(code)); !std::isnan(known))
            table.try_emplace(known, static_cast<std::uint8_t>(code));
    // 0x80 is the NaN of the fnuz kinds; all ones is NaN in the others.
    const bool isFnuz = dtype == DType::f8e4m3fnuz || dtype == DType::f8e5m2fnuz;
    if (!std::isfinite(value))
        return std::isinf(value) && table.contains(value) ? table[value] : isFnuz ? 0x80 : 0x7f;
    const auto above = table.lower_bound(value);
    if (above == table.begin() || above->first == value)
        return above->second;
    const auto below = std::prev(above);
    const float up = above->first - value;
    const float down = value - below->first;
    return up < down || (up == down && above->second % 2 == 0) ? above->second : below->second;
}

void appendElement(std::vector<std::byte>& bytes, DType dtype, std::int64_t k, float real)
{
    switch (dtype) {
    case DType::boolean:
        return append(bytes, static_cast<std::uint8_t>(k & 1));
    case DType::f16:
        return append(bytes, toHalf(real));
    case DType::bf16:
        return append(bytes, toBFloat16(real));
    case DType::f32:
        return append(bytes, real);
    case DType::f64:
        return append(bytes, static_cast<double>(real));
    default:
        break;
    }
    if (isFloat8(dtype))
        return append(bytes, nearestFloat8(dtype, real));
    for (int i = 0; i < itemSize(dtype); ++i)
        append(bytes, static_cast<std::uint8_t>(k >> (8 * i)));
}

/// The elements of make_engine_tables.py.
Tensor generated(DType dtype, int n, std::uint64_t seed, int shift)
{
    std::vector<std::byte> bytes;
    std::uint64_t state = seed;
    for (int i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const std::int64_t k = (static_cast<std::int64_t>(state >> 40) - (1 << 23)) >> shift;
        float real = static_cast<float>(k) / 65536;
        if (i % 17 == 5)
            real = std::numeric_limits<float>::quiet_NaN();
        if (i % 29 == 7)
            real = INFINITY;
        if (i % 31 == 11)
            real = -INFINITY;
        appendElement(bytes, dtype, k, real);
    }
    return Tensor::contiguous(dtype, {n}, Storage::fromVector(std::move(bytes)));
}

std::vector<std::optional<double>> thresholdsOf(const LoadedTensor& tensor, const std::string& rule, bool perChannel)
{
    Query query;
    query.where = Where::parse(rule);
    query.where.comparison = Comparison::exact;
    query.where.perChannel = perChannel;
    std::vector<std::optional<double>> out;
    for (const Threshold& threshold : tensor.run(query).thresholds)
        out.push_back(threshold.a);
    return out;
}

std::optional<double> thresholdOf(const LoadedTensor& tensor, const std::string& rule)
{
    return thresholdsOf(tensor, rule, false).front();
}

} // namespace

class TestRules : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Percentile, maximum and Otsu equal PyTorch's and scikit-image's number; sigma to 12 digits (torch sums in another
    /// order).
    void matchesTable()
    {
        const auto engine = makeCpuEngine(2);
        std::ifstream file(TEST_DATA "/engine/rules.txt");
        int rows = 0;
        std::string last;
        std::unique_ptr<LoadedTensor> loaded;
        for (std::string text; std::getline(file, text);) {
            std::istringstream line(text);
            std::string name, rule, parameter, expected;
            int n = 0, shift = 0;
            std::uint64_t seed = 0;
            if (!(line >> name >> n >> seed >> shift >> rule >> parameter >> expected))
                continue;
            const std::string key = fmt::format("{} {} {} {}", name, n, seed, shift);
            if (key != last) {
                const Tensor tensor = generated(dtypeFromName(name).value(), n, seed, shift);
                loaded = engine->load(tensor, Selection::all(Layout::guess(1)));
                last = key;
            }
            const std::optional<double> actual = thresholdOf(*loaded, rule == "otsu" ? rule : rule + " " + parameter);
            const double value = std::strtod(expected.c_str(), nullptr);
            const bool equal = expected == "None" ? !actual
                               : rule == "sigma" ? actual && std::abs(*actual - value) <= 1e-12 * std::max(1.0, std::abs(value))
                                                 : actual && *actual == value;
            QVERIFY2(equal,
                     qPrintable(QString::fromStdString(fmt::format("{} {} {}: {}, expected {}", key, rule, parameter,
                                                                   actual ? fmt::format("{}", *actual) : "none", expected))));
            ++rows;
        }
        QVERIFY(rows == 1088);
    }

    /// A channel's threshold is that of a tensor that holds the channel alone, over all batch items.
    void perChannel()
    {
        const auto engine = makeCpuEngine(2);
        support::Random random(20);
        for (const support::Strides strides : support::allStrides) {
            const Tensor tensor = support::randomTensor(DType::f32, {3, 4, 10, 50}, strides, random);
            const auto loaded = engine->load(tensor, Selection::all(Layout::guess(4)));
            for (const char* rule : {"percentile 90", "sigma 1", "max .5", "otsu"}) {
                const auto thresholds = thresholdsOf(*loaded, rule, true);
                QCOMPARE(thresholds.size(), 4u);
                for (std::int64_t c = 0; c < 4; ++c) {
                    Selection one = Selection::all(Layout::guess(4));
                    one.fixed[1] = c;
                    const auto alone = thresholdOf(*engine->load(tensor.toContiguous(), one), rule);
                    QVERIFY2(alone == thresholds[static_cast<std::size_t>(c)], rule);
                }
            }
            checkPerChannelHotness(*loaded);
        }
    }

    void nothingFinite()
    {
        const Tensor tensor = Tensor::fromValues<float>(DType::f32, {2, 2}, {NAN, INFINITY, -INFINITY, NAN});
        const auto loaded = makeCpuEngine(1)->load(tensor, Selection::all(Layout::guess(2)));
        for (const char* rule : {"percentile 50", "sigma 1", "max 1", "otsu"}) {
            Query query;
            query.where = Where::parse(rule);
            query.heatMaps = {{Reduction::max, false, std::nullopt}};
            const Result result = loaded->run(query);
            QCOMPARE(result.count, 0);
            QVERIFY(result.thresholds.size() == 1 && !result.thresholds[0].a);
            QVERIFY(std::isnan(*reinterpret_cast<const float*>(result.heatMaps[0].data())));
        }
        QVERIFY(loaded->histogram(std::nullopt, 10).bins.empty());
    }

    /// numpy.histogram([0, 1, 1, 2.5, 4, 4], 4) and a range of equal values.
    void histogram()
    {
        const Tensor tensor = Tensor::fromValues<double>(DType::f64, {2, 4}, {0, 1, 1, NAN, 2.5, 4, 4, INFINITY});
        const auto loaded = makeCpuEngine(1)->load(tensor, Selection::all(Layout::parse("CW", 2)));
        const Histogram all = loaded->histogram(std::nullopt, 4);
        QCOMPARE(all.lo, 0.0);
        QCOMPARE(all.hi, 4.0);
        QCOMPARE(all.bins, (std::vector<std::int64_t>{1, 2, 1, 2}));
        const Histogram first = loaded->histogram(PlaneIndex{0, 0}, 2);
        QCOMPARE(first.bins, (std::vector<std::int64_t>{1, 2}));
        const Tensor equal = Tensor::fromValues<double>(DType::f64, {3}, {7, 7, 7});
        const Histogram one = makeCpuEngine(1)->load(equal, Selection::all(Layout::guess(1)))->histogram(std::nullopt, 4);
        QVERIFY(one.lo == 6.5 && one.hi == 7.5);
        QCOMPARE(one.bins, (std::vector<std::int64_t>{0, 0, 3, 0}));
    }

private:
    /// Counts, maps and rows agree with the channel's own threshold.
    static void checkPerChannelHotness(const LoadedTensor& loaded)
    {
        Query query;
        query.where = Where::parse("percentile 70");
        query.where.perChannel = true;
        query.hotSums = true;
        query.heatMaps = {{Reduction::count, false, std::nullopt}, {Reduction::max, false, std::nullopt}};
        query.masks = {{1, 2}};
        query.rows = RowWindow{0, 1 << 20};
        const Result result = loaded.run(query);
        std::vector<std::int64_t> counts(12);
        std::int64_t maskCount = 0;
        std::int64_t mapCount = 0;
        for (std::int64_t i = 0; i < result.rows->rows(); ++i) {
            const std::int64_t* row = result.rows->indices.data() + i * 4;
            ++counts[static_cast<std::size_t>(row[0] * 4 + row[1])];
            // Thresholds of f32 percentiles are compared rounded to f32.
            QVERIFY(std::get<double>(result.rows->values[static_cast<std::size_t>(i)]) >
                    *result.thresholds[static_cast<std::size_t>(row[1])].a);
        }
        for (std::int64_t i = 0; i < result.masks[0].elements(); ++i)
            maskCount += std::to_integer<int>(result.masks[0].data()[i]);
        for (std::int64_t i = 0; i < result.heatMaps[0].elements(); ++i)
            mapCount += reinterpret_cast<const std::int64_t*>(result.heatMaps[0].data())[i];
        QCOMPARE(result.counts, counts);
        QCOMPARE(result.count, result.rows->rows());
        QCOMPARE(mapCount, result.count);
        QCOMPARE(maskCount, counts[6]);
    }
};

QTEST_GUILESS_MAIN(TestRules)
#include "test_rules.moc"
