// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/reader.h"
#include "tests/core/io/mutate.h"
#include "tests/core/io/pickle_maker.h"
#include "tests/core/io/zip_maker.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <string>

using namespace tests;

/// Large files open by their directory and pickle alone.
class TestTorchLarge : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void opens100GiBOfZeros();
    void opensManyTensors();
    void opensManyViews();
    void summarisesLongLists();
};

namespace {

/// Peak memory may not grow by more; not measured with sanitizers, which keep memory of their own.
void compareGrowth(std::int64_t before, std::int64_t bar)
{
#ifndef __SANITIZE_ADDRESS__
    const std::int64_t grown = peakBytes() - before;
    QVERIFY2(grown <= bar, std::to_string(grown).c_str());
#else
    (void)before;
    (void)bar;
#endif
}

} // namespace

void TestTorchLarge::opens100GiBOfZeros()
{
    constexpr std::int64_t elements = std::int64_t{25} << 30;
    const QTemporaryDir folder;
    const auto path = folder.filePath("large.pt").toStdString();
    const PickledTensor tensor{.shape = {25, 1 << 15, 1 << 15}, .strides = {1 << 30, 1 << 15, 1}, .storageElements = elements};
    ZipMaker maker;
    maker.useZip64 = true;
    maker.add({.name = "large/data.pkl", .data = pickleOf(tensor.call())})
        .add({.name = "large/data/0", .hole = static_cast<std::uint64_t>(elements) * 4})
        .add({.name = "large/version", .data = "3\n"});
    maker.write(path);
    const std::int64_t before = peakBytes();
    const auto document = core::io::readTorchZip(core::MappedFile::open(path), {}, {});
    QVERIFY(document);
    const auto content = document->entries.at(0).load({});
    QCOMPARE(std::get<core::Tensor>(content).elements(), elements);
    touch(std::get<core::Tensor>(content));
    compareGrowth(before, std::int64_t{50} << 20);
}

void TestTorchLarge::opensManyTensors()
{
    constexpr int count = 100'000;
    std::string pickle = "\x80\x02}(";
    for (int i = 0; i < count; ++i)
        pickle += pickleText("layer" + std::to_string(i) + ".weight") + PickledTensor{.key = std::to_string(i)}.call();
    pickle += "u.";
    ZipMaker maker;
    maker.useZip64 = true;
    maker.add({.name = "many/data.pkl", .data = std::move(pickle)});
    for (int i = 0; i < count; ++i)
        maker.add({.name = "many/data/" + std::to_string(i), .data = std::string(8, '\0')});
    const auto bytes = maker.bytes();
    const auto file = core::MappedFile::fromBytes("many.pt", std::as_bytes(std::span(bytes)));
    const std::int64_t before = peakBytes();
    const auto document = core::io::readTorchZip(file, {}, {});
    QVERIFY(document);
    QCOMPARE(document->entries.size(), std::size_t{count});
    QCOMPARE(document->entries.back().name, std::string("layer99999.weight"));
    compareGrowth(before, (std::int64_t{64} << 20) + 4 * static_cast<std::int64_t>(bytes.size()));
}

void TestTorchLarge::opensManyViews()
{
    constexpr int count = 100'000;
    // As torch.save writes a list of views: texts and classes once, got from the memo by all others; every tuple, dict and
    // tensor put into the memo.
    std::uint32_t memo = 16;
    const auto put = [&] {
        std::string text = "r";
        for (int byte = 0; byte < 4; ++byte)
            text += static_cast<char>(memo >> (8 * byte));
        ++memo;
        return text;
    };
    std::string pickle = "\x80\x02" + pickleText("storage") + "q\x01" + "0ctorch\nFloatStorage\nq\x02" + "0" + pickleText("0") +
                         "q\x03" + "0" + pickleText("cpu") + "q\x04" + "0ctorch._utils\n_rebuild_tensor_v2\nq\x06" +
                         "0ccollections\nOrderedDict\nq\x07" + "0](";
    for (int i = 0; i < count; ++i) {
        pickle += "h\x06((h\x01h\x02h\x03h\x04" + pickleNumber(1000) + "t" + put() + "Q" + pickleNumber(i % 900);
        pickle += pickleTuple({10}) + put() + pickleTuple({1}) + put() + "\x89h\x07)R" + put() + "t" + put() + "R" + put();
    }
    pickle += "e.";
    ZipMaker maker;
    maker.add({.name = "views/data.pkl", .data = std::move(pickle)});
    maker.add({.name = "views/data/0", .data = std::string(4000, '\0')});
    const auto bytes = maker.bytes();
    const auto file = core::MappedFile::fromBytes("views.pt", std::as_bytes(std::span(bytes)));
    const std::int64_t before = peakBytes();
    const auto document = core::io::readTorchZip(file, {}, {});
    QVERIFY(document);
    QCOMPARE(document->entries.size(), std::size_t{count});
    QCOMPARE(document->entries.back().notes, std::vector<std::string>{"shares its storage with [0]"});
    compareGrowth(before, (std::int64_t{64} << 20) + 4 * static_cast<std::int64_t>(bytes.size()));
}

void TestTorchLarge::summarisesLongLists()
{
    std::string pickle = "\x80\x02](";
    for (int i = 0; i < 5000; ++i)
        pickle += pickleNumber(i);
    pickle += "e.";
    ZipMaker maker;
    maker.add({.name = "list/data.pkl", .data = pickle});
    const auto bytes = maker.bytes();
    const auto document =
        core::io::readTorchZip(core::MappedFile::fromBytes("list.pt", std::as_bytes(std::span(bytes))), {}, {});
    QCOMPARE(document.value().entries.size(), std::size_t{1});
    QCOMPARE(document->entries[0].name, std::string("list"));
    QCOMPARE(document->entries[0].value, std::string("[0, 1, 2, ... 4999] (5000 values)"));
}

QTEST_APPLESS_MAIN(TestTorchLarge)
#include "test_torch_large.moc"
