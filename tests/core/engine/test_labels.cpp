// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "tests/core/engine/operation_cases.h"
#include "tests/core/engine/torch_tables.h"

#include <map>

using namespace core;
using naive::Case;
using naive::Element;

namespace {

std::unique_ptr<LoadedTensor> load(const Content& content, const Selection& selection, int threads = 2)
{
    return makeCpuEngine(threads)->load(content, selection);
}

std::unique_ptr<LoadedTensor> load(const Tensor& tensor)
{
    return load(tensor, Selection::all(Layout::guess(tensor.rank())));
}

template <class T>
std::vector<T> numbersOf(const std::string& text, char separator)
{
    std::vector<T> out;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, separator);)
        out.push_back(static_cast<T>(std::stoll(word)));
    return out;
}

std::int64_t labelAt(const Tensor& labels, std::int64_t index)
{
    return static_cast<std::int64_t>(support::realPart(labels.dtype(), labels.data() + index * itemSize(labels.dtype())));
}

/// The first channel whose value no other beats: NaN beats numbers.
const Element* winner(const std::vector<const Element*>& channels)
{
    for (const Element* nan : channels)
        if (std::isnan(nan->re))
            return nan;
    const Element* best = channels.front();
    for (const Element* e : channels)
        if (e->re > best->re)
            best = e;
    return best;
}

void checkLabels(const Case& c, const LabelMap& map, std::optional<std::int64_t> batch)
{
    std::map<std::int64_t, std::vector<const Element*>> pixels;
    for (const Element& e : c.elements)
        if (!batch || *batch == e.batch)
            pixels[(batch ? 0 : e.batch) * c.extents.planeElements() + static_cast<std::int64_t>(c.inPlane(e))].push_back(&e);
    QVERIFY2(map.labels.elements() == static_cast<std::int64_t>(pixels.size()), c.name.c_str());
    const int size = itemSize(c.tensor.dtype());
    for (auto& [pixel, channels] : pixels) {
        std::sort(channels.begin(), channels.end(), [](const Element* a, const Element* b) { return a->channel < b->channel; });
        const Element* best = winner(channels);
        QVERIFY2(labelAt(map.labels, pixel) == best->channel,
                 fmt::format("{}, pixel {}: {} expected {}", c.name, pixel, labelAt(map.labels, pixel), best->channel).c_str());
        QVERIFY2(std::memcmp(map.values->data() + pixel * size, support::elementAt(c.tensor, best->indices),
                             static_cast<std::size_t>(size)) == 0,
                 c.name.c_str());
    }
}

/// Ids of a tensor and how often, by a map.
std::map<std::int64_t, std::int64_t> idsOf(const LabelCounts& counts)
{
    std::map<std::int64_t, std::int64_t> out;
    for (std::size_t i = 0; i < counts.counts.size(); ++i)
        out[labelAt(counts.ids, static_cast<std::int64_t>(i))] = counts.counts[i];
    return out;
}

} // namespace

class TestLabels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void labelsAsPyTorch()
    {
        for (const std::string& line : tables::lines("labels.txt")) {
            std::istringstream words(line);
            std::string name, values, labels, winners;
            words >> name >> values >> labels >> winners;
            const DType dtype = *dtypeFromName(name);
            const LabelMap map = load(tables::tensorOf(dtype, {2, 5, 3, 7}, values))->labels({std::nullopt, true});
            QCOMPARE(map.labels.dtype(), DType::u8);
            QVERIFY(map.labels.shape() == Shape({2, 3, 7}));
            const auto expected = numbersOf<std::uint8_t>(labels, ',');
            QVERIFY2(std::memcmp(map.labels.data(), expected.data(), expected.size()) == 0, line.substr(0, 60).c_str());
            QVERIFY2(std::memcmp(map.values->data(), tables::bytesOf(winners).data(),
                                 static_cast<std::size_t>(map.values->bytes())) == 0,
                     line.substr(0, 60).c_str());
        }
    }

    void labelsOfEveryDTypeAndLayout()
    {
        operations::forCases(1, [](const Case& c) {
            const auto loaded = load(c.tensor, c.selection);
            if (isComplex(c.tensor.dtype()) || c.extents.channels == 0) {
                QVERIFY_EXCEPTION_THROWN(loaded->labels({}), Error);
                return;
            }
            checkLabels(c, loaded->labels({std::nullopt, true}), std::nullopt);
            if (c.extents.batches > 1)
                checkLabels(c, loaded->labels({1, true}), 1);
            QVERIFY(!loaded->labels({}).values);
        });
    }

    void manyChannelsTakeWiderLabels()
    {
        // 20,000 channels are taken one by one.
        for (const std::int64_t channels : {256, 257, 300, 20000}) {
            std::vector<float> values(static_cast<std::size_t>(channels * 6));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<float>(i * 7919 % 1000);
            for (std::int64_t pixel = 0; pixel < 6; ++pixel)
                values[static_cast<std::size_t>((channels - 1 - pixel) * 6 + pixel)] = 2000;
            const LabelMap map = load(Tensor::fromValues(DType::f32, {channels, 2, 3}, values))->labels({});
            QCOMPARE(map.labels.dtype(), channels <= 256 ? DType::u8 : DType::i32);
            for (std::int64_t pixel = 0; pixel < 6; ++pixel)
                QCOMPARE(labelAt(map.labels, pixel), channels - 1 - pixel);
        }
    }

    void sparseLabelsEqualDenseOnes()
    {
        support::Random random(7);
        for (const DType dtype : {DType::f32, DType::f16, DType::i8, DType::u16, DType::i64, DType::f8e5m2, DType::boolean})
            for (const int part : {1, 5, 9, 10}) {
                const Tensor dense = operations::mostlyZero(dtype, {2, 6, 5, 7}, part, random);
                const Selection selection = Selection::all(Layout::guess(4));
                const LabelMap expected = load(dense, selection)->labels({std::nullopt, true});
                const LabelMap map = load(operations::toSparse(dense), selection)->labels({std::nullopt, true});
                QVERIFY(std::memcmp(map.labels.data(), expected.labels.data(), static_cast<std::size_t>(map.labels.bytes())) ==
                        0);
                QVERIFY(std::memcmp(map.values->data(), expected.values->data(),
                                    static_cast<std::size_t>(map.values->bytes())) == 0);
                if (!isFloating(dtype))
                    QVERIFY(idsOf(load(operations::toSparse(dense), selection)->labelCounts()) ==
                            idsOf(load(dense, selection)->labelCounts()));
            }
    }

    void countsAsPyTorch()
    {
        for (const std::string& line : tables::lines("label_counts.txt")) {
            std::istringstream words(line);
            std::string name, values;
            words >> name >> values;
            const DType dtype = *dtypeFromName(name);
            const LabelCounts counts = load(tables::tensorOf(dtype, {2, 5, 3, 7}, values))->labelCounts();
            std::size_t next = 0;
            for (std::string pair; words >> pair; ++next) {
                const auto parts = numbersOf<std::int64_t>(pair, ':');
                QVERIFY(next < counts.counts.size());
                QCOMPARE(counts.counts[next], parts[1]);
                QCOMPARE(labelAt(counts.ids, static_cast<std::int64_t>(next)), parts[0]);
            }
            QCOMPARE(next, counts.counts.size());
        }
    }

    void countsOfEveryDTypeAndLayout()
    {
        operations::forCases(1, [](const Case& c) {
            const auto loaded = load(c.tensor, c.selection);
            const DType dtype = c.tensor.dtype();
            if (!isInteger(dtype) && dtype != DType::boolean) {
                QVERIFY_EXCEPTION_THROWN(loaded->labelCounts(), Error);
                return;
            }
            std::map<long double, std::int64_t> expected;
            for (const Element& e : c.elements)
                ++expected[e.re];
            const LabelCounts counts = loaded->labelCounts();
            QVERIFY2(counts.counts.size() == expected.size(), c.name.c_str());
            std::int64_t i = 0;
            for (const auto& [id, count] : expected) {
                QVERIFY2(support::realPart(dtype, counts.ids.data() + i * itemSize(dtype)) == id, c.name.c_str());
                QCOMPARE(counts.counts[static_cast<std::size_t>(i++)], count);
            }
        });
    }

    /// A long table, one that is kept once, and ids all over the range, on one thread and on several.
    void countsOfManyElements_data()
    {
        QTest::addColumn<qint64>("first");
        QTest::addColumn<qint64>("step");
        QTest::addColumn<qint64>("ids");
        QTest::newRow("short") << qint64{-3} << qint64{1} << qint64{5000};
        QTest::newRow("long") << qint64{-100000} << qint64{1} << qint64{200000};
        QTest::newRow("far apart") << qint64{-2000000000} << qint64{799999} << qint64{5000};
        QTest::newRow("all different") << qint64{-2000000000} << qint64{1999} << qint64{2000000};
    }
    void countsOfManyElements()
    {
        QFETCH(qint64, first);
        QFETCH(qint64, step);
        QFETCH(qint64, ids);
        support::Random random(5);
        std::vector<std::int32_t> labels(1 << 18);
        std::map<std::int64_t, std::int64_t> expected;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            // Now and then a run.
            if (i % 100 < 90 || i == 0)
                labels[i] = static_cast<std::int32_t>(
                    first + step * static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(ids)));
            else
                labels[i] = labels[i - 1];
            ++expected[labels[i]];
        }
        const Tensor tensor = Tensor::fromValues(DType::i32, {512, 512}, labels);
        for (const int threads : {1, 3})
            QVERIFY(idsOf(load(tensor, Selection::all(Layout::guess(2)), threads)->labelCounts()) == expected);
    }

    /// The table grows at one end, at the other, and becomes a hash table.
    void countsOfIdsThatAscendAndDescend()
    {
        for (const std::int64_t step : {1, -1, 7, -7, 3000, -3000}) {
            std::vector<std::int64_t> labels(100000);
            for (std::size_t i = 0; i < labels.size(); ++i)
                labels[i] = static_cast<std::int64_t>(i / 3) * step;
            const LabelCounts counts = load(Tensor::fromValues(DType::i64, {100, 1000}, labels))->labelCounts();
            QCOMPARE(counts.counts.size(), std::size_t{33334});
            for (std::size_t i = 0; i < counts.counts.size(); ++i) {
                const std::size_t k = step > 0 ? i : counts.counts.size() - 1 - i;
                QCOMPARE(labelAt(counts.ids, static_cast<std::int64_t>(i)), static_cast<std::int64_t>(k) * step);
                QCOMPARE(counts.counts[i], k == 33333 ? 1 : 3);
            }
        }
        // The ends of the dtype.
        const std::vector<std::int8_t> ends = {127, -128, 0, 127};
        const std::map<std::int64_t, std::int64_t> expected = {{-128, 1}, {0, 1}, {127, 2}};
        QVERIFY(idsOf(load(Tensor::fromValues(DType::i8, {4}, ends))->labelCounts()) == expected);
    }

    void stops()
    {
        const auto loaded = load(Tensor::fromValues(DType::i32, {2, 3}, std::vector<std::int32_t>(6)));
        std::stop_source source;
        source.request_stop();
        QVERIFY_EXCEPTION_THROWN(loaded->labels({}, {source.get_token(), {}}), Cancelled);
        QVERIFY_EXCEPTION_THROWN(loaded->labelCounts({source.get_token(), {}}), Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestLabels)
#include "test_labels.moc"
