// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/engine.h"
#include "core/error.h"
#include "tests/core/engine/torch_tables.h"

using namespace core;

namespace {

std::unique_ptr<LoadedTensor> load(const Tensor& tensor)
{
    return makeCpuEngine(2)->load(tensor, Selection::all(Layout::guess(tensor.rank())));
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
                const std::byte* at = counts.ids.data() + static_cast<std::int64_t>(next) * itemSize(dtype);
                QVERIFY(std::memcmp(at, &parts[0], static_cast<std::size_t>(itemSize(dtype))) == 0);
            }
            QCOMPARE(next, counts.counts.size());
        }
    }
};

QTEST_APPLESS_MAIN(TestLabels)
#include "test_labels.moc"
